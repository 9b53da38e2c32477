/** `npm run -s licences`: the licence of every package that is installed with ours. */
import { parseArgs } from 'node:util';
import { licencesOf } from './supply/licences.ts';
import { COPIED, committedLock, runtimePackages } from './supply/lock.ts';

const HELP = `Lists every package that the service and the engine bring along, or of which they have a copy, with its licence; those for
development alone are left out. Exit code 1 when one is not permissive and no exception.

  npm run -s licences            a table: package, version, licence, verdict
  npm run -s licences -- --json  the same as JSON`;

const OPTIONS = { json: { type: 'boolean' }, help: { type: 'boolean' } } as const;

function main(): void {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const found = licencesOf([...runtimePackages(committedLock()), ...COPIED]);
  if (values.json) console.log(JSON.stringify(found, undefined, 2));
  else for (const line of table(found.map((one) => Object.values(one)))) console.log(line);
  const refused = found.filter(({ verdict }) => verdict === 'refused');
  for (const { name, version, licence } of refused) {
    console.error(
      `licences: ${name}@${version} has the licence ${licence}, which is not permissive: use another package.`,
    );
  }
  if (refused.length > 0) process.exitCode = 1;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

try {
  main();
} catch (error) {
  console.error(
    `licences: ${(error as Error).message.split('\n')[0]} See npm run -s licences -- --help.`,
  );
  process.exitCode = 2;
}

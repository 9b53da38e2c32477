/** `npm run -s vendor -- swagger-ui-dist@VERSION`: takes the files that are served out of a package of the registry. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { extract } from 'tar';
import { VENDORED } from './supply/vendored.ts';

const HELP = `Brings another version of a package into the project whose files are served as they are, without what it depends on.

  npm run -s vendor -- swagger-ui-dist@5.35.0`;

/** @throws Error in one line when there is no such package or version. */
function vendor(wanted: string): string {
  const one = VENDORED.find(({ name }) => wanted.startsWith(`${name}@`));
  if (one === undefined) throw new Error(`name one of ${VENDORED.map(({ name }) => `${name}@VERSION`).join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'vendor-'));
  try {
    const told = execFileSync('npm', ['pack', wanted, '--json', '--pack-destination', folder], { encoding: 'utf8' });
    const [{ name, version, integrity, filename }] = JSON.parse(told);
    const files = new Set(one.files.map((file) => `package/${file}`));
    extract({ file: join(folder, filename), cwd: one.folder, strip: 1, sync: true, filter: (path) => files.has(path) });
    const record = { name, version, license: one.license, integrity };
    writeFileSync(join(one.folder, 'vendored.json'), `${JSON.stringify(record, undefined, 2)}\n`);
    return `${name}@${version} is in ${one.folder}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

try {
  const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });
  console.log(values.help || positionals.length !== 1 ? HELP : vendor(positionals[0]!));
} catch (error) {
  console.error(`vendor: ${(error as Error).message.split('\n')[0]}`);
  process.exitCode = 2;
}

/** Writes what this release asks its database to a fixture; the schemas of later releases must understand it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { changes, RELEASED } from '../src/store/schema/changes.ts';
import type { Engine } from '../src/store/store.ts';
import { freshDatabase } from '../test/kit/database.ts';
import { recordStatements } from '../test/kit/recorded-statements.ts';

const FOLDER = join(import.meta.dirname, '../test/store/earlier-releases');

/** A month of the audit trail: its partition is there only after the release itself has made it. */
const OF_A_MONTH = /"audit_\d{6}"/;

const [version] = process.argv.slice(2);
if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version)) {
  process.stderr.write('record-statements: name the release, such as 1.2.3\n');
  process.exit(2);
}
const recorded: Record<string, unknown> = {
  version,
  migrations: [...RELEASED, ...changes.map(({ name }) => name)],
};
for (const engine of ['sqlite', 'postgres'] satisfies Engine[]) {
  const after: (() => unknown)[] = [];
  const scope = { after: (end: () => unknown) => after.push(end) } as unknown as TestContext;
  const statements = await recordStatements(scope, await freshDatabase(engine, scope));
  recorded[engine] = [...statements].filter((statement) => !OF_A_MONTH.test(statement)).toSorted();
  for (const end of after) await end();
}
const file = join(FOLDER, `${version}.json`);
writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
process.stdout.write(`${file}\n`);
process.exit(0);

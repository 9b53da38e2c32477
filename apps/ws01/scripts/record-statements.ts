/** Writes what this release asks its database to the fixture that the next release is tried against. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { migrations } from '../src/store/migrations/index.ts';
import type { Engine } from '../src/store/store.ts';
import { freshDatabase } from '../test/kit/database.ts';
import { recordStatements } from '../test/kit/recorded-statements.ts';

const FOLDER = join(import.meta.dirname, '../test/store/previous-release');

const [version] = process.argv.slice(2);
if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version)) {
  process.stderr.write('record-statements: name the release, such as 1.2.3\n');
  process.exit(2);
}
const recorded: Record<string, unknown> = { version, migrations: migrations.map(({ name }) => name) };
for (const engine of ['sqlite', 'postgres'] satisfies Engine[]) {
  const after: (() => unknown)[] = [];
  const scope = { after: (end: () => unknown) => after.push(end) } as unknown as TestContext;
  recorded[engine] = [...(await recordStatements(scope, await freshDatabase(engine, scope)))].toSorted();
  for (const end of after) await end();
}
for (const file of readdirSync(FOLDER)) rmSync(join(FOLDER, file));
writeFileSync(join(FOLDER, `${version}.json`), `${JSON.stringify(recorded, null, 1)}\n`);
process.stdout.write(`${join(FOLDER, `${version}.json`)}\n`);
process.exit(0);

import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { KINDS } from '../../src/domain/portable/kinds.ts';
import { ws01 } from '../kit/command.ts';
import { forEachEngine, freshDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { readFolder, writeFolder } from '../kit/portable.ts';
import { everyKind } from '../kit/portable-records.ts';

const IMAGE = blackPng(8, 8);

/** What the imports themselves wrote down is none of the records. */
function withoutImports(records: Record<string, Record<string, unknown>[]>) {
  return { ...records, audit: records.audit?.filter(({ action }) => action !== 'data.import') };
}

forEachEngine((engine, fresh) => {
  it('what is brought in is exported as it was, record by record, and from the other engine again', async (t) => {
    const folder = await temporaryFolder(t);
    const records = everyKind(IMAGE);
    assert.deepEqual(
      Object.keys(records),
      KINDS.map(({ name }) => name),
      'records of every kind',
    );
    for (const kind of KINDS) {
      const fields = new Set(records[kind.name]!.flatMap((record) => Object.keys(record)));
      const missing = kind.fields.filter(
        ({ name }) => !fields.has(name) && name !== 'servedFormat' && name !== 'dueAt',
      );
      assert.deepEqual(
        missing.map(({ name }) => name),
        [],
        `fields of ${kind.name} without a value`,
      );
    }
    const { hash } = records['image-files']!.find(({ format }) => format === 'png')!;
    const files = Object.fromEntries(
      Object.entries(records).map(([kind, rows]) => [`${kind}.jsonl`, rows]),
    );
    await writeFolder(join(folder, 'in'), {
      ...files,
      [`files/${String(hash).slice(0, 2)}/${hash}`]: IMAGE,
    });

    const database = await fresh(t);
    if (engine === 'postgres') await (await database.open()).close();
    const imported = await ws01(database, ['import', join(folder, 'in'), '--json']);
    assert.equal(imported.code, 0, imported.stderr + imported.stdout);
    const exported = await ws01(database, ['export', join(folder, 'out')]);
    assert.equal(exported.code, 0, exported.stderr);
    const out = await readFolder(join(folder, 'out'));
    assert.deepEqual(withoutImports(out), records);
    assert.equal((await stat(join(folder, 'out'))).mode & 0o777, 0o700);
    assert.equal((await stat(join(folder, 'out/tokens.jsonl'))).mode & 0o777, 0o600);

    const again = await ws01(database, ['import', join(folder, 'out'), '--json']);
    assert.equal(again.code, 0, again.stderr + again.stdout);
    for (const [kind, { added }] of Object.entries<{ added: number }>(
      JSON.parse(again.stdout).kinds,
    )) {
      assert.equal(added, 0, `${kind} added again`);
    }

    const other = await freshDatabase(engine === 'sqlite' ? 'postgres' : 'sqlite', t);
    if (other.engine === 'postgres') await (await other.open()).close();
    assert.equal((await ws01(other, ['import', join(folder, 'out')])).code, 0);
    assert.equal((await ws01(other, ['export', join(folder, 'elsewhere')])).code, 0);
    assert.deepEqual(
      withoutImports(await readFolder(join(folder, 'elsewhere'))),
      withoutImports(out),
    );
  });
});

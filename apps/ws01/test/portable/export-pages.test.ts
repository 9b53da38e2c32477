import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { readRows } from '../../src/domain/portable/export.ts';
import { KINDS } from '../../src/domain/portable/kinds.ts';
import { ws01 } from '../kit/command.ts';
import { forEachEngine, freshDatabase, type TestDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { readFolder, writeFolder } from '../kit/portable.ts';
import { articleRow } from '../store/rows.ts';

const MIB = 1024 * 1024;

forEachEngine((_engine, fresh) => {
  it('an export reads pages of 8 MiB of long texts at most, or of one row', async (t) => {
    const store = await (await fresh(t)).open();
    const sizes = [3 * MIB, 5 * MIB, 1, 9 * MIB, 8 * MIB, 0];
    await store.write(async (tx) => {
      for (const [index, size] of sizes.entries()) {
        const row = { ...articleRow(`a-${index}`), content: 'x'.repeat(size) };
        await tx.insertInto('articles').values(row).execute();
      }
    });
    const articles = KINDS.find(({ table }) => table === 'articles')!;
    const pages: unknown[][] = [];
    await store.read(async (db) => {
      for await (const rows of readRows(db, articles)) pages.push(rows.map(({ guid }) => guid));
    });
    assert.deepEqual(pages, [['a-0', 'a-1'], ['a-2'], ['a-3'], ['a-4', 'a-5']]);
  });
});

it('an export of what was written since then has that, and the files that arrived', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const before = await bring(t, database, 'a', '2015-03-04T07:04:05.123Z');
  const after = await bring(t, database, 'b', '2026-11-20T07:04:05.123Z');
  const folder = join(await temporaryFolder(t), 'out');
  const { code, stderr } = await ws01(database, ['export', folder, '--since', '2026-11-20']);
  assert.equal(code, 0, stderr);
  const out = await readFolder(folder);
  const keysOf = (kind: string) => out[kind]!.map(({ guid }) => guid);
  assert.deepEqual([keysOf('articles'), keysOf('images')], [['b'], ['b']]);
  const files = await readdir(join(folder, 'files'), { recursive: true });
  assert.deepEqual(
    [before, after].map((hash) => files.some((name) => name.endsWith(hash))),
    [true, true],
    'files arrive with their import',
  );
  const never = await ws01(database, ['export', `${folder}-2`, '--since', '0h']);
  assert.equal(never.code, 0, never.stderr);
  const none = await readFolder(`${folder}-2`);
  assert.deepEqual([none.articles, none.images, none['image-files']], [[], [], []]);
  assert.match((await ws01(database, ['export', `${folder}-3`, '--since', 'x'])).stderr, /since/);
});

/** Brings an article and an image of that time in. @returns the hash of its file. */
async function bring(t: TestContext, database: TestDatabase, guid: string, createdAt: string) {
  const bytes = blackPng(8 + guid.charCodeAt(0), 8);
  const folder = await writeFolder(join(await temporaryFolder(t), 'in'), {
    'articles.jsonl': [{ guid, caption: 'c', createdAt }],
    'images.jsonl': [{ guid, file: 'a.png', createdAt }],
    'a.png': bytes,
  });
  const { code, stderr } = await ws01(database, ['import', folder]);
  assert.equal(code, 0, stderr);
  return createHash('sha256').update(bytes).digest('hex');
}

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { it } from 'node:test';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import { blackPng } from '../../kit/images/containers.ts';
import { hostileFiles } from '../../kit/images/hostile.ts';
import { assertPictureRefused, upload } from '../../kit/images/upload.ts';
import { startService } from '../../kit/service.ts';

it('hostile files: false with the reason, nothing stored, and the next image is accepted', async (t) => {
  const { url, database } = await startService(t);
  const files = await hostileFiles();
  assert.ok(files.length >= 60, `${files.length} files`);
  for (const { name, bytes, code } of files)
    await t.test(`${name}: ${code}`, () => assertPictureRefused(url, bytes, code));
  const store = await database.open();
  for (const table of ['images', 'image_files', 'postings'] as const) {
    assert.deepEqual(
      await store.read((db) => db.selectFrom(table).selectAll().execute()),
      [],
      table,
    );
  }
  const left = async () =>
    (await readdir(`${database.dataDir}/files`, { recursive: true })).toSorted().join(' ');
  // The mark of the database is written a second after the start.
  await until(async () => (await left()) === 'database-id incoming', left);
  await upload(url, blackPng(2, 2));
});

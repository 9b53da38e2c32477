import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { it } from 'node:test';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import { TEST_BINDINGS } from '../../kit/bindings.ts';
import { blackPng } from '../../kit/images/containers.ts';
import { hostileFiles } from '../../kit/images/hostile.ts';
import { startService, TOKEN } from '../../kit/service.ts';

it('hostile files: false with the reason, nothing stored, and the next image is accepted', async (t) => {
  const { url, database } = await startService(t);
  const files = await hostileFiles();
  assert.ok(files.length >= 60, `${files.length} files`);
  const [soap11] = TEST_BINDINGS;
  for (const [index, { name, bytes, code }] of files.entries()) {
    await t.test(`${name}: ${code}`, async () => {
      const answer = await soap11!.call(url, 'InsertArticleImageFile', {
        verifyCode: TOKEN,
        FileGuid: `hostile-${index}`,
        FileImg: bytes.toString('base64'),
      });
      assert.equal(answer.status, 200, answer.body);
      assert.deepEqual([answer.result, answer.headers['x-error-code']], ['false', code]);
    });
  }
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
  const image = { verifyCode: TOKEN, FileGuid: 'next', FileImg: blackPng(2, 2).toString('base64') };
  assert.equal((await soap11!.call(url, 'InsertArticleImageFile', image)).result, 'true');
});

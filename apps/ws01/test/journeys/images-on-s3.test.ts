import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { it } from 'node:test';
import { openFiles } from '../../src/adapters/files/open.ts';
import { newNameOfFile } from '../../src/domain/images/file-names.ts';
import { sweepFiles } from '../../src/domain/images/sweep.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { upload } from '../kit/images/upload.ts';
import { startS3 } from '../kit/s3.ts';
import { startService, TOKEN } from '../kit/service.ts';

const [soap11, , get] = TEST_BINDINGS;

it('two nodes share their images by PostgreSQL and S3: uploaded at one, served by both, gone from both', async (t) => {
  const { endpoint, bucket } = await startS3(t);
  const FILES_URL = `s3://${bucket}/site-1?endpoint=${encodeURIComponent(endpoint)}&region=eu-west-1`;
  const first = await startService(t, await freshDatabase('postgres', t), { FILES_URL });
  const second = await startService(t, first.database, { FILES_URL });
  const picture = blackPng(300, 200);
  await upload(first.url, picture, { FileGuid: 'shared' });
  assert.equal((await fetch(`${second.url}/readyz`)).status, 200);

  const [item] = JSON.parse((await get!.call(second.url, 'QueryImgData', {})).result!).items;
  for (const { app } of [first, second]) {
    for (const address of [item.url, item.iconUrl]) {
      const here = address.replace(second.app.url, app.url);
      const whole = await fetch(here);
      const bytes = Buffer.from(await whole.arrayBuffer());
      assert.deepEqual(
        [whole.status, whole.headers.get('content-length')],
        [200, String(bytes.length)],
      );
      const part = await fetch(here, { headers: { Range: 'bytes=8-19' } });
      assert.equal(part.status, 206);
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(8, 20));
    }
  }
  const files = await openFiles(
    { kind: 's3', bucket, prefix: 'site-1', endpoint, region: undefined },
    first.database.dataDir,
  );
  t.after(() => files.store.close());
  const stored = async () => {
    const names: string[] = [];
    for await (const { name } of files.store.list())
      names.push(name.replace(/^[0-9a-f]{64}-[0-9a-f-]{36}/, '*'));
    return names.sort();
  };
  assert.deepEqual(await stored(), ['*', '*.full', '*.icon']);
  const store = await first.database.open();
  // Objects are dated by the clock of the bucket.
  const sweep = async (later: number) => {
    const now = {
      store: (await files.store.now()) + later,
      spool: (await files.spool.now()) + later,
    };
    return (await sweepFiles({ store, files, clock: Date.now }, now)).trashed;
  };
  assert.equal(await sweep(7_200_000), 0);

  assert.equal(
    (await soap11!.call(second.url, 'DeleImgById', { verifyCode: TOKEN, FileGuid: 'shared' }))
      .result,
    'shared',
  );
  assert.equal((await fetch(item.url.replace(second.app.url, first.app.url))).status, 410);
  assert.deepEqual(await stored(), []);
  // What a crash would leave: an object without a record.
  const left = files.spool.receive();
  await left.write(Buffer.from('left'));
  await files.store.keep((await left.finish()).path, newNameOfFile('0'.repeat(64)));
  await left.release();
  assert.equal(await sweep(0), 0);
  assert.equal(await sweep(7_200_000), 1);
  assert.deepEqual(await stored(), []);
  assert.deepEqual(await readdir(`${first.database.dataDir}/incoming`), []);
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';
import sharp from 'sharp';
import { filesIn } from '../../../../packages/asmx/test/kit/folder.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { envelope, TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { blackPng, pngChunk } from '../kit/images/containers.ts';
import { UPLOAD_WAYS } from '../kit/images/uploads.ts';
import { spawnService } from '../kit/process.ts';
import { startService, TOKEN } from '../kit/service.ts';

const soap11 = TEST_BINDINGS[0]!;

/** No file of a process may grow beyond 3 MB, as on a disk that is full then; a block of POSIX is half a KiB. */
const BLOCKS_OF_A_FILE = 'ulimit -f 6000';

/** A PNG of a size in bytes, of which most is an ancillary chunk. */
const pngOf = (bytes: number): Buffer => blackPng(8, 8, pngChunk('prIv', Buffer.alloc(bytes, 'x')));

/** All but the name of the database that they are of. */
async function filesOf({ dataDir }: TestDatabase): Promise<readonly string[]> {
  const files = await filesIn(`${dataDir}/files`);
  return [...files.keys()].filter((name) => name !== 'database-id');
}

it('an upload that breaks off leaves nothing behind, wherever it breaks', async (t) => {
  const { app, database } = await startService(t);
  const FileImg = pngOf(2_400_000).toString('base64');
  const body = envelope('soap11', 'InsertArticleImageFile', {
    verifyCode: TOKEN,
    FileGuid: 'a',
    FileImg,
  });
  for (const share of [0.3, 0.6, 0.99]) {
    const socket = connect(app.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST /WS01.asmx HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
    );
    socket.write(body.slice(0, body.length * share));
    await until(async () => (await filesOf(database)).length === 1);
    socket.destroy();
    await until(async () => (await filesOf(database)).length === 0);
  }
});

it('a refused credential, a refused value and a file that is too large leave nothing behind, in every binding', async (t) => {
  const { url, database } = await startService(t, undefined, { MAX_IMAGE_BYTES: '40000' });
  const file = pngOf(20_000);
  for (const { name, send } of UPLOAD_WAYS) {
    const params = { verifyCode: TOKEN, FileGuid: 'a' };
    const refused: [string, string | undefined, Buffer][] = [
      ['Unauthenticated', 'wrong-token-0123456789', file],
      ['TooLarge', TOKEN, pngOf(50_000)],
    ];
    for (const [code, verifyCode, sent] of refused) {
      const answer = await send(url, { ...params, verifyCode }, sent);
      assert.equal(answer.headers['x-error-code'], code, `${name}: ${answer.body}`);
      await until(async () => (await filesOf(database)).length === 0);
    }
    const long = await send(url, { ...params, Link_Guid: 'l'.repeat(65) }, file);
    assert.equal(long.headers['x-error-code'], 'InvalidParameter', name);
    await until(async () => (await filesOf(database)).length === 0);
  }
  for (const FileImg of ['no base64!', 'abc=d', 'a']) {
    const answer = await soap11.call(url, 'InsertArticleImageFile', {
      verifyCode: TOKEN,
      FileGuid: 'a',
      FileImg,
    });
    assert.deepEqual([answer.code, answer.status], ['InvalidParameter', 500], FileImg);
  }
  await until(async () => (await filesOf(database)).length === 0);
  const store = await database.open();
  assert.deepEqual(
    await store.read((db) => db.selectFrom('image_files').selectAll().execute()),
    [],
  );
});

it('where the disk takes no more: StorageUnavailable, nothing half, and smaller files still come in', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const { url } = await spawnService(t, database, { LOG_LEVEL: 'silent' }, BLOCKS_OF_A_FILE);
  const upload = (FileGuid: string, file: Buffer) =>
    soap11.call(url, 'InsertArticleImageFile', {
      verifyCode: TOKEN,
      FileGuid,
      FileImg: file.toString('base64'),
    });
  for (let attempt = 0; attempt < 3; attempt++) {
    const answer = await upload('large', pngOf(3_900_000));
    assert.deepEqual(
      [answer.code, answer.headers['retry-after']],
      ['StorageUnavailable', '5'],
      answer.body,
    );
  }
  // One that fits, of which what would be served does not.
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const coarse = await sharp({
    create: { width: 4_000, height: 3_000, channels: 3, background: '#888', noise },
  })
    .jpeg({ quality: 25 })
    .toBuffer();
  assert.ok(coarse.length < 3_000_000, `${coarse.length} bytes`);
  assert.equal((await upload('coarse', coarse)).code, 'StorageUnavailable');
  assert.equal((await upload('small', pngOf(1_000))).result, 'true');
  const files = await filesOf(database);
  assert.deepEqual(
    [files.length, files.filter((name) => !/\.(full|icon)$/.test(name)).length],
    [3, 1],
  );
  const list = await TEST_BINDINGS[2]!.call(url, 'QueryImgData', {});
  assert.deepEqual(
    JSON.parse(list.result!).items.map(({ fileGuid }: { fileGuid: string }) => fileGuid),
    ['small'],
  );
});

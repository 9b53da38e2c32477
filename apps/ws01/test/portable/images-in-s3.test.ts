import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { originOf } from '../../../../packages/asmx/test/kit/listen.ts';
import { openFiles } from '../../src/adapters/files/open.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { readFolder, readLines, writeFolder } from '../kit/portable.ts';
import { startS3 } from '../kit/s3.ts';

const AT = '2024-02-29T13:05:06.000Z';
const KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** Passes requests on to a server, and writes them down. */
async function listenBefore(t: TestContext, endpoint: string) {
  const heard: IncomingMessage[] = [];
  const server = createServer((asked, answer) => {
    heard.push(asked);
    const on = request(
      `${endpoint}${asked.url}`,
      { method: asked.method!, headers: asked.headers },
      (answered) => {
        answer.writeHead(answered.statusCode!, answered.headers);
        answered.pipe(answer);
      },
    );
    on.on('error', () => answer.destroy());
    asked.pipe(on);
  });
  const origin = await originOf(t, server);
  return { heard, endpoint: origin };
}

it('images of an S3 prefix are held against their hashes, and copied within S3', async (t) => {
  const s3 = await startS3(t);
  const { heard, endpoint } = await listenBefore(t, s3.endpoint);
  const folder = await temporaryFolder(t);
  const database = await freshDatabase('sqlite', t);
  const place = {
    kind: 's3',
    bucket: s3.bucket,
    endpoint: s3.endpoint,
    region: undefined,
  } as const;
  const [old, present] = await Promise.all([
    openFiles({ ...place, prefix: 'old site', nested: true }, folder),
    openFiles({ ...place, prefix: 'new' }, folder),
  ]);
  t.after(() => old.store.close());
  t.after(() => present.store.close());
  const images = [8, 9, 10].map((width) => blackPng(width, 8));
  for (const [at, bytes] of images.entries()) {
    await writeFile(join(folder, 'one.png'), bytes);
    await old.store.keep(join(folder, 'one.png'), `upload/${at}.png`);
  }
  const [told, looked, wrong] = images.map((bytes) =>
    createHash('sha256').update(bytes).digest('hex'),
  );
  await writeFolder(join(folder, 'in'), {
    'image-files.jsonl': [
      {
        hash: told,
        file: 'upload/0.png',
        format: 'png',
        width: 8,
        height: 8,
        bytes: images[0]!.length,
        storedAt: AT,
      },
      {
        hash: told!.replace(/./g, '0'),
        file: 'upload/2.png',
        format: 'png',
        width: 10,
        height: 8,
        bytes: 1,
        storedAt: AT,
      },
    ],
    'images.jsonl': [
      { guid: 'told', hash: told, createdAt: AT },
      { guid: 'looked-at', file: 'upload/1.png', createdAt: AT },
      { guid: 'none', file: 'upload/3.png', createdAt: AT },
    ],
  });
  const at = (prefix: string) => `s3://${s3.bucket}/${prefix}?endpoint=${endpoint}`;
  const env = { ...KEYS, FILES_URL: at('new') };
  const imported = await ws01(
    database,
    ['import', join(folder, 'in'), '--images', at('old site')],
    '',
    env,
  );
  assert.equal(imported.code, 1, imported.stderr);
  const reasons = (await readLines(join(folder, 'in.refused.jsonl'))).map(
    ({ kind, reason }) => `${kind}: ${reason}`,
  );
  assert.deepEqual(reasons, [
    `image-files: the file "upload/2.png" has the hash ${wrong}, and not the one that is said.`,
    'images: there is no object "upload/3.png".',
  ]);

  const puts = heard.filter(({ method }) => method === 'PUT');
  const copied = puts.flatMap(({ headers }) => headers['x-amz-copy-source'] ?? []);
  assert.deepEqual(
    copied.toSorted(),
    ['0', '1'].map((name) => `${s3.bucket}/old%20site/upload/${name}.png`),
  );
  const sent = puts
    .filter(({ headers }) => headers['x-amz-copy-source'] === undefined)
    .map(({ url }) => url!);
  assert.ok(
    sent.every((url) => /\.(full|icon)|\/database-id\b/.test(url)),
    `only pictures made of them, and whose they are, is sent: ${sent}`,
  );
  const kept = new Set<string>();
  for await (const { name } of present.store.list()) {
    if (name.includes('.')) continue;
    kept.add(
      createHash('sha256')
        .update(await buffer(await present.store.read(name)))
        .digest('hex'),
    );
  }
  assert.deepEqual(kept, new Set([told, looked]));

  const exported = await ws01(database, ['export', join(folder, 'out')], '', env);
  assert.equal(exported.code, 0, exported.stderr);
  const out = await readFolder(join(folder, 'out'));
  assert.deepEqual(
    out.images!.map(({ guid, hash }) => [guid, hash]),
    [
      ['looked-at', looked],
      ['told', told],
    ],
  );
});

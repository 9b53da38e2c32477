import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { MINUTE_MS } from '@ws01/asmx/time';
import { temporaryFolder } from '../../../../../packages/asmx/test/kit/folder.ts';
import { listen } from '../../../../../packages/asmx/test/kit/listen.ts';
import { type Files, openFiles } from '../../../src/adapters/files/open.ts';
import { translateFailure } from '../../../src/failure/translate.ts';
import { failureOf } from '../../kit/failure.ts';
import { names, testFileStore } from '../../kit/file-stores.ts';
import { allowS3, startS3 } from '../../kit/s3.ts';
import { startS3Gate } from '../../kit/s3-gate.ts';

type Open = (test: TestContext) => Promise<Files>;

const OPEN: Readonly<Record<string, Open>> = {
  disk: async (test) => {
    const folder = await temporaryFolder(test, 'ws01-files-');
    return openFiles({ kind: 'disk', folder }, folder);
  },
  s3: async (test) => {
    const { endpoint, bucket } = await startS3(test);
    const files = await openFiles(
      { kind: 's3', bucket, prefix: 'some/prefix', endpoint, region: undefined },
      await temporaryFolder(test, 'ws01-files-'),
    );
    test.after(() => files.store.close());
    return files;
  },
};

for (const [kind, open] of Object.entries(OPEN)) describe(kind, () => testFileStore(open));

it('S3’s list is read to its end, over several answers', async (t) => {
  // s3rver cannot page on a present Node, so its answers are written out here.
  const page = (key: string, next: string) =>
    `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Contents><Key>p/${key}</Key>` +
    `<LastModified>2026-11-21T00:00:00.000Z</LastModified><Size>3</Size></Contents>${next}</ListBucketResult>`;
  const server = createServer((request, response) => {
    const token = new URL(request.url!, 'http://a').searchParams.get('continuation-token');
    const more =
      '<IsTruncated>true</IsTruncated><NextContinuationToken>t/+=</NextContinuationToken>';
    response.end(
      token === 't/+=' ? page('second', '<IsTruncated>false</IsTruncated>') : page('first', more),
    );
  });
  const port = await listen(t, server);
  allowS3();
  const endpoint = `http://127.0.0.1:${port}`;
  const place = { kind: 's3', bucket: 'b', prefix: 'p', endpoint, region: undefined } as const;
  const files = await openFiles(place, await temporaryFolder(t, 'ws01-files-'));
  assert.deepEqual(await names(files), ['first', 'second']);
  files.store.close();
});

it('S3 that ignores a range: a part of a file is an error, never other bytes of it', async (t) => {
  const { endpoint, bucket } = await startS3(t);
  const gate = await startS3Gate(t, endpoint, ({ headers }) => {
    delete headers.range;
    return true;
  });
  const folder = await temporaryFolder(t, 'ws01-files-');
  const files = await openFiles(
    { kind: 's3', bucket, prefix: 'p', endpoint: gate, region: undefined },
    folder,
  );
  t.after(() => files.store.close());
  const path = join(folder, 'file');
  await writeFile(path, 'abc');
  await files.store.keep(path, 'a');
  const failure = await failureOf(files.store.pieces('a', { start: 1, end: 2 }));
  assert.deepEqual([failure.dependency, failure.kind], ['files', 'unavailable']);
});

it('S3 that is not there: nothing is lost, and callers are not told the reason', async (t) => {
  const place = {
    kind: 's3',
    bucket: 'b',
    prefix: '',
    endpoint: 'http://127.0.0.1:9',
    region: undefined,
  } as const;
  allowS3();
  const files = await openFiles(place, await temporaryFolder(t, 'ws01-files-'));
  const failure = await failureOf(files.store.check());
  assert.deepEqual([failure.dependency, failure.kind], ['files', 'unavailable']);
  assert.match(failure.message, /ECONNREFUSED/, 'the operator reads the reason');
  const told = translateFailure(failure);
  assert.equal(told?.code, 'StorageUnavailable');
  assert.doesNotMatch(told.message, /127\.0\.0\.1|ECONNREFUSED/, 'the caller does not');
  files.store.close();
});

it('a file comes whole out of pieces of any size, and its hash with it', async (t) => {
  const folder = await temporaryFolder(t, 'ws01-files-');
  const { spool } = await openFiles({ kind: 'disk', folder }, folder);
  const sizes = [1, 0, 262_143, 262_144, 1, 262_145, 900_000, 65_536, 3];
  const whole = randomBytes(sizes.reduce((sum, size) => sum + size));
  const upload = spool.receive();
  const piece = Buffer.alloc(900_000);
  let from = 0;
  for (const size of sizes) {
    whole.copy(piece, 0, from, from + size);
    await upload.write(piece.subarray(0, size));
    // The memory is the caller's again.
    piece.fill(0);
    from += size;
  }
  const received = await upload.finish();
  assert.ok((await readFile(received.path)).equals(whole));
  assert.equal(received.bytes, whole.length);
  assert.equal(received.hash, createHash('sha256').update(whole).digest('hex'));
  await upload.release();
});

it('the spool removes what is old, and nothing that is being written', async (t) => {
  const folder = await temporaryFolder(t, 'ws01-files-');
  const { spool } = await openFiles({ kind: 'disk', folder }, folder);
  const upload = spool.receive();
  // More than is collected before it goes to the disk.
  await upload.write(Buffer.alloc(600_000));
  const old = join(folder, 'incoming', 'left-behind');
  await writeFile(old, 'old');
  await utimes(old, new Date(0), new Date(0));
  assert.equal(await spool.sweep(Date.now() - MINUTE_MS), 1);
  assert.equal((await readdir(join(folder, 'incoming'))).length, 1);
  await upload.release();
  assert.deepEqual(await readdir(join(folder, 'incoming')), []);
});

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { inspectImage } from '../../../src/domain/images/judging/inspect.ts';
import { TEST_BINDINGS } from '../../kit/bindings.ts';
import { gif, jpegSegment } from '../../kit/images/containers.ts';
import { startService, TOKEN } from '../../kit/service.ts';

const BOUNDS = { pixels: 1_000_000, frames: 1_000, decodeBytes: 100_000_000 };

/** A comment whose sub-blocks have a byte each. */
function commentOf(blocks: number): Buffer {
  return Buffer.concat([Buffer.from([0x21, 0xfe]), Buffer.alloc(2 * blocks, Buffer.from([1, 0x41])), Buffer.from([0])]);
}

it('a GIF of a hundred thousand one-byte blocks is read as one of a few', async (t) => {
  const { url } = await startService(t);
  for (const blocks of [10, 100_000]) {
    const file = gif({ before: commentOf(blocks) });
    const image = { verifyCode: TOKEN, FileGuid: `blocks-${blocks}`, FileImg: file.toString('base64') };
    assert.equal((await TEST_BINDINGS[0]!.call(url, 'InsertArticleImageFile', image)).result, 'true');
  }
});

it('what is hidden in one-byte blocks is found', async (t) => {
  const { url } = await startService(t);
  const script = [...Buffer.from('<script>')].flatMap((byte) => [1, byte]);
  const before = Buffer.concat([Buffer.from([0x21, 0xfe]), Buffer.from(script), Buffer.from([0])]);
  const image = { verifyCode: TOKEN, FileGuid: 'hidden', FileImg: gif({ before }).toString('base64') };
  const answer = await TEST_BINDINGS[0]!.call(url, 'InsertArticleImageFile', image);
  assert.deepEqual([answer.result, answer.headers['x-error-code']], ['false', 'ImageTypeRefused']);
});

it('others go on while a file of many parts is walked through', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-parts-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'image');
  // Each is three parts for the reader.
  const parts = 30_000;
  await writeFile(path, gif({ before: Buffer.concat(Array.from({ length: parts }, () => commentOf(0))) }));
  let turns = 0;
  let walking = true;
  const count = () => {
    turns++;
    if (walking) setImmediate(count);
  };
  setImmediate(count);
  await inspectImage(path, BOUNDS);
  walking = false;
  assert.ok(turns >= parts / 1_000, `${turns} turns`);
});

it('a JPEG has a hundred scans at most, and a file a part in 64 bytes beside the first hundred thousand', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-parts-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'image');
  const inspect = async (file: Buffer) => {
    await writeFile(path, file);
    return inspectImage(path, BOUNDS);
  };
  const frame = jpegSegment(0xc0, Buffer.from([8, 0, 1, 0, 1, 1, 1, 0x11, 0]));
  const scan = jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0]));
  const jpeg = (scans: number) =>
    Buffer.concat([Buffer.from([0xff, 0xd8]), frame, ...Array<Buffer>(scans).fill(scan), Buffer.from([0xff, 0xd9])]);
  assert.equal((await inspect(jpeg(100))).format, 'jpeg');
  await assert.rejects(inspect(jpeg(101)), { code: 'ImageUnreadable', message: 'The JPEG has more than 100 scans.' });

  assert.equal((await inspect(gif({ before: commentOf(99_000) }))).format, 'gif');
  const many = gif({ before: commentOf(110_000) });
  await assert.rejects(inspect(many), { code: 'ImageUnreadable', message: 'The file is in too many parts.' });
});

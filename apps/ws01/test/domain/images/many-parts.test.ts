import assert from 'node:assert/strict';
import { type FileHandle, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { temporaryFolder } from '../../../../../packages/asmx/test/kit/folder.ts';
import { ByteReader } from '../../../src/domain/images/validation/byte-reader.ts';
import { inspectGif } from '../../../src/domain/images/validation/formats/gif.ts';
import { inspectHeif } from '../../../src/domain/images/validation/formats/heif.ts';
import { inspectJpeg } from '../../../src/domain/images/validation/formats/jpeg.ts';
import { inspectPng } from '../../../src/domain/images/validation/formats/png.ts';
import { inspectWebp } from '../../../src/domain/images/validation/formats/webp.ts';
import { inspectImage } from '../../../src/domain/images/validation/inspect.ts';
import {
  blackPng,
  box,
  gif,
  jpegSegment,
  pngChunk,
  riff,
  riffChunk,
  webpCanvas,
} from '../../kit/images/containers.ts';
import { assertPictureRefused, upload } from '../../kit/images/upload.ts';
import { serviceForSuite } from '../../kit/service.ts';

const BOUNDS = { pixels: 1_000_000, frames: 1_000, decodeBytes: 100_000_000 };

/** A comment whose sub-blocks have a byte each. */
function commentOf(blocks: number): Buffer {
  return Buffer.concat([
    Buffer.from([0x21, 0xfe]),
    Buffer.alloc(2 * blocks, Buffer.from([1, 0x41])),
    Buffer.from([0]),
  ]);
}

describe('blocks of one byte', () => {
  const service = serviceForSuite();

  it('a GIF of a hundred thousand one-byte blocks is read as one of a few', async () => {
    const { url } = service;
    for (const blocks of [10, 100_000]) await upload(url, gif({ before: commentOf(blocks) }));
  });

  it('what is hidden in one-byte blocks is found', async () => {
    const { url } = service;
    const script = [...Buffer.from('<script>')].flatMap((byte) => [1, byte]);
    const before = Buffer.concat([
      Buffer.from([0x21, 0xfe]),
      Buffer.from(script),
      Buffer.from([0]),
    ]);
    await assertPictureRefused(url, gif({ before }), 'ImageTypeRefused');
  });
});

/** A file in memory: reading it gives nobody else a turn. */
function fileOf(bytes: Buffer): Pick<FileHandle, 'read'> {
  const read = async (into: Buffer, offset: number, length: number, position: number) => ({
    bytesRead: bytes.copy(into, offset, position, position + length),
  });
  return { read: read as unknown as FileHandle['read'] };
}

async function turnsDuring(walk: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let walking = true;
  const count = () => {
    turns++;
    if (walking) setImmediate(count);
  };
  setImmediate(count);
  await walk();
  walking = false;
  return turns;
}

const SOI = Buffer.from([0xff, 0xd8]);
const EOI = Buffer.from([0xff, 0xd9]);
const FRAME = jpegSegment(0xc0, Buffer.from([8, 0, 1, 0, 1, 1, 1, 0x11, 0]));
const SCAN = jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0]));
const NOTHING = Buffer.alloc(0);

/** Files with something of no content as often as asked for, and of how many parts that is for the reader. */
const DENSE = [
  {
    name: 'segments of a JPEG',
    parts: 3,
    inspect: inspectJpeg,
    file: (times: number) =>
      Buffer.concat([SOI, repeated(jpegSegment(0xe2, NOTHING), times), FRAME, SCAN, EOI]),
  },
  {
    name: 'chunks of a PNG',
    parts: 1,
    inspect: inspectPng,
    file: (times: number) => blackPng(2, 2, repeated(pngChunk('teXt'), times)),
  },
  {
    name: 'extensions of a GIF',
    parts: 3,
    inspect: (reader: ByteReader) => inspectGif(reader, BOUNDS.frames),
    file: (times: number) => gif({ before: repeated(commentOf(0), times) }),
  },
  {
    // Of four parts, so that a thousandth one is always a sub-block.
    name: 'extensions with a sub-block',
    parts: 4,
    inspect: (reader: ByteReader) => inspectGif(reader, BOUNDS.frames),
    file: (times: number) => gif({ before: repeated(commentOf(1), times) }),
  },
  {
    name: 'sub-blocks of a GIF',
    parts: 1,
    inspect: (reader: ByteReader) => inspectGif(reader, BOUNDS.frames),
    file: (times: number) => gif({ before: commentOf(times) }),
  },
  {
    name: 'chunks of a WebP',
    parts: 1,
    inspect: (reader: ByteReader) => inspectWebp(reader, BOUNDS.frames),
    file: (times: number) =>
      riff(
        'WEBP',
        webpCanvas(1, 1),
        repeated(riffChunk('EXIF', NOTHING), times),
        riffChunk('ANMF', Buffer.alloc(24)),
      ),
  },
  {
    name: 'boxes of an AVIF',
    parts: 1,
    inspect: inspectHeif,
    file: (times: number) => {
      const size = Buffer.alloc(12);
      size.writeUInt32BE(1, 4);
      size.writeUInt32BE(1, 8);
      const meta = box('meta', Buffer.alloc(4), box('iprp', box('ipco', box('ispe', size))));
      const brands = box('ftyp', Buffer.from('avif\0\0\0\0avif'));
      return Buffer.concat([brands, repeated(box('free'), times), meta, box('mdat')]);
    },
  },
];

function repeated(bytes: Buffer, times: number): Buffer {
  return Buffer.alloc(bytes.length * times, bytes);
}

for (const { name, parts, inspect, file } of DENSE) {
  it(`others go on after a thousand parts: ${name}, n, 2n and 4n`, async () => {
    for (const times of [6_000, 12_000, 24_000]) {
      const bytes = file(times);
      const turns = await turnsDuring(() => inspect(new ByteReader(fileOf(bytes), bytes.length)));
      // A turn that falls due at the end of a part is given at the next one.
      const least = Math.floor((parts * times) / 1_010);
      const most = (parts * times) / 1_000 + 5;
      assert.ok(turns >= least && turns <= most, `${turns} turns of ${least} to ${most}`);
    }
  });
}

it('fill bytes before a marker of a JPEG are passed over in one go, however many', async (t) => {
  const path = await scratchFile(t);
  await writeFile(path, Buffer.concat([SOI, Buffer.alloc(1_000_000, 0xff), FRAME, SCAN, EOI]));
  assert.equal((await inspectImage(path, BOUNDS)).format, 'jpeg');
});

it('frames are counted up to the first one too many', async (t) => {
  const path = await scratchFile(t);
  const refusal = {
    code: 'ImageTooLarge',
    message: 'The image has 1001 frames or more; at most 1000 frames are accepted.',
  };
  const chunk = riffChunk('ANMF', Buffer.alloc(24));
  for (const file of [
    gif({ frames: 60_000 }),
    riff('WEBP', webpCanvas(1, 1), repeated(chunk, 60_000)),
  ]) {
    await writeFile(path, file);
    await assert.rejects(inspectImage(path, BOUNDS), refusal);
  }
});

async function scratchFile(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t, 'ws01-parts-');
  return join(folder, 'image');
}

it('a JPEG has a hundred scans at most, and a file a part in 256 bytes beside the first hundred thousand', async (t) => {
  const path = await scratchFile(t);
  const inspect = async (file: Buffer) => {
    await writeFile(path, file);
    return inspectImage(path, BOUNDS);
  };
  const jpeg = (scans: number) => Buffer.concat([SOI, FRAME, repeated(SCAN, scans), EOI]);
  assert.equal((await inspect(jpeg(100))).format, 'jpeg');
  await assert.rejects(inspect(jpeg(101)), {
    code: 'ImageUnreadable',
    message: 'The JPEG has more than 100 scans.',
  });

  assert.equal((await inspect(gif({ before: commentOf(99_000) }))).format, 'gif');
  const many = gif({ before: commentOf(110_000) });
  await assert.rejects(inspect(many), {
    code: 'ImageUnreadable',
    message: 'The file is in too many parts.',
  });
});

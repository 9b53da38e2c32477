import { crc32, deflateSync } from 'node:zlib';

/** A PNG from chunks, each with its right checksum. */
export function png(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

export function pngChunk(type: string, content: Uint8Array = new Uint8Array(0)): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)]);
}

/** The header chunk: by default grey, one bit a pixel, so that rows are short. */
export function pngHeader(
  width: number,
  height: number,
  bitDepth = 1,
  colour = 0,
  interlaced = false,
): Buffer {
  const header = Buffer.alloc(13);
  header[12] = interlaced ? 1 : 0;
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = bitDepth;
  header[9] = colour;
  return pngChunk('IHDR', header);
}

/** A whole PNG of black pixels, as small as zlib makes it. */
export function blackPng(width: number, height: number, ...before: readonly Buffer[]): Buffer {
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height);
  return png(
    pngHeader(width, height),
    ...before,
    pngChunk('IDAT', deflateSync(rows, { level: 9 })),
    pngChunk('IEND'),
  );
}

/** A picture that no other key has. */
export function pictureOf(key: string, side = 8): Buffer {
  return blackPng(side, side, pngChunk('tEXt', Buffer.from(`Key\0${key}`)));
}

/** Where the seven passes of an interlaced PNG begin, and their steps (PNG specification, 8.2). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** A whole interlaced PNG of black pixels: of 8 bits a channel, red, green and blue. */
export function interlacedPng(width: number, height: number): Buffer {
  const passes = PASSES.map(([x, y, acrossStep, downStep]) => {
    const across = Math.ceil((width - x) / acrossStep);
    const down = Math.ceil((height - y) / downStep);
    return across > 0 && down > 0 ? (across * 3 + 1) * down : 0;
  });
  const bytes = Buffer.alloc(passes.reduce((sum, length) => sum + length, 0));
  const pixels = deflateSync(bytes, { level: 1 });
  return png(pngHeader(width, height, 8, 2, true), pngChunk('IDAT', pixels), pngChunk('IEND'));
}

/** A GIF of one-pixel frames on a screen. */
export function gif({
  width = 1,
  height = 1,
  frames = 1,
  frame = gifFrame(1, 1),
  before = Buffer.alloc(0),
}: {
  width?: number;
  height?: number;
  frames?: number;
  frame?: Buffer;
  /** What stands before the first frame. */
  before?: Buffer;
}): Buffer {
  const screen = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  return Buffer.concat([
    screen,
    before,
    ...Array.from({ length: frames }, () => frame),
    Buffer.from(';'),
  ]);
}

/** A frame whose data are those of one pixel, whatever its size says. */
export function gifFrame(width: number, height: number): Buffer {
  const frame = Buffer.from(',\0\0\0\0\0\0\0\0\0\x02\x02\x44\x01\0', 'latin1');
  frame.writeUInt16LE(width, 5);
  frame.writeUInt16LE(height, 7);
  return frame;
}

export function gifComment(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x21, 0xfe, bytes.length]), bytes, Buffer.from([0])]);
}

/** A segment of a JPEG with its length. */
export function jpegSegment(marker: number, content: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** A JPEG with a segment put right behind its beginning. */
export function withJpegSegment(jpeg: Buffer, marker: number, content: string): Buffer {
  return Buffer.concat([
    jpeg.subarray(0, 2),
    jpegSegment(marker, Buffer.from(content)),
    jpeg.subarray(2),
  ]);
}

/** A JPEG, baseline or progressive, whose frame header says another size. */
export function withJpegSize(jpeg: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(jpeg);
  const baseline = changed.indexOf(Buffer.from([0xff, 0xc0]));
  const frame = baseline < 0 ? changed.indexOf(Buffer.from([0xff, 0xc2])) : baseline;
  changed.writeUInt16BE(height, frame + 5);
  changed.writeUInt16BE(width, frame + 7);
  return changed;
}

export function riff(type: string, ...chunks: readonly Buffer[]): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), ...chunks]);
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

export function riffChunk(type: string, content: Uint8Array): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

/** The extended header of a WebP. */
export function webpCanvas(width: number, height: number, flags = 0): Buffer {
  const content = Buffer.alloc(10);
  content[0] = flags;
  content.writeUIntLE(width - 1, 4, 3);
  content.writeUIntLE(height - 1, 7, 3);
  return riffChunk('VP8X', content);
}

/** A box of the ISO container of AVIF, HEIC and videos. */
export function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const head = Buffer.from(`\0\0\0\0${type}`, 'latin1');
  const whole = Buffer.concat([head, ...content]);
  whole.writeUInt32BE(whole.length, 0);
  return whole;
}

/** An AVIF that says of itself to have another size than its pixels have. */
export function withAvifSize(avif: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(avif);
  for (let at = changed.indexOf('ispe'); at >= 0; at = changed.indexOf('ispe', at + 4)) {
    changed.writeUInt32BE(width, at + 8);
    changed.writeUInt32BE(height, at + 12);
  }
  return changed;
}

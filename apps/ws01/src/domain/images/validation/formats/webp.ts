import type { ByteReader } from '../byte-reader.ts';
import { assertFrames, unreadable } from '../refusal.ts';
import type { Inspection } from './inspection.ts';

const RIFF_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;

/**
 * Memory per pixel, of a still image for decoding, and of each frame of an animation for encoding
 * it again; bytes.
 */
const PIXEL_BYTES = { opaque: 8.7, alpha: 9.9 };
const ANIMATED_PIXEL_BYTES = 3.6;

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Walks the chunks of the RIFF container (RFC 9649, 2).
 * @throws {ImageRefusal}
 */
export async function inspectWebp(reader: ByteReader, mostFrames: number): Promise<Inspection> {
  const riff = await reader.take(RIFF_BYTES);
  const end = Math.min(riff.readUInt32LE(4) + 8, reader.size + 1);
  let canvas: Size | undefined;
  let still: Size | undefined;
  let frames = 0;
  let alpha = false;
  while (reader.position + CHUNK_HEAD_BYTES <= end) {
    const head = await reader.take(CHUNK_HEAD_BYTES);
    const type = head.toString('latin1', 0, 4);
    const length = head.readUInt32LE(4);
    const begin = reader.position;
    if (type === 'VP8X') canvas = canvasOf(await reader.take(Math.min(length, 10)));
    else if (type === 'VP8 ') still = lossySize(await reader.peek(Math.min(length, 10)));
    else if (type === 'VP8L') still = losslessSize(await reader.peek(Math.min(length, 5)));
    else if (type === 'ANMF') assertFrames(++frames, mostFrames);
    alpha ||= type === 'ALPH' || type === 'VP8L';
    const left = begin + length + (length % 2) - reader.position;
    // Many encoders leave out the last chunk's padding.
    const missing = left - reader.remaining;
    const passed = missing === 1 && length % 2 === 1 ? left - 1 : left;
    await (type === 'VP8 ' || type === 'VP8L' || type === 'ANMF' || type === 'ALPH'
      ? reader.skipPixels(passed)
      : reader.skip(passed));
  }
  if (reader.position + 1 < end) throw unreadable('The WebP ends early.');
  const size = canvas ?? still;
  if (size === undefined || (still === undefined && frames === 0))
    throw unreadable('The WebP has no pixels.');
  const pixels = size.width * size.height;
  const decodeBytes =
    frames > 1
      ? pixels * (16 + ANIMATED_PIXEL_BYTES * frames)
      : pixels * PIXEL_BYTES[alpha ? 'alpha' : 'opaque'];
  return { ...size, frames: Math.max(frames, 1), decodeBytes };
}

function canvasOf(chunk: Buffer): Size {
  if (chunk.length < 10) throw unreadable('The header of the WebP is cut off.');
  return { width: chunk.readUIntLE(4, 3) + 1, height: chunk.readUIntLE(7, 3) + 1 };
}

function lossySize(chunk: Buffer): Size {
  if (chunk.length < 10 || chunk.readUIntBE(3, 3) !== 0x9d012a)
    throw unreadable('The frame of the WebP is cut off.');
  return { width: chunk.readUInt16LE(6) & 0x3fff, height: chunk.readUInt16LE(8) & 0x3fff };
}

function losslessSize(chunk: Buffer): Size {
  if (chunk.length < 5 || chunk[0] !== 0x2f) throw unreadable('The frame of the WebP is cut off.');
  const bits = chunk.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

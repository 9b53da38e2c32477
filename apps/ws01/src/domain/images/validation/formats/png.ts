import { crc32 } from 'node:zlib';
import type { ByteReader } from '../byte-reader.ts';
import { unreadable } from '../refusal.ts';
import { iconWorkBytes } from './icon-work.ts';
import type { Inspection } from './inspection.ts';

const SIGNATURE_BYTES = 8;
const CRC_BYTES = 4;
/** Of a chunk without content. */
const CHUNK_BYTES = 12;

/**
 * Maximum size of an ancillary chunk, compressed; bytes. Colour profiles and camera metadata are
 * far smaller.
 */
const MAX_ANCILLARY_BYTES = 4 * 1024 * 1024;

/**
 * The most rows in memory during row-by-row work, as they were read and as they will be written.
 */
const READ_ROWS = 512;
const WRITTEN_ROWS = 272;

/**
 * Samples per pixel by colour type (PNG specification, 11.2.1), without alpha; a palette becomes
 * RGB.
 */
const COLOURS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 3, 4: 1, 6: 3 };

/**
 * Walks the chunks up to IEND (PNG specification, 5), which may be missing.
 * @throws {ImageRefusal}
 */
export async function inspectPng(reader: ByteReader): Promise<Inspection> {
  await reader.take(SIGNATURE_BYTES);
  let header: Buffer | undefined;
  let pixels = false;
  let transparent = false;
  // A file without IEND, or without all of it, has its pixels all the same.
  while (!pixels || reader.remaining >= CHUNK_BYTES) {
    const head = await reader.take(8);
    const length = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    if ((header === undefined) !== (type === 'IHDR'))
      throw unreadable('The PNG does not begin with its one header.');
    if (type === 'IHDR') {
      if (length !== 13) throw unreadable('The header of the PNG has another length than 13.');
      header = Buffer.from(await reader.take(13));
      const checksum = (await reader.peek(CRC_BYTES)).readUInt32BE(0);
      if (crc32(header, crc32('IHDR')) !== checksum)
        throw unreadable('The header of the PNG has another checksum.');
    } else if (type === 'IDAT' || type === 'fdAT') {
      pixels ||= type === 'IDAT';
      await reader.skipPixels(length);
    } else {
      // What is cut off behind the pixels is no part of the picture.
      if (pixels && length + CRC_BYTES > reader.remaining) break;
      transparent ||= type === 'tRNS';
      if (length > MAX_ANCILLARY_BYTES)
        throw unreadable('A chunk of the PNG beside its pixels is too long.');
      await reader.skip(length);
    }
    await reader.skipPixels(CRC_BYTES);
    if (type === 'IEND') break;
  }
  if (header === undefined || !pixels) throw unreadable('The PNG has no pixels.');
  // Decoders show one frame of an animated PNG.
  return { ...sizeOf(header, transparent), frames: 1 };
}

function sizeOf(header: Buffer, transparent: boolean): Omit<Inspection, 'frames'> {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, type, interlacing] = [header[8]!, header[9]!, header[12]!];
  const hasAlpha = transparent || type === 4 || type === 6;
  const pixelBytes = ((COLOURS[type] ?? 3) + (hasAlpha ? 1 : 0)) * (depth === 16 ? 2 : 1);
  // An interlaced image must be read to its end.
  const read = pixelBytes * (interlacing === 0 ? Math.min(height, READ_ROWS) : height);
  // Grey is written as colours.
  const written = (hasAlpha ? 4 : 3) * (Math.min(height, WRITTEN_ROWS) + 16);
  const decodeBytes = Math.max(
    width * (read + written) * 1.05,
    iconWorkBytes({ width, height }, hasAlpha),
  );
  return { width, height, decodeBytes };
}

import type { ByteReader } from '../byte-reader.ts';
import { unreadable } from '../refusal.ts';
import type { Inspection } from './inspection.ts';

const SIGNATURE_BYTES = 8;
const CRC_BYTES = 4;

/** Maximum size of an ancillary chunk, compressed; bytes. Colour profiles and camera metadata are far smaller. */
const MAX_ANCILLARY_BYTES = 4 * 1024 * 1024;

/** Number of rows in memory during row-by-row work. */
const HELD_ROWS = 1_024;

/** Samples per pixel by colour type (PNG specification, 11.2.1); a palette becomes RGB or RGBA. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 4, 4: 2, 6: 4 };

/**
 * Walks the chunks up to IEND (PNG specification, 5).
 * @throws {ImageRefusal}
 */
export async function inspectPng(reader: ByteReader): Promise<Inspection> {
  await reader.take(SIGNATURE_BYTES);
  let size: Omit<Inspection, 'frames'> | undefined;
  let pixels = false;
  for (;;) {
    const head = await reader.take(8);
    const length = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    if ((size === undefined) !== (type === 'IHDR')) throw unreadable('The PNG does not begin with its one header.');
    if (type === 'IHDR') {
      if (length !== 13) throw unreadable('The header of the PNG has another length than 13.');
      size = sizeOf(await reader.take(13));
    } else if (type === 'IDAT' || type === 'fdAT') {
      pixels ||= type === 'IDAT';
      await reader.skipPixels(length);
    } else {
      if (length > MAX_ANCILLARY_BYTES) throw unreadable(`The chunk ${JSON.stringify(type)} of the PNG is too long.`);
      await reader.skip(length);
    }
    await reader.skipPixels(CRC_BYTES);
    if (type === 'IEND') break;
  }
  if (size === undefined || !pixels) throw unreadable('The PNG has no pixels.');
  // Decoders show one frame of an animated PNG.
  return { ...size, frames: 1 };
}

function sizeOf(header: Buffer): Omit<Inspection, 'frames'> {
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const interlaced = header[12] !== 0;
  const pixelBytes = (SAMPLES[header[9]!] ?? 4) * (header[8] === 16 ? 2 : 1);
  // An interlaced image must be read to its end.
  const rows = interlaced ? height : Math.min(height, HELD_ROWS);
  return { width, height, decodeBytes: width * rows * pixelBytes * 1.05 };
}

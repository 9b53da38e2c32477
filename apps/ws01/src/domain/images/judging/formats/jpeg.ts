import type { ByteReader } from '../byte-reader.ts';
import { unreadable } from '../refusal.ts';
import type { Inspection } from './inspection.ts';

/** Markers (ISO/IEC 10918-1, table B.1). */
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const TEM = 0x01;

/** A frame header: SOF0 to SOF15 without the three markers among them that are others. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

/** Walks from segment to segment up to the end of the image (ISO/IEC 10918-1, annex B). @throws {ImageRefusal} */
export async function inspectJpeg(reader: ByteReader): Promise<Inspection> {
  await reader.take(2);
  let size: { width: number; height: number } | undefined;
  let scans = 0;
  for (;;) {
    const marker = await nextMarker(reader);
    if (marker === EOI) break;
    if (marker === SOI) throw unreadable('The JPEG begins a second time.');
    if (marker === TEM || isRestart(marker)) continue;
    const length = (await reader.take(2)).readUInt16BE(0) - 2;
    if (length < 0) throw unreadable('A segment of the JPEG has no length.');
    if (isFrameHeader(marker)) {
      if (size !== undefined) throw unreadable('The JPEG has two frame headers.');
      size = sizeOf(await reader.take(length));
    } else await reader.skip(length);
    if (marker === SOS) {
      scans++;
      await reader.skipPixelsToMarker(endsScan);
    }
  }
  if (size === undefined || scans === 0) throw unreadable('The JPEG has no pixels.');
  return { ...size, frames: 1 };
}

function sizeOf(header: Buffer): { width: number; height: number } {
  if (header.length < 6) throw unreadable('The frame header of the JPEG is cut off.');
  return { height: header.readUInt16BE(1), width: header.readUInt16BE(3) };
}

/** Any number of 0xFF may stand before a marker's code, nothing else. */
async function nextMarker(reader: ByteReader): Promise<number> {
  if ((await reader.take(1))[0] !== 0xff) throw unreadable('The JPEG has something between its segments.');
  let code = 0xff;
  while (code === 0xff) code = (await reader.take(1))[0]!;
  return code;
}

/** Whether what follows 0xFF ends the entropy-coded data: not a stuffed zero, a fill byte or a restart. */
function endsScan(next: number): boolean {
  return next !== 0 && next !== 0xff && !isRestart(next);
}

import { heldRows } from '../../../../adapters/images/memory.ts';
import type { ByteReader } from '../byte-reader.ts';
import { unreadable } from '../refusal.ts';
import type { Inspection } from './inspection.ts';

/** Markers (ISO/IEC 10918-1, table B.1). */
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const TEM = 0x01;
const END = '\xff\xd9';

/** Far above what any encoder writes; each scan covers the whole image. */
const MAX_SCANS = 100;

/** The most rows in memory during row-by-row work. */
const HELD_ROWS = 1_024;

/** Memory per coefficient of a progressive image, which is held from the first to the last scan. */
const COEFFICIENT_BYTES = 2.05;

/**
 * Whether a marker is a frame header: SOF0 to SOF15 without the three other markers in that range.
 */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

/**
 * Walks the segments up to the end of the image (ISO/IEC 10918-1, annex B). What stands between
 * segments is skipped, and the mark of the end may be missing, as in every browser: cameras write
 * such files.
 * @throws {ImageRefusal}
 */
export async function inspectJpeg(reader: ByteReader): Promise<Inspection> {
  await reader.take(2);
  let frame: FrameHeader | undefined;
  let scans = 0;
  let whole = false;
  let ending: Inspection['ending'];
  for (;;) {
    if (!(await reader.skipToMarker(isMarker))) {
      ending = { at: reader.position, mark: END };
      break;
    }
    const marker = (await reader.take(2))[1]!;
    if (marker === EOI) break;
    if (marker === SOI) throw unreadable('The JPEG begins a second time.');
    if (marker === TEM || isRestart(marker)) continue;
    // Decoders read past a segment that has not even its length.
    const length = Math.max(0, (await reader.take(2)).readUInt16BE(0) - 2);
    if (isFrameHeader(marker)) {
      if (frame !== undefined) throw unreadable('The JPEG has two frame headers.');
      frame = frameOf(await reader.take(length));
      whole = isProgressive(marker);
    } else if (marker === SOS && length > 0) {
      const components = (await reader.take(length))[0]!;
      whole ||= components < (frame?.components ?? 0);
    } else await reader.skip(length);
    if (marker === SOS) {
      if (++scans > MAX_SCANS) throw unreadable(`The JPEG has more than ${MAX_SCANS} scans.`);
      // Without a marker behind it, the next look finds none either.
      await reader.skipPixelsToMarker(endsScan);
    }
  }
  if (frame === undefined || scans === 0) throw unreadable('The JPEG has no pixels.');
  const { width, height, samples } = frame;
  const rows = width * heldRows(height, HELD_ROWS) * 3;
  return {
    width,
    height,
    frames: 1,
    decodeBytes: rows + (whole ? samples * COEFFICIENT_BYTES : 0),
    ...(ending !== undefined && { ending }),
  };
}

/** The frame header (ISO/IEC 10918-1, B.2.2). */
interface FrameHeader {
  readonly width: number;
  readonly height: number;
  readonly components: number;
  /** Of all components together. */
  readonly samples: number;
}

function frameOf(header: Buffer): FrameHeader {
  const components = header[5] ?? 0;
  if (header.length < 6 + 3 * components)
    throw unreadable('The frame header of the JPEG is cut off.');
  const height = header.readUInt16BE(1);
  const width = header.readUInt16BE(3);
  const sampling = Array.from({ length: components }, (_, index) => header[7 + 3 * index]!);
  const across = Math.max(1, ...sampling.map((factors) => factors >> 4));
  const down = Math.max(1, ...sampling.map((factors) => factors & 15));
  const share =
    sampling.reduce((sum, factors) => sum + (factors >> 4) * (factors & 15), 0) / (across * down);
  return { width, height, components, samples: width * height * share };
}

/** Whether the frame is progressive, with several scans of all pixels: SOF2, SOF6, SOF10, SOF14. */
function isProgressive(marker: number): boolean {
  return (marker & 0x03) === 2;
}

/** Whether the byte after 0xFF is the code of a marker: not a stuffed zero, nor a fill byte. */
function isMarker(next: number): boolean {
  return next !== 0 && next !== 0xff;
}

/** Whether the byte after 0xFF ends the entropy-coded data. */
function endsScan(next: number): boolean {
  return isMarker(next) && !isRestart(next);
}

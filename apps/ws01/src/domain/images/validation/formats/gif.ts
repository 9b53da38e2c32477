import { wideRowBytes } from '../../../../adapters/images/memory.ts';
import type { ByteReader } from '../byte-reader.ts';
import { assertFrames, unreadable } from '../refusal.ts';
import { iconWorkBytes } from './icon-work.ts';
import type { Inspection } from './inspection.ts';

const TRAILER = 0x3b;
const EXTENSION = 0x21;
const IMAGE = 0x2c;

/**
 * Walks the blocks up to the trailer (GIF89a specification, 17 to 27), which may be missing. A
 * block that is none ends the picture, too: what begins with it is left out.
 * @throws {ImageRefusal}
 */
export async function inspectGif(reader: ByteReader, mostFrames: number): Promise<Inspection> {
  const header = await reader.take(13);
  let width = header.readUInt16LE(6);
  let height = header.readUInt16LE(8);
  let frames = 0;
  await reader.skip(colourTableBytes(header[10]!));
  let end = reader.position;
  let isEnded = false;
  while (!isEnded && reader.remaining > 0) {
    const introducer = (await reader.take(1))[0]!;
    if (introducer === IMAGE) {
      const image = await reader.take(9);
      // A frame may exceed the screen, which is then counted as large as the frame.
      width = Math.max(width, image.readUInt16LE(0) + image.readUInt16LE(4));
      height = Math.max(height, image.readUInt16LE(2) + image.readUInt16LE(6));
      assertFrames(++frames, mostFrames);
      await reader.skip(colourTableBytes(image[8]!));
      await reader.take(1);
      if (!(await reader.skipSubBlocks(false)))
        throw unreadable('The GIF is cut off in its pixels.');
    } else if (introducer === EXTENSION) {
      await reader.take(1);
      await reader.skipSubBlocks(true);
    } else if (introducer === TRAILER) isEnded = true;
    else break;
    end = reader.position;
  }
  if (frames === 0) throw unreadable('The GIF has no pixels.');
  // The screen; for an animation also the previous state and the output of each frame.
  const pixelBytes = frames === 1 ? 4.6 : 12 + frames;
  const size = { width, height };
  const decoding = width * height * pixelBytes + wideRowBytes(size);
  const decodeBytes = Math.max(decoding, iconWorkBytes(size, true));
  return { ...size, frames, decodeBytes, ...(!isEnded && { ending: { at: end, mark: ';' } }) };
}

/** Returns the size of a colour table: three bytes per colour, 2^(n+1) colours. */
function colourTableBytes(packed: number): number {
  return (packed & 0x80) === 0 ? 0 : 3 << ((packed & 0x07) + 1);
}

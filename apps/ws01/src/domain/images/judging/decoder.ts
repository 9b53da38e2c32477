import { availableParallelism } from 'node:os';
import type sharp from 'sharp';
import type { Sharp } from 'sharp';
import { Ws01Error } from '../../../contract/errors.ts';
import { createWorkQueue } from './work-queue.ts';

type Decoder = typeof sharp;

/**
 * The library with its native part, loaded with the first image: it takes 20 MB, and most calls have no image. Whether
 * it can be loaded is tried at start, in another process.
 */
export function loadDecoder(): Promise<Decoder> {
  loading ??= load();
  return loading;
}

let loading: Promise<Decoder> | undefined;

async function load(): Promise<Decoder> {
  const { default: decoder } = await import('sharp').catch((cause: unknown) => {
    throw new Ws01Error('Internal', 'The server cannot work on images.', { cause });
  });
  // Images are worked on one a thread, several at once; nothing of them is kept.
  decoder.concurrency(1);
  decoder.cache(false);
  // Nothing but the decoders of the accepted formats can be reached, whatever a file pretends to be.
  decoder.block({ operation: ['VipsForeignLoad'] });
  decoder.unblock({
    operation: [
      'VipsForeignLoadJpegFile',
      'VipsForeignLoadPngFile',
      'VipsForeignLoadNsgifFile',
      'VipsForeignLoadWebpFile',
      'VipsForeignLoadHeifFile',
    ],
  });
  return decoder;
}

/** How long one image may take to be decoded, or decoded and encoded; s. */
const TIMEOUT_S = 60;

/** Works that wait for a decoder at most; each holds a file on the disk and little memory. */
const MOST_WAITING = 1_000;

const queue = createWorkQueue(Math.max(1, Math.min(4, availableParallelism() - 1)), MOST_WAITING);

interface DecoderOptions {
  /** Width × height × frames at most. */
  readonly pixels: number;
  /** All frames one below the other, instead of the first alone. */
  readonly animated: boolean;
}

/**
 * Opens an image for the decoder and runs work on it, off the event loop, a bounded number at once over the whole
 * process. Rows are read in order, so that a large image is never in memory as a whole.
 *
 * @throws {Ws01Error} `Busy`, `Internal` where the library cannot be loaded; and whatever sharp throws for what it
 *   cannot decode.
 */
export function decode<T>(
  path: string,
  { pixels, animated }: DecoderOptions,
  work: (image: Sharp) => Promise<T>,
): Promise<T> {
  return queue.run(async () => {
    const decoder = await loadDecoder();
    const image = decoder(path, { limitInputPixels: pixels, failOn: 'warning', sequentialRead: true, animated });
    return work(image.timeout({ seconds: TIMEOUT_S }));
  });
}

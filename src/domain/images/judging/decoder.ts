import { availableParallelism } from 'node:os';
import sharp, { type Sharp } from 'sharp';
import { createWorkQueue } from './work-queue.ts';

// Images are worked on one a thread, several at once; nothing of them is kept.
sharp.concurrency(1);
sharp.cache(false);
// Nothing but the decoders of the accepted formats can be reached, whatever a file pretends to be.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegFile',
    'VipsForeignLoadPngFile',
    'VipsForeignLoadNsgifFile',
    'VipsForeignLoadWebpFile',
    'VipsForeignLoadHeifFile',
  ],
});

/** How long one image may take to be decoded, or decoded and encoded; s. */
const TIMEOUT_S = 60;

/** Works that wait for a decoder at most; each holds a file on the disk and little memory. */
const MOST_WAITING = 1_000;

const queue = createWorkQueue(Math.max(1, Math.min(4, availableParallelism() - 1)), MOST_WAITING);

export interface DecoderOptions {
  /** Width × height × frames at most. */
  readonly pixels: number;
  /** All frames one below the other, instead of the first alone. */
  readonly animated: boolean;
}

/**
 * Opens an image for the decoder and runs work on it, off the event loop, a bounded number at once over the whole
 * process. Rows are read in order, so that a large image is never in memory as a whole.
 *
 * @throws {Ws01Error} `Busy`; and whatever sharp throws for what it cannot decode.
 */
export function decode<T>(
  path: string,
  { pixels, animated }: DecoderOptions,
  work: (image: Sharp) => Promise<T>,
): Promise<T> {
  return queue.run(() =>
    work(
      sharp(path, { limitInputPixels: pixels, failOn: 'warning', sequentialRead: true, animated }).timeout({
        seconds: TIMEOUT_S,
      }),
    ),
  );
}

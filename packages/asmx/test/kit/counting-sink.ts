import type { BinarySink } from '../../src/contract/binary.ts';

/** A sink that tells what became of it. */
export interface CountingSink extends BinarySink<Uint8Array> {
  readonly pieces: readonly Uint8Array[];
  finished: number;
  released: number;
  /** A write that was not waited for before the next call. */
  overlapped: boolean;
}

/** Makes sinks that are written to asynchronously, as a disk is, and keeps them for looking at. */
export function countingSinks(write: (written: number) => void | Promise<void> = () => nextTurn()) {
  const sinks: CountingSink[] = [];
  const createBinarySink = (): CountingSink => {
    const pieces: Uint8Array[] = [];
    let writing = false;
    const begin = () => {
      if (writing) sink.overlapped = true;
    };
    const sink: CountingSink = {
      pieces,
      finished: 0,
      released: 0,
      overlapped: false,
      async write(piece) {
        begin();
        writing = true;
        pieces.push(Buffer.from(piece));
        try {
          await write(pieces.length);
        } finally {
          writing = false;
        }
      },
      finish() {
        begin();
        sink.finished++;
        return Buffer.concat(pieces);
      },
      release() {
        begin();
        sink.released++;
      },
    };
    sinks.push(sink);
    return sink;
  };
  return { sinks, createBinarySink };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

import type { Readable } from 'node:stream';
import { filesUnavailable } from './errors.ts';
import type { FilePieces } from './file-store.ts';

/**
 * Makes pieces of a stream over the network, which breaks when its reader takes long for a piece:
 * then it is opened again from there. One that breaks before it has given anything is not.
 *
 * @param open opens it again, without so many bytes of its beginning.
 * @returns the pieces; each throws a `DependencyError` where the stream breaks.
 */
export function resumedPieces(
  first: Readable,
  open: (from: number) => Promise<Readable>,
): FilePieces {
  let stream = first;
  let isClosed = false;
  const read = async function* () {
    for (let at = 0; ; ) {
      const before = at;
      try {
        for await (const piece of stream as AsyncIterable<Buffer>) {
          at += piece.length;
          yield piece;
        }
        return;
      } catch (error) {
        if (isClosed || at === before) throw filesUnavailable(error);
      }
      stream = await open(at);
      if (isClosed) stream.destroy();
    }
  };
  const destroy = () => {
    isClosed = true;
    stream.destroy();
  };
  return { destroy, [Symbol.asyncIterator]: read };
}

import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { holdUnread } from './slow-readers.ts';

/** An answer up to this length is written at once; of a longer one each piece when the reader has taken the one before. */
export const PIECE_BYTES = 64 * 1024;

/** A body that is read while it is sent. */
export interface PiecewiseBody {
  /** All of its pieces together; bytes. */
  readonly length: number;
  /** Each is asked for when the one before has been sent, whose memory may be used for something else then. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * Writes a body that is in memory with backpressure, so that at most one piece waits in the socket.
 *
 * @param out the socket or a response of it; it is not ended.
 * @throws {Error} when it is closed before it has taken everything.
 */
export async function writeLong(out: Writable, socket: Socket, body: Uint8Array): Promise<void> {
  // Each piece is a part of the same memory, so that none of it is given back before the last one is taken.
  holdUnread(socket, body.length);
  try {
    for (let from = 0; from < body.length; from += PIECE_BYTES) {
      await write(out, body.subarray(from, from + PIECE_BYTES));
    }
  } finally {
    holdUnread(socket, 0);
  }
}

/**
 * Writes a body piece by piece.
 *
 * @param out the socket or a response of it; it is not ended.
 * @throws {Error} when it is closed before it has taken everything, when a piece cannot be read, or when the pieces are
 *   not as long as the body.
 */
export async function writePieces(out: Writable, { length, pieces }: PiecewiseBody): Promise<void> {
  let left = length;
  for await (const piece of pieces) {
    left -= piece.length;
    if (left < 0) break;
    await write(out, piece);
  }
  if (left !== 0) throw new Error('The body has another length than was said.');
}

/** Resolves when a piece has been taken. @throws {Error} when the client leaves before. */
function write(out: Writable, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      out.off('close', settle);
      if (out.destroyed) reject(new Error('The client left before it had read its answer.'));
      else resolve();
    };
    if (out.destroyed) return settle();
    out.on('close', settle);
    out.write(piece, settle);
  });
}

import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { holdUnread } from './slow-readers.ts';

/** An answer up to this length is written at once; of a longer one each piece when the reader has taken the one before. */
export const PIECE_BYTES = 64 * 1024;

/**
 * Writes a body with backpressure, so that at most one piece waits in the socket.
 *
 * @param out the socket or a response of it; it is not ended.
 * @throws {Error} when it is closed before it has taken everything.
 */
export async function writePieces(out: Writable, socket: Socket, body: Uint8Array): Promise<void> {
  // Each piece is a part of the same memory, so that none of it is given back before the last one is taken.
  holdUnread(socket, body.length);
  try {
    for (let from = 0; from < body.length; from += PIECE_BYTES) {
      if (!out.write(body.subarray(from, from + PIECE_BYTES))) await drained(out);
    }
  } finally {
    holdUnread(socket, 0);
  }
}

/** Resolves when everything that was written has been taken. @throws {Error} when it is closed before. */
function drained(out: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      out.off('drain', settle);
      out.off('close', settle);
      if (out.destroyed) reject(new Error('The client left before it had read its answer.'));
      else resolve();
    };
    if (out.destroyed) return settle();
    out.on('drain', settle);
    out.on('close', settle);
  });
}

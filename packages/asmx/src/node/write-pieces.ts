import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { WireResponse } from '../message/http.ts';
import { CROWDED, hasPlace, holdUnread } from './slow-readers.ts';

/**
 * An answer up to this length is written at once; of a longer one each piece when the reader has
 * taken the one before.
 */
export const PIECE_BYTES = 64 * 1024;

/** Gives a piece to the socket. @param taken is called when the socket has taken it. */
type Send = (piece: Uint8Array, taken: () => void) => unknown;

/** A body that is read while it is sent. */
export interface PiecewiseBody {
  /** All of its pieces together; bytes. */
  readonly length: number;
  /**
   * Each is asked for when the one before has been sent, whose memory may be used for something
   * else then.
   */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * Writes a body that is in memory with backpressure, so that at most one piece waits in the socket.
 *
 * @param out the socket or a response of it; it is not ended.
 * @param send writes to it; its own `write` by default.
 * @throws {Error} when it is closed before it has taken everything.
 */
export async function writeLong(
  out: Writable,
  socket: Socket,
  body: Uint8Array,
  send: Send = (piece, taken) => out.write(piece, taken),
): Promise<void> {
  // Each piece is a part of the same memory, so that none of it is given back before the last one
  // is taken.
  const release = holdBody(socket, body);
  try {
    for (let from = 0; from < body.length; from += PIECE_BYTES) {
      await write(out, body.subarray(from, from + PIECE_BYTES), send);
    }
  } finally {
    release();
  }
}

/** @returns the answer, or another one where it is long and may not begin ({@link hasPlace}). */
export function placed(socket: Socket, answer: WireResponse): WireResponse {
  const { body } = answer;
  return body.length <= PIECE_BYTES || hasPlaceFor(socket, body) ? answer : CROWDED;
}

/** As {@link hasPlace}; what somebody else is being given is there already. */
export function hasPlaceFor(socket: Socket, body: string | Uint8Array): boolean {
  if (typeof body === 'string') return hasPlace(socket, Buffer.byteLength(body));
  return readers.has(body.buffer) || hasPlace(socket, body.length);
}

/** Whose answers the same memory is, the one that it counts for first. */
const readers = new WeakMap<ArrayBufferLike, Socket[]>();

/**
 * Counts a body once, even if other answers share it.
 * @returns what to call when it is no longer needed here.
 */
function holdBody(socket: Socket, { buffer, length }: Uint8Array): () => void {
  const all = readers.get(buffer) ?? [];
  readers.set(buffer, all);
  if (all.push(socket) === 1) holdUnread(socket, length);
  return () => {
    const at = all.indexOf(socket);
    all.splice(at, 1);
    if (all.length === 0) readers.delete(buffer);
    if (at > 0) return;
    holdUnread(socket, 0);
    if (all[0] !== undefined) holdUnread(all[0], length);
  };
}

/**
 * Writes a body piece by piece.
 *
 * @param out the socket or a response of it; it is not ended.
 * @throws {Error} when it is closed before it has taken everything, when a piece cannot be read, or
 *   when the pieces are not as long as the body.
 */
export async function writePieces(out: Writable, { length, pieces }: PiecewiseBody): Promise<void> {
  let left = length;
  for await (const piece of pieces) {
    left -= piece.length;
    if (left < 0) break;
    await write(out, piece, (bytes, taken) => out.write(bytes, taken));
  }
  if (left !== 0) throw new Error('The body has another length than was said.');
}

/** Resolves when a piece has been taken. @throws {Error} when the client leaves before. */
function write(out: Writable, piece: Uint8Array, send: Send): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      out.off('close', settle);
      if (out.destroyed) reject(new Error('The client left before it had read its answer.'));
      else resolve();
    };
    if (out.destroyed) return settle();
    out.on('close', settle);
    send(piece, settle);
  });
}

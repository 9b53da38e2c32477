import type { Socket } from 'node:net';
import type { WireResponse } from '@ws01/asmx/internal/message/http';
import {
  PIECE_BYTES,
  type PiecewiseBody,
  writeLong,
  writePieces,
} from '@ws01/asmx/internal/node/write-pieces';
import { answerHead } from './answer-head.ts';

/** An answer whose body may be read while it is sent; that one is not compressed. */
export type FastAnswer =
  | WireResponse
  | (Omit<WireResponse, 'body'> & { readonly body: PiecewiseBody });

/** A longer body is written from where it is, behind the head; a shorter one is copied for less. Bytes. */
const COPIED_BYTES = 4 * 1024;

/**
 * Writes an answer.
 * @param keepAlive as of {@link answerHead}.
 * @returns a promise when it is so long that it waits for its reader; rejected as of {@link writePieces}.
 * @throws {TypeError} for a header value that is not one line of Latin-1; then nothing is written.
 */
export function writeAnswer(
  socket: Socket,
  answer: FastAnswer,
  keepAlive: number | 'close',
): Promise<void> | undefined {
  if (!isInMemory(answer)) {
    socket.write(answerHead(answer, answer.body.length, keepAlive), 'latin1');
    return writePieces(socket, answer.body);
  }
  const { body } = answer;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const head = answerHead(answer, length, keepAlive);
  if (length > PIECE_BYTES) {
    socket.write(head, 'latin1');
    return writeLong(socket, socket, typeof body === 'string' ? Buffer.from(body) : body);
  }
  // Of ASCII each character is a byte, whatever the encoding; this one needs no conversion.
  if (typeof body === 'string')
    socket.write(head + body, length === body.length ? 'latin1' : 'utf8');
  else if (length <= COPIED_BYTES) socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]));
  else {
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
  }
  return undefined;
}

export function isInMemory(answer: FastAnswer): answer is WireResponse {
  const { body } = answer;
  return typeof body === 'string' || body instanceof Uint8Array;
}

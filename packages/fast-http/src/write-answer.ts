import type { Socket } from 'node:net';
import type { WireResponse } from '@ws01/asmx/internal/message/http';
import {
  PIECE_BYTES,
  type PiecewiseBody,
  placed,
  writeLong,
  writePieces,
} from '@ws01/asmx/internal/node/write-pieces';

/** An answer whose body may be read while it is sent; that one is not compressed. */
export type FastAnswer =
  | WireResponse
  | (Omit<WireResponse, 'body'> & { readonly body: PiecewiseBody });

/**
 * A longer body is written from where it is, behind the head; a shorter one is copied for less.
 * Bytes.
 */
const COPIED_BYTES = 4 * 1024;

/**
 * Writes an answer.
 * @param keepAlive as of {@link answerHead}.
 * @returns a promise when it is so long that it waits for its reader; rejected as of
 *   {@link writePieces}.
 * @throws {TypeError} for a header value that is not one line of Latin-1; then nothing is written.
 */
export function writeAnswer(
  socket: Socket,
  given: FastAnswer,
  keepAlive: number | 'close',
): Promise<void> | undefined {
  if (!isInMemory(given)) {
    socket.write(answerHead(given, given.body.length, keepAlive), 'latin1');
    return writePieces(socket, given.body);
  }
  const answer = placed(socket, given);
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

// Not by `import`, which reads every export of the module, and with `WebSocket` loads all of fetch:
// 16 MB, 60 ms.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** What HTTP allows in a value (RFC 9110 5.5), of Latin-1. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The head of an answer, as `node:http` would write it.
 * @param length the body's; bytes.
 * @param keepAlive how long the connection is kept for another request; ms, 0 for ever; `close`
 *   after the last one.
 * @throws {TypeError} for a header value that is not one line of Latin-1.
 */
function answerHead(
  { status, headers, cookies, rawHeaders }: Omit<WireResponse, 'body'>,
  length: number,
  keepAlive: number | 'close',
): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  for (const name in headers) head += headerLine(name, headers[name]!);
  if (cookies !== undefined) for (const cookie of cookies) head += headerLine('Set-Cookie', cookie);
  if (rawHeaders !== undefined) head += rawHeaderLines(rawHeaders);
  if (status !== 204 && status !== 304) head += `Content-Length: ${length}\r\n`;
  return `${head}Date: ${date()}\r\n${connection(keepAlive)}\r\n`;
}

function headerLine(name: string, value: string): string {
  if (!VALUE.test(value)) throw new TypeError(`The header ${name} cannot have this value.`);
  return `${name}: ${value}\r\n`;
}

/** The Date of another server gives way to that of this answer. */
function rawHeaderLines(headers: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]!.toLowerCase() !== 'date') lines += headerLine(headers[at]!, headers[at + 1]!);
  }
  return lines;
}

function connection(keepAlive: number | 'close'): string {
  if (keepAlive === 'close') return 'Connection: close\r\n';
  const timeout = keepAlive > 0 ? `Keep-Alive: timeout=${Math.floor(keepAlive / 1000)}\r\n` : '';
  return `Connection: keep-alive\r\n${timeout}`;
}

let second = 0;
let dateOfSecond = '';

/** The present time as HTTP writes it (RFC 9110 5.6.7). */
function date(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    dateOfSecond = new Date(now * 1000).toUTCString();
  }
  return dateOfSecond;
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Why `node:http` could not read a message, and the packet in which it stopped. */
export interface UnreadableMessage extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Status, code and sentence by the parser's own code; anything else is malformed. */
const ANSWERS: ReadonlyMap<string, readonly [status: string, code: string, message: string]> = new Map([
  ['HPE_INVALID_METHOD', ['405 Method Not Allowed', 'MethodNotAllowed', 'The method is unknown; use GET or POST.']],
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'TooLarge', 'The headers are too large; use POST.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'MalformedRequest', 'The request did not arrive in time.']],
]);
const MALFORMED = ['400 Bad Request', 'MalformedRequest', 'The message is not HTTP/1.1.'] as const;

/** Answers what never became a request, and closes the connection. */
export function refuseMessage(error: UnreadableMessage, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, code, message] = ANSWERS.get(error.code ?? '') ?? MALFORMED;
  const allow = code === 'MethodNotAllowed' ? 'Allow: GET, HEAD, POST, OPTIONS\r\n' : '';
  const body = `${message}\n`;
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\n${allow}` +
      `X-Error-Code: ${code}\r\nX-Request-Id: ${crypto.randomUUID()}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const LINE_FEED = 0x0a;

/**
 * IIS takes a request target with raw non-ASCII bytes, and there are clients that send one; Node's parser does not.
 * When that is what it stopped at, in the first line of a packet, the bytes are escaped and the connection is begun
 * anew with them: nothing of the packet has been served yet.
 * @returns whether it did so.
 */
export function retryWithEscapedTarget(server: Server, error: UnreadableMessage, socket: Socket): boolean {
  const { rawPacket, code, bytesParsed = 0 } = error;
  if (code !== 'HPE_INVALID_URL' || rawPacket === undefined || socket.destroyed) return false;
  const lineEnd = rawPacket.indexOf(LINE_FEED);
  if (lineEnd < bytesParsed || !/^(?:GET|POST|HEAD|OPTIONS) /.test(rawPacket.toString('latin1', 0, 8))) return false;
  const line = rawPacket.toString('latin1', 0, lineEnd);
  const escaped = line.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  if (escaped === line) return false;
  socket.removeAllListeners();
  server.emit('connection', socket);
  socket.unshift(Buffer.concat([Buffer.from(escaped, 'latin1'), rawPacket.subarray(lineEnd)]));
  return true;
}

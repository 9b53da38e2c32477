import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { connectionEventOf } from './connection-event.ts';

/**
 * Why `node:http` could not read a message, and the packet in which it stopped: what `clientError`
 * tells.
 */
export interface UnreadableMessage extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const LINE_FEED = 0x0a;

/**
 * IIS takes a request target with raw bytes of UTF-8, and there are clients that send one; the
 * parser of `node:http` refuses it. When that is what it stopped at, in the first line of a packet,
 * the bytes are escaped and the connection is begun again with them: nothing of the packet has been
 * served yet. To be called by a listener of the server's `clientError`, before it answers. While an
 * earlier request of the connection waits for its answer, nothing is done.
 *
 * @returns whether it did so; then the socket no longer belongs to the caller.
 */
export function acceptRawTarget(server: Server, error: UnreadableMessage, socket: Duplex): boolean {
  const { rawPacket, code, bytesParsed = 0 } = error;
  if (
    code !== 'HPE_INVALID_URL' ||
    rawPacket === undefined ||
    socket.destroyed ||
    awaitsAnswer(socket)
  )
    return false;
  const lineEnd = rawPacket.indexOf(LINE_FEED);
  if (
    lineEnd < bytesParsed ||
    !/^(?:GET|POST|HEAD|OPTIONS) /.test(rawPacket.toString('latin1', 0, 8))
  )
    return false;
  const line = rawPacket.toString('latin1', 0, lineEnd);
  const escaped = line.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  if (escaped === line) return false;
  letGo(socket);
  server.emit(connectionEventOf(server), socket);
  socket.unshift(Buffer.concat([Buffer.from(escaped, 'latin1'), rawPacket.subarray(lineEnd)]));
  return true;
}

/** What `node:http` keeps of a connection; it has no public names. */
interface ServedSocket extends Duplex {
  readonly parser?: {
    /** Takes it off the list of those that are watched for timeouts. */
    remove?(): void;
  } | null;
  /** The answer that is being written. */
  readonly _httpMessage?: unknown;
}

function awaitsAnswer(socket: ServedSocket): boolean {
  return socket._httpMessage !== undefined && socket._httpMessage !== null;
}

/**
 * Takes a connection away from its parser, which would read what comes next and fail at it again.
 */
function letGo(socket: ServedSocket): void {
  // Has what arrives go to the socket's listeners instead of straight into the parser.
  socket.on('data', () => {});
  socket.parser?.remove?.();
  socket.removeAllListeners();
}

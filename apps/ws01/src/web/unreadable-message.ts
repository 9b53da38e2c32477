import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Why `node:http` could not read a message, and the packet in which it stopped. */
export interface UnreadableMessage extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** How something is refused that is no request for anybody. */
interface MessageFault {
  readonly status: number;
  readonly reason: string;
  readonly code: string;
  readonly message: string;
}

const MALFORMED: MessageFault = {
  status: 400,
  reason: 'Bad Request',
  code: 'MalformedRequest',
  message: 'The message is not HTTP/1.1.',
};

/** By the parser's own code; anything else is malformed. */
const REFUSALS: ReadonlyMap<string, MessageFault> = new Map([
  [
    'HPE_INVALID_METHOD',
    {
      status: 405,
      reason: 'Method Not Allowed',
      code: 'MethodNotAllowed',
      message: 'The method is unknown; use GET or POST.',
    },
  ],
  [
    'HPE_HEADER_OVERFLOW',
    {
      status: 431,
      reason: 'Request Header Fields Too Large',
      code: 'TooLarge',
      message: 'The headers are too large; use POST.',
    },
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    {
      status: 408,
      reason: 'Request Timeout',
      code: 'MalformedRequest',
      message: 'The request did not arrive in time.',
    },
  ],
]);

/** Well-formed, but nothing that can be served. */
const UNSERVED = {
  noHost: { ...MALFORMED, message: 'A request of HTTP/1.1 must have a Host header.' },
  unknownExpectation: {
    status: 417,
    reason: 'Expectation Failed',
    code: 'MalformedRequest',
    message: 'Of the Expect header only 100-continue is known.',
  },
} as const satisfies Record<string, MessageFault>;

/** Answers what never became a request, and closes the connection. */
export function refuseMessage(error: UnreadableMessage, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = REFUSALS.get(error.code ?? '') ?? MALFORMED;
  const headers = Object.entries(headersOf(refusal)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${refusal.status} ${refusal.reason}\r\n${headers.join('')}\r\n${bodyOf(refusal)}`);
}

/** Answers a request that can be read and not be served, and closes the connection. */
export function refuseRequest(res: ServerResponse, kind: keyof typeof UNSERVED): void {
  const refusal = UNSERVED[kind];
  res.writeHead(refusal.status, headersOf(refusal)).end(bodyOf(refusal));
}

const bodyOf = ({ message }: MessageFault): string => `${message}\n`;

function headersOf(refusal: MessageFault): Record<string, string> {
  return {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(bodyOf(refusal).length),
    ...(refusal.status === 405 ? { Allow: 'GET, HEAD, POST, OPTIONS' } : {}),
    'X-Error-Code': refusal.code,
    'X-Request-Id': crypto.randomUUID(),
    Connection: 'close',
  };
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
  letGo(socket);
  server.emit('connection', socket);
  socket.unshift(Buffer.concat([Buffer.from(escaped, 'latin1'), rawPacket.subarray(lineEnd)]));
  return true;
}

/** Node's parser of a connection; it has no public name. */
interface ConnectionParser {
  /** Takes it off the list of those that are watched for timeouts. */
  remove?(): void;
}

/** Takes a connection away from its parser, which would read what comes next and fail at it again. */
function letGo(socket: Socket & { readonly parser?: ConnectionParser | null }): void {
  // Has what arrives go to the socket's listeners instead of straight into the parser.
  socket.on('data', () => {});
  socket.parser?.remove?.();
  socket.removeAllListeners();
}

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** An error of `node:http`'s parser, and the packet in which it occurred. */
export interface UnreadableMessage extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
  /** What is wrong, in words of the parser; never of the message. */
  readonly reason?: string;
}

/** The answer to an invalid message. */
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

const TRANSFER_CODING = {
  ...MALFORMED,
  message: 'Of transfer codings only chunked is known, once; say gzip in Content-Encoding.',
};

/** By the parser's error code; others are malformed. */
const REFUSALS: ReadonlyMap<string, MessageFault> = new Map([
  [
    'HPE_INVALID_EOF_STATE',
    { ...MALFORMED, message: 'The connection ended before the request did.' },
  ],
  ['HPE_INVALID_TRANSFER_ENCODING', TRANSFER_CODING],
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

/** Maximum number of headers. Node would silently drop those after 2,000. */
export const MAX_HEADERS = 200;

/** Valid requests that cannot be served. */
const UNSERVED = {
  noHost: { ...MALFORMED, message: 'A request of HTTP/1.1 must have a Host header.' },
  manyHosts: { ...MALFORMED, message: 'A request must not have more than one Host header.' },
  manyHeaders: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    code: 'TooLarge',
    message: `A request may have ${MAX_HEADERS} headers at most.`,
  },
  codingBefore11: {
    ...MALFORMED,
    // It does not begin as an answer does.
    message: 'Transfer-Encoding came with HTTP/1.1; send Content-Length.',
  },
  // RFC 9112, 6.1.
  transferCoding: { ...TRANSFER_CODING, status: 501, reason: 'Not Implemented' },
  unknownExpectation: {
    status: 417,
    reason: 'Expectation Failed',
    code: 'MalformedRequest',
    message: 'Of the Expect header only 100-continue is known.',
  },
} as const satisfies Record<string, MessageFault>;

/** Answers an invalid message and ends the connection. */
export function refuseMessage(error: UnreadableMessage, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = REFUSALS.get(error.code ?? '') ?? malformed(error);
  const headers = Object.entries(headersOf(refusal)).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(
    `HTTP/1.1 ${refusal.status} ${refusal.reason}\r\n${headers.join('')}\r\n${bodyOf(refusal)}`,
  );
}

function malformed({ reason }: UnreadableMessage): MessageFault {
  return reason === undefined
    ? MALFORMED
    : { ...MALFORMED, message: `The message is not HTTP/1.1: ${reason}.` };
}

/** Answers a valid request that cannot be served, and closes the connection. */
export function refuseRequest(
  res: ServerResponse,
  kind: keyof typeof UNSERVED,
  requestId: string,
): void {
  const refusal = UNSERVED[kind];
  res.writeHead(refusal.status, headersOf(refusal, requestId)).end(bodyOf(refusal));
}

const bodyOf = ({ message }: MessageFault): string => `${message}\n`;

function headersOf(
  refusal: MessageFault,
  requestId: string = crypto.randomUUID(),
): Record<string, string> {
  return {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(bodyOf(refusal).length),
    ...(refusal.status === 405 ? { Allow: 'GET, HEAD, POST, OPTIONS' } : {}),
    'X-Error-Code': refusal.code,
    'X-Request-Id': requestId,
    Connection: 'close',
  };
}

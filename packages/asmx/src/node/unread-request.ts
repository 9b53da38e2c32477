import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { linger } from './linger.ts';
import { SmallChunks } from './small-chunks.ts';

/** Whether a request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the last answer of a connection has been written. */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket);
}

/**
 * Has any handler of `node:http` answer a request before its body has come, so that the client can
 * read the answer: to close at once would reset the connection. The rest of the body is read and
 * dropped for as long as `linger` lets. A client that waits for `100 Continue` gets it when the
 * handler begins to read the body, and otherwise its answer alone.
 *
 * @param req a request; nothing of it has been read.
 * @param awaitsContinue as for {@link NodeListener}.
 */
export function answerBeforeBody(
  req: IncomingMessage,
  res: ServerResponse,
  awaitsContinue: boolean,
): void {
  if (!hasBody(req)) return;
  const asked = awaitsContinue ? continueWhenRead(req, res) : () => true;
  const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse;
  res.end = ((...args: unknown[]) => {
    res.end = end as typeof res.end;
    // The client may send the body that it was not asked for, or not: what comes next is not known.
    if (!asked() && !res.headersSent) res.setHeader('Connection', 'close');
    const isOver = req.complete || req.destroyed;
    const staysOpen = res.shouldKeepAlive && asked() && !saysClose(res);
    if (isOver || staysOpen) return end(...args);
    const [body = '', ...rest] = args.filter((arg) => typeof arg !== 'function') as [
      (string | Uint8Array)?,
      string?,
    ];
    for (const arg of args) if (typeof arg === 'function') res.once('finish', arg as () => void);
    const bytes = typeof body === 'string' ? Buffer.from(body, rest[0] as BufferEncoding) : body;
    if (!res.headersSent) res.setHeader('Connection', 'close');
    if (!res.headersSent && !res.hasHeader('Content-Length'))
      res.setHeader('Content-Length', bytes.length);
    endAfterRequest(req, res, bytes);
    return res;
  }) as typeof res.end;
}

const saysClose = (res: ServerResponse): boolean =>
  /\bclose\b/i.test(String(res.getHeader('Connection') ?? ''));

/** @returns whether the client has been asked for the body. */
function continueWhenRead(req: IncomingMessage, res: ServerResponse): () => boolean {
  let isAsked = false;
  const read = req._read;
  req._read = (size) => {
    req._read = read;
    if (!res.headersSent) {
      isAsked = true;
      // A proxy that already has the answer may drop the body and send its next request instead.
      res.setHeader('Connection', 'close');
      res.writeContinue();
    }
    read.call(req, size);
  };
  return () => isAsked;
}

/**
 * What has been written to a connection was the last: what still comes on it is dropped, for as
 * long as `linger` lets.
 */
export function dropRest(socket: Socket): void {
  const end = () => {
    lingering.stop();
    socket.destroy();
  };
  const lingering = linger(end);
  // What arrives goes to the socket's listeners instead of straight into the parser.
  socket.on('data', () => {});
  socket.removeAllListeners('data');
  socket.on('data', () => lingering.heard());
  socket.once('end', end);
  socket.once('close', lingering.stop);
  socket.resume();
}

/**
 * What a client that was refused in mid-body goes on to send must come in pieces of so many bytes,
 * after some of any size.
 */
const LEAST_PIECE_BYTES = 20;
const LINGER_PIECES = 1_000;

/** Connections that close with the answer being sent. */
const closing = new WeakSet<Socket>();

/**
 * Sends an answer while the request still arrives, and reads the rest of it; but not of a body
 * refused for tiny chunks: parsing it would cost more than the call.
 */
export function endAfterRequest(
  req: IncomingMessage,
  res: ServerResponse,
  body: string | Uint8Array,
): void {
  closing.add(req.socket);
  if (body.length > 0) res.write(body);
  else res.flushHeaders();
  const end = () => {
    if (isOver) return;
    isOver = true;
    lingering.stop();
    res.end();
  };
  let isOver = false;
  const lingering = linger(end);
  let pieces = 0;
  let bytes = 0;
  const drop = (chunk: Buffer) => {
    lingering.heard();
    pieces++;
    bytes += chunk.length;
    // Pieces so small are no haste to finish.
    if (pieces > LINGER_PIECES && bytes < pieces * LEAST_PIECE_BYTES) end();
    else if (SmallChunks.areTiny(req)) req.pause();
  };
  if (!SmallChunks.areTiny(req)) req.on('data', drop);
  req.on('end', end);
  req.on('error', end);
  req.on('close', end);
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from './endpoint.ts';
import { ProtocolError } from './errors.ts';
import type { WireBody, WireResponse } from './http.ts';

/** Bodies up to this many bytes are handed over whole; longer and chunked ones are streamed. */
const WHOLE_BODY_BYTES = 64 * 1024;

/** Serves a request of `node:http`, or of what builds on it (Express, Fastify); false when it is not the endpoint's. */
export type NodeListener = (req: IncomingMessage, res: ServerResponse) => boolean;

/**
 * Joins an endpoint to `node:http`. A server of one's own should hand its `checkContinue` event to the listener too:
 * `100 Continue` is then sent only when the body is wanted.
 */
export function nodeListener(endpoint: Endpoint): NodeListener {
  return (req, res) => {
    const answering = endpoint.request({
      method: req.method ?? 'GET',
      target: req.url ?? '/',
      headers: req.headers,
      body: bodyOf(req, res),
      remoteAddress: req.socket.remoteAddress ?? '',
    });
    if (answering === undefined) return false;
    answering.then((response) => send(req, res, response));
    return true;
  };
}

function bodyOf(req: IncomingMessage, res: ServerResponse): WireBody {
  const length = req.headers['content-length'];
  const begin = () => {
    if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue();
  };
  const stream: WireBody = {
    async *[Symbol.asyncIterator]() {
      begin();
      try {
        for await (const chunk of req.iterator({ destroyOnReturn: false })) yield chunk;
      } catch (error) {
        throw broken(error);
      }
    },
  };
  if (length === undefined || Number(length) > WHOLE_BODY_BYTES) return stream;
  return { ...stream, whole: () => wholeBody(req, begin) };
}

function wholeBody(req: IncomingMessage, begin: () => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    begin();
    let whole: Uint8Array | undefined;
    req.on('data', (chunk: Buffer) => {
      whole = whole === undefined ? chunk : Buffer.concat([whole, chunk]);
    });
    req.on('end', () => resolve(whole ?? new Uint8Array(0)));
    req.on('error', (error) => reject(broken(error)));
  });
}

/** The client went away, or its chunks could not be parsed: nobody's defect. */
function broken(error: unknown): ProtocolError {
  const message = 'The connection ended before the request body did.';
  return new ProtocolError('MalformedRequest', message, { status: 400 }, { cause: error });
}

/** Writes an answer. When the request was not read to its end, the connection cannot be used again and says so. */
function send(req: IncomingMessage, res: ServerResponse, response: WireResponse): void {
  if (res.destroyed) return;
  const unread = !req.complete && req.method !== 'GET' && req.method !== 'HEAD';
  const length = typeof response.body === 'string' ? Buffer.byteLength(response.body) : response.body.length;
  const headers: Record<string, string | number> = { ...response.headers };
  if (response.status !== 204 && response.status !== 304) headers['Content-Length'] = length;
  if (unread) headers.Connection = 'close';
  res.writeHead(response.status, headers);
  res.end(req.method === 'HEAD' ? undefined : response.body, () => {
    // What is still arriving is read and dropped for a moment, so that the answer is not lost to a reset (RFC 9112 9.6).
    if (unread) lingeringClose(req);
  });
}

const LINGER_MS = 1_000;
const LINGER_BYTES = 1024 * 1024;

function lingeringClose(req: IncomingMessage): void {
  let dropped = 0;
  const destroy = () => req.socket.destroy();
  setTimeout(destroy, LINGER_MS).unref();
  req.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > LINGER_BYTES) destroy();
  });
  req.on('end', destroy);
  req.on('error', destroy);
}

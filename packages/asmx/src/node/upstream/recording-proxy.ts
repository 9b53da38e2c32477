import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Upstream, type UpstreamAnswer, UpstreamError, type UpstreamRequest } from './ask.ts';

/** A request that went through a proxy, with its answer. */
export interface Proxied {
  /** ms since 1970. */
  readonly at: number;
  readonly durationMs: number;
  readonly request: UpstreamRequest & { readonly body: Uint8Array };
  /** `undefined` when the other server did not answer. */
  readonly answer: UpstreamAnswer | undefined;
}

/** How large a request may be, bytes. */
const PROXIED_REQUEST_BYTES = 64 * 1024 * 1024;

/** A proxy that forwards every request unchanged, and reports each. @param onProxied must not throw. */
export function createRecordingProxy(
  upstream: Upstream,
  onProxied: (proxied: Proxied) => void,
): Server {
  return createServer((req, res) => {
    handOn(req, res, upstream, onProxied).catch((error) => {
      if (error instanceof UpstreamError && !res.headersSent) {
        res
          .writeHead(502, { 'content-type': 'text/plain; charset=utf-8' })
          .end(`${error.message}\n`);
      } else res.destroy();
    });
  });
}

async function handOn(
  req: IncomingMessage,
  res: ServerResponse,
  upstream: Upstream,
  onProxied: (proxied: Proxied) => void,
): Promise<void> {
  const at = Date.now();
  const started = performance.now();
  const body = await read(req);
  const request = {
    method: req.method ?? 'GET',
    target: req.url ?? '/',
    headers: req.rawHeaders,
    body,
  };
  let answer: UpstreamAnswer | undefined;
  try {
    const hasBody = body.length > 0 || req.method === 'POST';
    answer = await upstream.ask({ ...request, body: hasBody ? body : undefined });
    res.writeHead(answer.status, [...answer.headers, 'Content-Length', String(answer.body.length)]);
    res.end(answer.body);
  } finally {
    onProxied({ at, durationMs: performance.now() - started, request, answer });
  }
}

async function read(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > PROXIED_REQUEST_BYTES)
      throw new UpstreamError(`The request has more than ${PROXIED_REQUEST_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

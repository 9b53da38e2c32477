import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Arrival } from '../../exchange/intake/arrivals.ts';
import { LongResponse } from '../long-response.ts';
import { separateAccount } from '../separate-account.ts';
import { disconnectSlowReaders } from '../slow-readers.ts';
import { boundHeads } from '../unfinished-heads.ts';
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

/** How large a request may be, and all together that have no answer yet; bytes. */
const PROXIED_REQUEST_BYTES = 64 * 1024 * 1024;

/**
 * A proxy that forwards every request unchanged, and reports each. Its door has the bounds of a
 * service: for requests together, heads that do not end, and answers that nobody reads.
 * @param onProxied must not throw.
 */
export function createRecordingProxy(
  upstream: Upstream,
  onProxied: (proxied: Proxied) => void,
): Server {
  const account = separateAccount({ totalUnauthenticatedBytes: PROXIED_REQUEST_BYTES });
  const server = createServer({ ServerResponse: LongResponse }, (req, res) => {
    const arrival = account.arriving(() => req.socket.destroy());
    res.once('close', () => arrival.end());
    handOn(req, res, arrival, upstream, onProxied).catch((error) => {
      if (error instanceof UpstreamError && !res.headersSent) {
        res
          .writeHead(502, { 'content-type': 'text/plain; charset=utf-8' })
          .end(`${error.message}\n`);
      } else res.destroy();
    });
  });
  boundHeads(server, account);
  disconnectSlowReaders(server);
  return server;
}

async function handOn(
  req: IncomingMessage,
  res: ServerResponse,
  arrival: Arrival,
  upstream: Upstream,
  onProxied: (proxied: Proxied) => void,
): Promise<void> {
  const at = Date.now();
  const started = performance.now();
  const body = await read(req, arrival);
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

async function read(req: IncomingMessage, arrival: Arrival): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  arrival.waits();
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    arrival.came(chunk.length);
    arrival.carry(bytes);
    arrival.waits();
    if (bytes > PROXIED_REQUEST_BYTES)
      throw new UpstreamError(`The request has more than ${PROXIED_REQUEST_BYTES} bytes.`);
    chunks.push(chunk);
  }
  arrival.complete();
  return Buffer.concat(chunks);
}

import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Answering, several } from '../engine/several.ts';
import { ArrivingBody, bodyReadByOthers } from '../message/arriving-body.ts';
import { compress } from '../message/compression.ts';
import { cutOff } from '../message/cut-off.ts';
import {
  GatheredBytes,
  header,
  type WireBody,
  type WireRequest,
  type WireResponse,
} from '../message/http.ts';
import { SmallChunks } from './small-chunks.ts';
import { endAfterRequest, hasBody, isClosing } from './unread-request.ts';
import { PIECE_BYTES, placed, writeLong } from './write-pieces.ts';

/** Bodies up to this many bytes are handed over whole; longer and chunked ones are streamed. */
const WHOLE_BODY_BYTES = 64 * 1024;

/**
 * Serves a request of `node:http`, or of a framework that builds on it (Express, Fastify). Never
 * throws or rejects.
 *
 * @param awaitsContinue true in a handler of the server's `checkContinue` event: `100 Continue` is
 *   then sent only if the body will be read, not if the request is refused. Without such a handler
 *   Node sends it.
 * @returns false if the path is not the endpoint's; then nothing was done.
 */
export type NodeListener = (
  req: IncomingMessage,
  res: ServerResponse,
  awaitsContinue?: boolean,
) => boolean;

/**
 * Joins endpoints to `node:http`. Where it is the only listener of a server, as in
 * `createServer(nodeListener(endpoint))`, it answers 404 at other paths: nobody else would.
 * @throws {TypeError} for what is no endpoint, and two endpoints at one path.
 */
export function nodeListener(...endpoints: readonly Answering[]): NodeListener {
  const endpoint = several(endpoints, 'nodeListener');
  return function listener(this: unknown, req: MountedRequest, res, awaitsContinue = false) {
    // The answer said "Connection: close"; whatever the client sends after it is ignored (RFC 9112
    // 9.6).
    if (isClosing(req.socket)) return true;
    const { url = '/', baseUrl = '', originalUrl = url } = req;
    const request: WireRequest = {
      method: req.method ?? 'GET',
      target: url,
      headers: req.headers,
      body: bodyOf(req, awaitsContinue ? res : undefined),
      remoteAddress: req.socket.remoteAddress ?? '',
      encrypted: (req.socket as { readonly encrypted?: boolean }).encrypted === true,
      ...(baseUrl === '' ? {} : { mountPath: baseUrl }),
      gone: () => goneSignal(res),
    };
    let answering = endpoint.request(request);
    // The path of the service may be said with what it is mounted below, or without.
    if (answering === undefined && originalUrl !== url) {
      const { mountPath: _, ...whole } = request;
      answering = endpoint.request({ ...whole, target: originalUrl });
    }
    if (answering === undefined) {
      if (!isOnlyListener(this, listener)) return false;
      answering = Promise.resolve(NOTHING_HERE);
    }
    answer(req, res, answering);
    return true;
  };
}

/**
 * What Express and what builds on it say of a request: the URL as it came, and the path that it
 * took away from it.
 */
type MountedRequest = IncomingMessage & {
  readonly originalUrl?: string;
  readonly baseUrl?: string;
};

const NOTHING_HERE: WireResponse = {
  status: 404,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body: 'Nothing is here.\n',
};

/** @param server `this` of a listener, which a server calls on itself. */
function isOnlyListener(server: unknown, listener: unknown): boolean {
  if (!(server instanceof EventEmitter)) return false;
  const all = server.listeners('request');
  return all.length === 1 && all[0] === listener;
}

/** An AbortSignal that is aborted if the connection closes before the answer was written. */
function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (res.destroyed) gone.abort();
  else res.once('close', () => res.writableFinished || gone.abort());
  return gone.signal;
}

/** @param continuing the response to send `100 Continue` on, when the client waits for it. */
function bodyOf(req: IncomingMessage, continuing: ServerResponse | undefined): WireBody {
  if (req.readableDidRead) return bodyReadByOthers((req as { readonly body?: unknown }).body);
  const length = req.headers['content-length'];
  const large = length === undefined || Number(length) > WHOLE_BODY_BYTES;
  return large ? new StreamedBody(req, continuing) : new SmallBody(req, continuing);
}

class StreamedBody extends ArrivingBody {
  protected readonly req: IncomingMessage;
  protected readonly continuing: ServerResponse | undefined;

  readonly chunks: SmallChunks | undefined;

  constructor(req: IncomingMessage, continuing: ServerResponse | undefined) {
    super();
    this.req = req;
    this.continuing = continuing;
    if (req.headers['transfer-encoding'] !== undefined) this.chunks = new SmallChunks(req);
  }

  protected begin(): AsyncIterator<Uint8Array> {
    this.continuing?.writeContinue();
    return this.req.iterator({ destroyOnReturn: false });
  }

  protected end(): void {
    this.chunks?.leave();
  }
}

class SmallBody extends StreamedBody {
  whole(came: (bytes: number) => void): Promise<Uint8Array> {
    this.continuing?.writeContinue();
    const { req } = this;
    return new Promise((resolve, reject) => {
      const pieces = new GatheredBytes();
      this.fail = (error) => {
        pieces.clear();
        reject(error);
      };
      req.on('data', (chunk: Buffer) => {
        if (this.stopped !== undefined) return;
        try {
          came(chunk.length);
          pieces.add(chunk);
        } catch (error) {
          this.stop(error as Error);
        }
      });
      req.on('end', () => resolve(pieces.joined()));
      req.on('error', (error) => reject(cutOff(error)));
      // Destroyed, possibly without an error.
      req.on('close', () => {
        if (!req.readableEnded) reject(cutOff(undefined));
      });
    });
  }
}

/** Nothing here keeps the response while its bytes wait for their reader. */
function answer(req: IncomingMessage, res: ServerResponse, answering: Promise<WireResponse>): void {
  answering
    .then((response) => compress(response, header(req, 'accept-encoding')))
    .then(async (encoded) => {
      // A short body that nobody wanted has mostly come already, with the headers; the parser just
      // has not told yet.
      if (!req.complete && hasBody(req)) await nextTurn();
      return encoded;
    })
    .then((encoded) => send(req, res, placed(req.socket, encoded)))
    // Node refuses the answer itself, for example a header with a line break, or nobody reads it:
    // there is nothing left to say.
    .catch(() => req.socket.destroy());
}

/**
 * Writes an answer. When the request was not read to its end, the connection cannot be used again
 * and says so.
 */
function send(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, cookies = [], rawHeaders, body }: WireResponse,
): Promise<void> | undefined {
  if (res.destroyed) return;
  const written: (string | number)[] = rawHeaders === undefined ? [] : [...rawHeaders];
  for (const name in headers) written.push(name, headers[name]!);
  for (const cookie of cookies) written.push('Set-Cookie', cookie);
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  if (status !== 204 && status !== 304) written.push('Content-Length', length);
  const unread = !req.complete && hasBody(req);
  if (unread) written.push('Connection', 'close');
  res.writeHead(status, written);
  if (unread) endAfterRequest(req, res, body);
  else if (length > PIECE_BYTES && req.method !== 'HEAD') {
    return writeLong(res, req.socket, typeof body === 'string' ? Buffer.from(body) : body).then(
      () => void res.end(),
    );
  }
  // Of ASCII each character is a byte, whatever the encoding; this one needs no conversion.
  else if (typeof body === 'string' && length === body.length) res.end(body, 'latin1');
  else res.end(body);
}

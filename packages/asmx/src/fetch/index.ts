/**
 * The entry `./fetch`: the endpoint as a function from `Request` to `Response`.
 * @packageDocumentation
 */

import { type Answering, several } from '../engine/several.ts';
import { ArrivingBody, bodyReadByOthers } from '../message/arriving-body.ts';
import { cutOff } from '../message/cut-off.ts';
import { bytesBody, type WireBody, type WireRequest, type WireResponse } from '../message/http.ts';

/** What a server knows of a request beside the request. */
export interface Connection {
  /**
   * The address of the peer: for `call.http.address`, for trusted proxies, and for the turns of
   * clients under load.
   */
  readonly remoteAddress?: string | undefined;
  /** Whether the connection is one of TLS; as the request's URL says by default. */
  readonly encrypted?: boolean | undefined;
  /** The path that the server took away from the URL, such as `/v1` of `app.mount('/v1', …)`. */
  readonly mountPath?: string | undefined;
}

/**
 * Serves a request. Never throws, and the promise is never rejected. The body is read as it
 * comes; the reading ends, and `call.signal` is aborted, with the request's signal. The answer is
 * not compressed: that is for the host, which knows how.
 *
 * @returns `undefined` if the path is not the endpoint's; then nothing was done, and the body is
 *   unread.
 */
export type FetchHandler = (
  request: Request,
  connection?: Connection,
) => Promise<Response> | undefined;

/**
 * Joins endpoints to a server of `Request` and `Response`, as `nodeListener` does to `node:http`.
 * @throws {TypeError} for what is no endpoint, and two endpoints at one path.
 */
export function fetchHandler(...endpoints: readonly Answering[]): FetchHandler {
  const endpoint = several(endpoints, 'fetchHandler');
  return (request, { remoteAddress = '', encrypted, mountPath } = {}) => {
    const { protocol, host, pathname, search } = new URL(request.url);
    const headers: Record<string, string> = Object.fromEntries(request.headers);
    // A request that was made in the process has none, and its URL says it.
    headers.host ??= host;
    const wire: WireRequest = {
      method: request.method,
      target: pathname + search,
      headers,
      body: bodyOf(request),
      remoteAddress,
      encrypted: encrypted ?? protocol === 'https:',
      ...(mountPath === undefined ? {} : { mountPath }),
      gone: () => request.signal,
    };
    return endpoint.request(wire)?.then(responseOf);
  };
}

function bodyOf(request: Request): WireBody {
  if (request.bodyUsed) return bodyReadByOthers(undefined);
  const { body, signal } = request;
  return body === null ? bytesBody(new Uint8Array(0)) : new StreamedBody(body, signal);
}

class StreamedBody extends ArrivingBody {
  readonly #stream: ReadableStream<Uint8Array>;
  readonly #signal: AbortSignal;
  readonly #gone = () => this.stop(cutOff(this.#signal.reason));

  constructor(stream: ReadableStream<Uint8Array>, signal: AbortSignal) {
    super();
    this.#stream = stream;
    this.#signal = signal;
  }

  protected begin(): AsyncIterator<Uint8Array> {
    if (this.#signal.aborted) this.#gone();
    this.#signal.addEventListener('abort', this.#gone);
    return this.#stream[Symbol.asyncIterator]();
  }

  protected end(): void {
    this.#signal.removeEventListener('abort', this.#gone);
  }
}

function responseOf({
  status,
  headers: given,
  cookies = [],
  rawHeaders,
  body,
}: WireResponse): Response {
  const headers = new Headers(given);
  for (let at = 0; at < (rawHeaders?.length ?? 0); at += 2)
    headers.append(rawHeaders![at]!, rawHeaders![at + 1]!);
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
  // A status without content takes no empty text, either.
  const content = body.length === 0 ? null : (body as string | Uint8Array<ArrayBuffer>);
  return new Response(content, { status, headers });
}

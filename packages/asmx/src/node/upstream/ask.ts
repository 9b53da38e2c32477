import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { words } from '../../contract/words.ts';
import { signalAfter } from '../../time/index.ts';
import { type Networks, PrivateNetworkError } from './networks.ts';

// Not by `import`, which reads every export of the module, and with `WebSocket` loads all of fetch:
// 16 MB, 60 ms.
const http = process.getBuiltinModule('node:http');
const https = () => process.getBuiltinModule('node:https');

/** The other server is unreachable or does not answer. The message is one sentence. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
}

export interface UpstreamRequest {
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  /** Names and values in turn. Host, Connection and the like are made here. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Gives the request up. */
  readonly signal?: AbortSignal;
  /**
   * Called with the size of each piece of the answer; an `UpstreamError` that it throws gives the
   * request up.
   */
  readonly came?: (bytes: number) => void;
}

export interface UpstreamAnswer {
  readonly status: number;
  /** Names and values in turn, as they came, without those of the connection. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  /** The address that it came from; `''` when the connection is gone. */
  readonly address: string;
}

/** The other server, and what its answers may take. */
export interface UpstreamOptions {
  /** `http` or `https`; its origin counts. */
  readonly url: URL;
  /** The networks it may be in; `undefined`: any, for a URL that no caller chooses. */
  readonly networks: Networks | undefined;
  /** How long the answer may take, ms. */
  readonly timeoutMs: number;
  /** How large an answer may be, bytes. */
  readonly answerBytes: number;
  /**
   * What becomes of one that is larger, late or breaks off: an error, or its status and its
   * beginning. `error` when absent.
   */
  readonly partAnswer?: 'error' | 'beginning';
}

/** How long an answer may take where nothing else is said; ms. */
export const UPSTREAM_TIMEOUT_MS = 100_000;
/** How large an answer may be where nothing else is said; bytes. */
export const UPSTREAM_ANSWER_BYTES = 64 * 1024 * 1024;

/** Headers that belong to one connection (RFC 9110 7.6.1), and those made again for the next. */
const OF_CONNECTION = new Set<string>(
  words(
    'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer',
    'transfer-encoding upgrade content-length host expect',
  ),
);

/**
 * An HTTP client with keep-alive connections. It checks the address when it connects, and does not
 * follow redirects.
 */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#agent =
      options.url.protocol === 'https:'
        ? new (https().Agent)({ keepAlive: true })
        : new http.Agent({ keepAlive: true });
  }

  /** @throws {UpstreamError} */
  ask(asked: UpstreamRequest): Promise<UpstreamAnswer> {
    const { url, networks, timeoutMs } = this.#options;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => reject(asUpstreamError(error, url, timeoutMs));
      let request: ClientRequest;
      try {
        networks?.assertHost(host);
        request = (url.protocol === 'https:' ? https() : http).request({
          protocol: url.protocol,
          hostname: host,
          port: url.port,
          method: asked.method,
          path: asked.target,
          headers: ['Host', url.host, ...forwarded(asked.headers), ...framing(asked.body)],
          agent: this.#agent,
          ...(networks && { lookup: networks.lookup }),
          signal: AbortSignal.any([
            signalAfter(timeoutMs),
            ...(asked.signal === undefined ? [] : [asked.signal]),
          ]),
        });
      } catch (error) {
        // Also what HTTP cannot carry, such as a blank in a target.
        return fail(error as Error);
      }
      let isAnswered = false;
      let failure: Error | undefined;
      request.on('error', (error) => {
        failure = error;
        if (!isAnswered) fail(error);
      });
      request.on('response', (response) => {
        isAnswered = true;
        // Why the connection ended says more than that it did.
        this.#read(response, asked.came).then(resolve, (error) => fail(failure ?? error));
      });
      // What switches to another protocol is neither an answer nor an error of the connection.
      request.on('close', () => {
        if (!isAnswered) fail(new UpstreamError(`${url.host} gave no answer of HTTP.`));
      });
      send(request, asked.body).catch((error: Error) => request.destroy(error));
    });
  }

  /** Closes the connections that are kept. */
  close(): void {
    this.#agent.destroy();
  }

  async #read(response: IncomingMessage, came: UpstreamRequest['came']): Promise<UpstreamAnswer> {
    const { answerBytes, partAnswer } = this.#options;
    const address = response.socket.remoteAddress ?? '';
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        came?.(chunk.length);
        chunks.push(chunk.subarray(0, answerBytes - bytes));
        bytes += chunk.length;
        if (bytes > answerBytes)
          throw new UpstreamError(`Its answer has more than ${answerBytes} bytes.`);
      }
    } catch (error) {
      if (partAnswer !== 'beginning') throw error;
    }
    const status = response.statusCode ?? 502;
    return {
      status,
      headers: forwarded(response.rawHeaders),
      body: Buffer.concat(chunks),
      address,
    };
  }
}

/** The header that says where the body ends (RFC 9112 6). */
function framing(body: UpstreamRequest['body']): string[] {
  if (body === undefined) return [];
  return body instanceof Uint8Array
    ? ['Content-Length', String(body.length)]
    : ['Transfer-Encoding', 'chunked'];
}

async function send(request: ClientRequest, body: UpstreamRequest['body']): Promise<void> {
  if (body === undefined) {
    request.end();
  } else if (body instanceof Uint8Array) {
    request.end(body);
  } else {
    for await (const piece of body) {
      if (!request.write(piece)) await drained(request);
    }
    request.end();
  }
}

function drained(request: ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    request.once('drain', resolve);
    request.once('close', () => reject(new UpstreamError('It closed the connection.')));
  });
}

/**
 * The headers to pass on: neither those of the connection nor those that Connection names (RFC 9110
 * 7.6.1).
 */
function forwarded(headers: readonly string[]): string[] {
  const named = new Set<string>();
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]!.toLowerCase() !== 'connection') continue;
    for (const name of headers[at + 1]!.split(',')) named.add(name.trim().toLowerCase());
  }
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase();
    if (!OF_CONNECTION.has(name) && !named.has(name)) kept.push(headers[at]!, headers[at + 1]!);
  }
  return kept;
}

function asUpstreamError(error: Error, url: URL, timeoutMs: number): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (error instanceof PrivateNetworkError)
    return new UpstreamError(error.message, { cause: error });
  const { name, message, code, cause } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' && (cause as Error | undefined)?.name !== 'TimeoutError') {
    return new UpstreamError(`${url.host} was given up.`, { cause: error });
  }
  if (name === 'TimeoutError' || name === 'AbortError') {
    return new UpstreamError(`${url.host} did not answer within ${timeoutMs / 1000} s.`);
  }
  const reason = code === 'ECONNREFUSED' ? 'nothing listens there' : (code ?? message);
  return new UpstreamError(`${url.host} cannot be asked: ${reason}.`, { cause: error });
}

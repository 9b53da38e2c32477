import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { Server as NetServer, type Socket } from 'node:net';
import { time, within } from '@ws01/asmx/time';
import { type Certificate, createServer, OLDEST_TLS } from './listening.ts';
import { OpenRequests, refuseInTurn } from './open-requests.ts';
import {
  type Accept,
  acceptedAll,
  type BoundAddress,
  type ListenAddress,
  serveAt,
} from './sockets/listen.ts';
import { MAX_HEADERS, refuseRequest, type UnreadableMessage } from './unreadable-message.ts';

type Listener = (req: IncomingMessage, res: ServerResponse) => void;
type ContinuableListener = (
  req: IncomingMessage,
  res: ServerResponse,
  awaitsContinue: boolean,
) => void;

/**
 * Maximum size of the headers: the query of a GET request may contain a text of 100 kB,
 * percent-encoded; bytes.
 */
const MAX_HEADER_BYTES = 512 * 1024;
/** How long an idle connection is kept, as in IIS; ms. */
const KEEP_ALIVE_MS = 120_000;
/**
 * Timeout for the arrival of a request: a large image over a slow line takes about five minutes;
 * ms.
 */
const REQUEST_MS = 300_000;
const HEADERS_MS = 30_000;
/** Default grace of {@link HttpServer.stop}, and how often it closes idle connections; ms. */
const SWEEP_MS = 100;
/** Dependencies of the HTTP server. */
interface HttpServerDeps {
  /**
   * Answers a request if it is responsible, and returns whether it is. If the client waits for
   * `100 Continue`, it sends that itself.
   */
  readonly first: (req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean) => boolean;
  /** Answers all other requests. The response already has the request id. */
  readonly rest: Listener;
  /** Returns the request id. */
  readonly requestId: (req: IncomingMessage) => string;
  /** Prepares a request that {@link rest} answers. */
  readonly beforeRest?: Listener;
  /** The class of all responses; that of `node:http` by default. */
  readonly response?: typeof ServerResponse;
  /** The certificate, if the server uses TLS. */
  readonly tls?: Certificate | undefined;
  /** Wraps a listener so that the requests of a connection are served one after another. */
  readonly inTurn: (serve: ContinuableListener) => ContinuableListener;
  /**
   * Restarts a connection whose first request target contains raw UTF-8.
   * @returns whether it did.
   */
  readonly acceptRawTarget: (server: Server, error: UnreadableMessage, socket: Socket) => boolean;
  /**
   * Has a request that is answered before its body has come answered so that its client can read
   * it. If the client waits for `100 Continue`, it gets that from who reads the body.
   */
  readonly answerBeforeBody: ContinuableListener;
  /**
   * Drops what still comes on a connection whose last answer is written, for a bounded time, and
   * closes it.
   */
  readonly dropRest: (socket: Socket) => void;
  /**
   * Called before the server listens. It may take over connections before `node:http`, which gets
   * them from it.
   */
  readonly takeConnections?: (server: Server) => TakenConnections | undefined;
}

/** Connections that `node:http` does not know. */
interface TakenConnections {
  /** Closes each connection after its next answer. */
  finish(): void;
  /** Closes connections without a request in progress. */
  closeIdle(): void;
}

/** The listener of the service. */
export class HttpServer {
  readonly #deps: HttpServerDeps;
  readonly #server: Server;
  readonly #taken: TakenConnections | undefined;
  readonly #open = new OpenRequests();
  readonly #serveNext: ContinuableListener;
  readonly #connections = new Set<Socket>();
  readonly #refused = new WeakSet<Socket>();
  #onUnused = (): void => {};
  #ending: Promise<void> | undefined;
  #releasing: Promise<void> | undefined;
  #isLocal = false;
  #draining = false;
  /** The certificate in use; `undefined` without TLS. */
  certificate: Certificate | undefined;

  constructor(deps: HttpServerDeps) {
    this.#deps = deps;
    this.certificate = deps.tls;
    this.#serveNext = deps.inTurn((req, res, awaitsContinue) =>
      this.#serve(req, res, awaitsContinue),
    );
    this.#server = createServer(
      deps.tls,
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        keepAliveTimeout: KEEP_ALIVE_MS,
        requestTimeout: REQUEST_MS,
        headersTimeout: HEADERS_MS,
        // The header is required, but Node's own error has no message.
        requireHostHeader: false,
        ...(deps.response === undefined ? {} : { ServerResponse: deps.response }),
      },
      (req, res) => this.#accept(req, res, false),
    );
    this.#listenToEvents();
    this.#taken = deps.takeConnections?.(this.#server);
  }

  #listenToEvents(): void {
    const server = this.#server;
    // HTTP/1.0 tools may close their side after the request and still wait for the answer.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.on('clientError', (error: UnreadableMessage, socket: Socket) =>
      this.#refuseUnreadable(error, socket),
    );
    server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
      this.#deps.answerBeforeBody(req, res, false);
      refuseRequest(res, 'unknownExpectation', this.#deps.requestId(req));
    });
    // The reader of the body asks for it, so that a request that is refused is never sent in full.
    server.on('checkContinue', (req, res) => this.#accept(req, res, true));
    // Before authentication.
    server.on('connection', (socket: Socket) => {
      this.#connections.add(socket);
      socket.once('close', () => {
        this.#connections.delete(socket);
        if (this.#connections.size === 0) this.#onUnused();
      });
      if (this.#isLocal) Object.defineProperty(socket, 'remoteAddress', { value: LOCAL_PEER });
    });
  }

  #accept(req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean): void {
    this.#open.add(req.socket, res);
    this.#serveNext(req, res, awaitsContinue);
  }

  #serve(req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean): void {
    const { first, beforeRest, rest, requestId } = this.#deps;
    if (this.#draining) res.setHeader('Connection', 'close');
    if (req.headers.upgrade !== undefined) {
      req.socket.once('end', () => this.#refuseCutOff(req));
      // Without a body, Node's parser reads nothing more from this connection, so nothing more may
      // be sent on it.
      res.setHeader('Connection', 'close');
    }
    const fault = headerFault(req);
    if (fault !== undefined) {
      this.#deps.answerBeforeBody(req, res, awaitsContinue);
      refuseRequest(res, fault, requestId(req));
      return;
    }
    if (first(req, res, awaitsContinue)) return;
    res.setHeader('X-Request-Id', requestId(req));
    beforeRest?.(req, res);
    this.#deps.answerBeforeBody(req, res, awaitsContinue);
    rest(req, res);
  }

  /**
   * For a request with `Upgrade`, Node does not report that the client closed its side within the
   * body.
   */
  #refuseCutOff({ complete, socket }: IncomingMessage): void {
    if (complete) return;
    const error = Object.assign(new Error('The connection ended within a request.'), {
      code: 'HPE_INVALID_EOF_STATE',
    });
    this.#refuseInTurn(error, socket, this.#open.on(socket));
  }

  #refuseUnreadable(error: UnreadableMessage, socket: Socket): void {
    const unanswered = this.#open.on(socket);
    if (unanswered.length === 0) {
      this.#open.forget(socket);
      if (this.#deps.acceptRawTarget(this.#server, error, socket)) return;
    }
    this.#refuseInTurn(error, socket, unanswered);
  }

  async #refuseInTurn(
    error: UnreadableMessage,
    socket: Socket,
    unanswered: readonly ServerResponse[],
  ): Promise<void> {
    // The parser fails again at each packet that follows.
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    await refuseInTurn(error, socket, unanswered);
    if (!socket.destroyed) this.#deps.dropRest(socket);
  }

  /**
   * Starts to serve the connections of an address.
   * @param accept accepts them, if another process does.
   * @throws {Error} with `code` when the address cannot be bound.
   */
  async listen(address: ListenAddress, accept?: Accept): Promise<BoundAddress> {
    const bound = await serveAt(this.#server, address, accept);
    this.#isLocal = bound.isLocal;
    return bound;
  }

  /**
   * Uses another certificate from now on.
   * @throws {Error} when it is invalid; the present one stays in use.
   */
  secure(certificate: Certificate): void {
    (this.#server as HttpsServer).setSecureContext({ ...certificate, minVersion: OLDEST_TLS });
    this.certificate = certificate;
  }

  /**
   * Continues to serve, but closes each connection after its next answer, so that proxies leave.
   */
  drain(): void {
    this.#draining = true;
    this.#taken?.finish();
    for (const res of this.#open.all()) if (!res.headersSent) res.setHeader('Connection', 'close');
  }

  /** Resolves when the answers that are in flight now have ended, or a time has passed; ms. */
  async answered(bound: number): Promise<void> {
    const open = [...this.#open.all()].filter((res) => !res.closed);
    await within(bound, Promise.all(open.map((res) => once(res, 'close'))));
  }

  /** Stops accepting, and frees the address; the connections go on. */
  release(): Promise<void> {
    this.#releasing ??= this.#release();
    return this.#releasing;
  }

  /**
   * Stops accepting and finishes the answers in flight, with `Connection: close`.
   * @param bound timeout, after which connections are cut; ms.
   * @param grace how long an idle connection stays open so that its client can learn about the stop
   *   from an answer; ms; default: 100. A proxy that has drained its connections by then loses no
   *   call.
   * @returns whether everything finished in time.
   */
  stop(bound: number, grace = SWEEP_MS): Promise<boolean> {
    return new Promise((resolve) => {
      const since = performance.now();
      let isOver = false;
      const sweep = setInterval(() => {
        // One may have come since.
        if (isOver) this.#cut();
        else if (performance.now() - since >= grace) this.#closeIdle();
      }, SWEEP_MS);
      const cutOff = time.limit(bound, () => {
        isOver = true;
        resolve(false);
        this.#cut();
      });
      // A caller that learns that it took too long may stop it again, with less time.
      this.#ending ??= this.#end();
      this.#ending.then(() => {
        clearInterval(sweep);
        cutOff.end();
        resolve(true);
      });
    });
  }

  #closeIdle(): void {
    this.#server.closeIdleConnections();
    this.#taken?.closeIdle();
  }

  #cut(): void {
    for (const socket of this.#connections) socket.destroy();
  }

  async #release(): Promise<void> {
    if (!this.#server.listening) return;
    await acceptedAll(this.#server);
    // As `close` of node:http does, but idle connections keep their grace.
    NetServer.prototype.close.call(this.#server);
  }

  /** Stops accepting. Resolves when all connections have ended. */
  async #end(): Promise<void> {
    await this.release();
    // Not sooner: a proxy would open a connection for each call, just when no further ones are
    // accepted.
    this.drain();
    const unused = Promise.withResolvers<void>();
    this.#onUnused = unused.resolve;
    if (this.#connections.size === 0) unused.resolve();
    await unused.promise;
    await new Promise((closed) => this.#server.close(closed));
  }
}

/** Clients of a Unix socket are on this machine, like a proxy on the loopback address. */
const LOCAL_PEER = '127.0.0.1';

/** Returns what is wrong with the headers of a request (RFC 9112, 3.2). */
function headerFault({ headers, rawHeaders, httpVersion }: IncomingMessage) {
  if (rawHeaders.length > 2 * MAX_HEADERS) return 'manyHeaders';
  const coding = headers['transfer-encoding'];
  // RFC 9112, 6.1: a proxy of HTTP/1.0 would find its end elsewhere.
  if (coding !== undefined && httpVersion !== '1.1') return 'codingBefore11';
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') return 'transferCoding';
  if (headers.host === undefined) return httpVersion === '1.1' ? 'noHost' : undefined;
  // Node keeps only the first one.
  const hosts = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'host',
  ).length;
  return hosts > 1 ? 'manyHosts' : undefined;
}

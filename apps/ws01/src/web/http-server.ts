import { chmod, rm, stat } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { MAX_HEADERS, refuseMessage, refuseRequest, type UnreadableMessage } from './unreadable-message.ts';

// Not by `import`, which reads every export of the module, and with `WebSocket` loads all of fetch: 16 MB, 60 ms.
const http = process.getBuiltinModule('node:http');

type Listener = (req: IncomingMessage, res: ServerResponse) => void;
type ContinuableListener = (req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean) => void;

/** A header section may hold a GET request's whole query: a text of 100 kB, each of its bytes escaped; bytes. */
const MAX_HEADER_BYTES = 512 * 1024;
/** As long as IIS keeps an idle connection; ms. */
const KEEP_ALIVE_MS = 120_000;
/** How long a request may take to arrive; ms. A slow line needs about five minutes for a large image. */
const REQUEST_MS = 300_000;
const HEADERS_MS = 30_000;
/** What {@link HttpServer.stop} grants, and how often it looks for idle connections then; ms. */
const SWEEP_MS = 100;
/** Connections that wait to be accepted; the system has a bound, too (Linux: `net.core.somaxconn`). Node's default is 511. */
const BACKLOG = 4096;

/** The one listener of the service. */
export interface HttpServer {
  /**
   * Begins to accept.
   * @returns the port, which is another than asked for when that was 0.
   * @throws {Error} with `code`, when the address cannot be bound.
   */
  listen(host: string, port: number): Promise<number>;
  /**
   * The same on a socket of the file system, or one that was opened by who started this process.
   * @returns nothing: there is no port. @throws {Error} with `code`.
   */
  listenLocally(where: LocalSocket): Promise<void>;
  /** Shows another certificate from now on. @throws {Error} when it cannot be used; the present one stays. */
  secure(tls: Certificate): void;
  /** Serves on, but has each answer from now on be the last of its connection: so proxies let go of theirs. */
  drain(): void;
  /**
   * Stops accepting, lets the answers in flight finish and say `Connection: close`.
   * @param bound after which connections are cut off; ms.
   * @param grace how long a client may take to learn of it by an answer, before its idle connection is closed; ms, 100
   *   when absent. A proxy that has drained its connections meanwhile loses no call to a closed one.
   * @returns whether everything finished within the bound.
   */
  stop(bound: number, grace?: number): Promise<boolean>;
}

/** A socket of the file system, with its access rights; or an open descriptor. */
type LocalSocket = { readonly path: string; readonly mode: number } | { readonly fd: number };

/** A certificate with its chain, and its key; PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Who answers what. */
interface HttpServerDeps {
  /**
   * Takes a request and says whether it was its own; told when the client waits for `100 Continue`, which it then sends
   * itself.
   */
  readonly first: (req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean) => boolean;
  /** Answers the others. The answer has the request's id already. */
  readonly rest: Listener;
  /** What finds a request in the log. */
  readonly requestId: (req: IncomingMessage) => string;
  /** Of a server that speaks TLS. */
  readonly tls?: Certificate | undefined;
  /** Has the requests of a connection served one after another. */
  readonly inTurn: (serve: ContinuableListener) => ContinuableListener;
  /** Begins a connection again whose first request has raw UTF-8 in its target. @returns whether it did. */
  readonly acceptRawTarget: (server: Server, error: UnreadableMessage, socket: Socket) => boolean;
  /** Is told of the server before it listens. It may take connections before `node:http` does, which gets them from it. */
  readonly takeConnections?: (server: Server) => TakenConnections | undefined;
}

/** Connections that `node:http` does not know of. */
interface TakenConnections {
  /** Has each answer from now on be the last of its connection. */
  finish(): void;
  /** Closes those on which no request has been begun. */
  closeIdle(): void;
  /** Cuts off all. */
  destroy(): void;
}

export function createHttpServer({
  first,
  rest,
  requestId,
  tls,
  inTurn,
  acceptRawTarget,
  takeConnections,
}: HttpServerDeps): HttpServer {
  /** The requests of each connection that are not answered or not read to their end, those that wait for their turn included. */
  const open = new Map<Socket, Set<ServerResponse>>();
  const noteOpen = (socket: Socket, res: ServerResponse) => {
    let responses = open.get(socket);
    if (responses === undefined) {
      responses = new Set();
      open.set(socket, responses);
      // Those that wait for their turn then are never told themselves.
      socket.on('close', () => open.delete(socket));
    }
    responses.add(res);
    res.on('close', () => {
      // What breaks off in the body of a request that was answered has had its answer.
      if (res.req.complete) responses.delete(res);
      else res.req.once('end', () => responses.delete(res));
    });
  };
  const serveNext = inTurn((req, res, awaitsContinue) => {
    if (draining) res.setHeader('Connection', 'close');
    if (req.headers.upgrade !== undefined) {
      req.socket.once('end', () => refuseCutOff(req));
      // Without a body behind it Node's parser reads nothing more from this connection, and so must nobody else send on it.
      res.setHeader('Connection', 'close');
    }
    const fault = headerFault(req);
    if (fault !== undefined) return refuseRequest(res, fault, requestId(req));
    if (first(req, res, awaitsContinue)) return;
    res.setHeader('X-Request-Id', requestId(req));
    if (awaitsContinue) {
      // A proxy that has the answer already may not send the body any more, and send its next request in its place.
      res.setHeader('Connection', 'close');
      res.writeContinue();
    }
    rest(req, res);
  });
  const serve: ContinuableListener = (req, res, awaitsContinue) => {
    noteOpen(req.socket, res);
    serveNext(req, res, awaitsContinue);
  };
  const unansweredOn = (socket: Socket) => [...(open.get(socket) ?? [])];
  /** Of a request with `Upgrade`, Node does not tell that its client closed its side in the middle of the body. */
  const refuseCutOff = ({ complete, socket }: IncomingMessage) => {
    if (!complete) refuseInTurn(new Error('The connection ended within a request.'), socket, unansweredOn(socket));
  };
  const server: Server = createServer(
    tls,
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: REQUEST_MS,
      headersTimeout: HEADERS_MS,
      // It is required, but Node's refusal says nothing.
      requireHostHeader: false,
    },
    (req, res) => serve(req, res, false),
  );
  // A client that has sent its request may close its side, as HTTP/1.0 tools do, and still wait for the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('clientError', (error: UnreadableMessage, socket: Socket) => {
    const unanswered = unansweredOn(socket);
    if (unanswered.length === 0) {
      open.delete(socket);
      if (acceptRawTarget(server, error, socket)) return;
    }
    refuseInTurn(error, socket, unanswered);
  });
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) =>
    refuseRequest(res, 'unknownExpectation', requestId(req)),
  );
  // The body is asked for by whoever reads it, so that a request which is refused anyway is not sent.
  server.on('checkContinue', (req, res) => serve(req, res, true));
  // Before anybody looks who it is.
  server.on('connection', (socket: Socket) => {
    if (isLocal) Object.defineProperty(socket, 'remoteAddress', { value: LOCAL_PEER });
  });
  const taken = takeConnections?.(server);
  let isLocal = false;
  let draining = false;
  const drain = () => {
    draining = true;
    taken?.finish();
    for (const responses of open.values()) {
      for (const res of responses) if (!res.headersSent) res.setHeader('Connection', 'close');
    }
  };
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, BACKLOG, () => {
          server.off('error', reject);
          const address = server.address();
          resolve(typeof address === 'object' && address !== null ? address.port : port);
        });
      }),
    listenLocally: async (where) => {
      if ('path' in where) await removeStale(where.path);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(
          'path' in where ? { path: where.path, backlog: BACKLOG } : { fd: where.fd, backlog: BACKLOG },
          () => {
            server.off('error', reject);
            resolve();
          },
        );
      });
      if ('path' in where) await chmod(where.path, where.mode);
      // Of a socket of the file system Node knows the path that it was asked for, of one that was handed over nothing.
      const address = server.address();
      isLocal = typeof address === 'string' || address === null;
    },
    secure(certificate) {
      (server as HttpsServer).setSecureContext({ ...certificate, minVersion: OLDEST_TLS });
    },
    drain,
    stop: (bound, grace = SWEEP_MS) =>
      new Promise((resolve) => {
        const since = performance.now();
        const sweep = setInterval(() => {
          if (performance.now() - since < grace) return;
          server.closeIdleConnections();
          taken?.closeIdle();
        }, SWEEP_MS);
        const cutOff = setTimeout(() => {
          resolve(false);
          server.closeAllConnections();
          taken?.destroy();
        }, bound);
        server.close(() => {
          clearInterval(sweep);
          clearTimeout(cutOff);
          resolve(true);
        });
        drain();
      }),
  };
}

/** Who connects by a socket of the file system is on this machine, as a proxy on loopback is. */
const LOCAL_PEER = '127.0.0.1';

const OLDEST_TLS = 'TLSv1.2';
/** How long a client may take to agree on TLS; ms. */
const HANDSHAKE_MS = 10_000;

function createServer(tls: Certificate | undefined, options: ServerOptions, serve: Listener): Server {
  if (tls === undefined) return http.createServer(options, serve);
  const https = process.getBuiltinModule('node:https');
  const secure = { ...tls, minVersion: OLDEST_TLS, handshakeTimeout: HANDSHAKE_MS } as const;
  return https.createServer({ ...options, ...secure }, serve);
}

/** Removes a socket that nobody listens on any more. @throws {Error} `EADDRINUSE` where somebody does. */
async function removeStale(path: string): Promise<void> {
  const isSocket = await stat(path).then(
    (found) => found.isSocket(),
    () => false,
  );
  if (!isSocket) return;
  const answers = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => resolve(true)).on('error', () => resolve(false));
    probe.on('connect', () => probe.destroy());
  });
  // Where somebody listens, listening fails and says so.
  if (!answers) await rm(path, { force: true });
}

/** What is wrong with the headers of a request (RFC 9112 3.2). */
function headerFault({ headers, rawHeaders, httpVersion }: IncomingMessage) {
  if (rawHeaders.length > 2 * MAX_HEADERS) return 'manyHeaders';
  if (headers.host === undefined) return httpVersion === '1.1' ? 'noHost' : undefined;
  // Node keeps the first one alone.
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  return hosts > 1 ? 'manyHosts' : undefined;
}

/**
 * Refuses what is unreadable behind, or in, the requests of a connection that are not answered yet: after their
 * answers, so that each client reads its own; and not at all where an answer to the broken request itself is out.
 */
async function refuseInTurn(
  error: UnreadableMessage,
  socket: Socket,
  unanswered: readonly ServerResponse[],
): Promise<void> {
  const complete = unanswered.filter((res) => res.req.complete);
  await Promise.all(complete.map((res) => new Promise((resolve) => res.once('close', resolve))));
  const broken = unanswered.find((res) => !res.req.complete);
  if (broken?.headersSent) socket.end();
  else refuseMessage(error, socket);
}

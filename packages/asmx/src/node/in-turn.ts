import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { DEFAULT_READER_LIMITS, type ReaderLimits } from './slow-readers.ts';

/** @param awaitsContinue whether it is asked for by the server's `checkContinue` event. */
type Listener = (req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean) => void;

/** The requests of a connection that are not answered, the one that is being served first. */
const unanswered = new WeakMap<Socket, (() => void)[]>();

/** Requests whose turn has come, of all connections. */
const due: (() => void)[] = [];

/**
 * Serves each request in a later turn of the event loop, one in each turn. Otherwise all requests
 * of one packet, and so of all connections, would be served at a stretch, before anybody else is
 * heard.
 */
export function serveLater(proceed: () => void): void {
  if (due.push(proceed) === 1) setImmediate(serveNext);
}

/**
 * For so long requests whose turn has come stand back behind connections that are accepted, one in
 * each turn; ms.
 */
const STAND_BACK_MS = 25;
let hasConnected = false;
let standsBackSince: number | undefined;

/** Accepts new connections before the next request of {@link serveLater} is served. */
export function acceptFirst(server: Server): void {
  server.on('connection', () => {
    hasConnected = true;
  });
}

/** Whether this turn is for those who connect: more of them may wait behind the last one. */
function standsBack(): boolean {
  const connected = hasConnected;
  hasConnected = false;
  const now = performance.now();
  standsBackSince ??= now;
  if (connected && now - standsBackSince < STAND_BACK_MS) return true;
  standsBackSince = undefined;
  return false;
}

function serveNext(): void {
  if (standsBack()) {
    setImmediate(serveNext);
    return;
  }
  const proceed = due.shift();
  if (due.length > 0) setImmediate(serveNext);
  proceed?.();
}

/**
 * A listener that serves the requests of a connection one after another; each starts when the
 * client has received the previous answer. `node:http` alone starts all pipelined requests of a
 * packet concurrently, possibly hundreds, and buffers their answers even if the client does not
 * read.
 *
 * @param limits only `waitingRequests` counts here.
 */
export function inTurn(
  serve: Listener,
  { waitingRequests }: Pick<ReaderLimits, 'waitingRequests'> = DEFAULT_READER_LIMITS,
): (req: IncomingMessage, res: ServerResponse, awaitsContinue?: boolean) => void {
  return (req, res, awaitsContinue = false) => {
    const { socket } = req;
    let requests = unanswered.get(socket);
    if (requests === undefined) {
      requests = [];
      unanswered.set(socket, requests);
    }
    const proceed = () => {
      if (!socket.destroyed) serve(req, res, awaitsContinue);
    };
    const waiting = requests.push(proceed);
    res.on('close', () => {
      const next = requests.shift() === undefined ? undefined : requests[0];
      if (next !== undefined && !socket.destroyed) serveLater(next);
    });
    if (waiting === 1) proceed();
    else if (waiting > waitingRequests) socket.destroy();
  };
}

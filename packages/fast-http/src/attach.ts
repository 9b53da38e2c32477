import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Endpoint } from '@ws01/asmx/internal/engine/endpoint-options';
import { connectionEventOf } from '@ws01/asmx/internal/node/connection-event';
import { readHeadsFirst, watchHeads } from '@ws01/asmx/internal/node/unfinished-heads';
import { time } from '@ws01/asmx/time';
import { type ConnectionDeps, FastConnection, type OtherAnswers } from './connection.ts';

/** The connections on the fast path. */
export interface FastConnections {
  /** Has each answer from now on be the last of its connection. */
  finish(): void;
  /** Closes those on which no request has been begun. */
  closeIdle(): void;
  /** Cuts off all. */
  destroy(): void;
}

/** How often connections are looked after; ms. */
const CHECK_EVERY_MS = 1_000;

/**
 * Lets an endpoint answer requests without `node:http`, whose parser and streams cost several times
 * as much as the rest: each request is read from the socket in one piece, and its head is compared
 * with the previous one. `readRequestHead` says which requests take the fast path. For any other
 * request, the server gets the connection and keeps it; so the server must serve the endpoint, too,
 * and its timeouts apply.
 *
 * Without it a call takes 1.5 times the CPU time (`npm run bench -- fast`: countUserPosted, 32
 * connections). `packages/fast-http/test/request.test.ts` proves that both answer the same.
 *
 * @param server before it listens.
 * @param others answers a GET that is not for the endpoint, if it comes without a body;
 *   `undefined`, at once or later: the server must.
 */
export function attachFastPath(
  server: Server,
  endpoint: Pick<Endpoint, 'request' | 'arriving'>,
  others: OtherAnswers = () => undefined,
): FastConnections {
  readHeadsFirst(server);
  // The server's own listener, which is always the first; other listeners still get every
  // connection.
  const event = connectionEventOf(server);
  const [general] = server.listeners(event) as ((socket: Socket) => void)[];
  if (general === undefined) throw new TypeError('The server takes no connections.');
  const connections = new Set<FastConnection>();
  let stopping = false;
  const deps: ConnectionDeps = {
    endpoint,
    others,
    get keepAliveTimeout() {
      return server.keepAliveTimeout;
    },
    get headersTimeout() {
      return server.headersTimeout;
    },
    handOver(socket, unanswered) {
      watchHeads(server, socket, unanswered.length);
      general.call(server, socket);
      giveBack(socket, unanswered);
    },
    refuseBroken(socket) {
      const error = Object.assign(new Error('The connection ended within a request.'), {
        code: 'HPE_INVALID_EOF_STATE',
      });
      if (!server.emit('clientError', error, socket)) socket.destroy();
    },
    onLeft: (connection) => connections.delete(connection),
  };
  server.off(event, general);
  server.on(event, (socket: Socket) => {
    const connection = new FastConnection(socket, deps);
    connections.add(connection);
    if (stopping) connection.finish();
  });
  const checking = setInterval(() => {
    const now = time.steady();
    for (const connection of connections) connection.check(now);
  }, CHECK_EVERY_MS).unref();
  server.on('close', () => clearInterval(checking));
  return {
    finish() {
      stopping = true;
      for (const connection of connections) connection.finish();
    },
    closeIdle() {
      for (const connection of connections) connection.closeIfIdle();
    },
    destroy() {
      for (const connection of connections) connection.destroy();
    },
  };
}

/** Lets a socket be read again from what was not answered on. */
function giveBack(socket: Socket, unanswered: Buffer): void {
  if (socket.readableEnded) {
    // A socket that has ended takes no bytes back, so its events are emitted again.
    if (unanswered.length > 0) socket.emit('data', unanswered);
    socket.emit('end');
    return;
  }
  if (unanswered.length > 0) socket.unshift(unanswered);
  socket.resume();
}

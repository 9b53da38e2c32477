import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Endpoint } from '@ws01/asmx';
import {
  acceptFirst,
  boundHeads,
  countBody,
  DEFAULT_READER_LIMITS,
  inTurn,
  LongResponse,
  serveLater,
  slowReaders,
} from '@ws01/asmx/node';
import type { Config } from '../config/config.ts';

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

// As in the service's own listener: `import` would load all of fetch.
const http = process.getBuiltinModule('node:http');

/**
 * The bounds of every door of a process, on any port and in front of any part: one account for what
 * arrives before its sender is known, and one for answers that are not read.
 */
export interface Doors {
  /** Bounds the connections of a server. @param server before it listens. */
  readonly guard: (server: Server) => void;
  /** Counts the body of a request that the endpoint does not read. */
  readonly countBody: Listener;
  /** Creates a server of its own port. */
  readonly createServer: (listener: Listener) => Server;
}

/** @param endpoint whose account is meant. */
export function createDoors(
  { maxUnreadBytes }: Pick<Config, 'maxUnreadBytes'>,
  endpoint: Pick<Endpoint, 'arriving'>,
): Doors {
  const watchReaders = slowReaders({ ...DEFAULT_READER_LIMITS, totalUnreadBytes: maxUnreadBytes });
  const guard = (server: Server) => {
    watchReaders(server);
    acceptFirst(server);
    boundHeads(server, endpoint);
  };
  const count: Listener = (req, res) => countBody(req, res, endpoint);
  return {
    guard,
    countBody: count,
    createServer(listener) {
      const serve = inTurn((req, res) => {
        count(req, res);
        serveLater(() => res.destroyed || listener(req, res));
      });
      const server = http.createServer({ ServerResponse: LongResponse }, (req, res) =>
        serve(req, res),
      );
      guard(server);
      return server;
    },
  };
}

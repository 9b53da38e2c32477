import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Accept, serveAt } from './sockets/listen.ts';

/** Creates a server that does not listen yet. */
export type CreateServer = (
  listener: (req: IncomingMessage, res: ServerResponse) => void,
) => Server;

/** A listener on its own port, for metrics or for the console. */
export interface SideServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Binds a listener.
 * @param port 0 takes a free one.
 * @param accept accepts the connections, if another process does.
 * @throws {Error} with `code` when the address cannot be bound.
 */
export async function startSideServer(
  server: Server,
  host: string,
  port: number,
  accept?: Accept,
): Promise<SideServer> {
  const bound = await serveAt(server, { host, port }, accept);
  return {
    port: bound.port ?? port,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

import type { Server } from 'node:http';
import { listen } from './listening.ts';

/** A listener on its own port, for metrics or for the console. */
export interface SideServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Binds a listener.
 * @param port 0 takes a free one.
 * @throws {Error} with `code` when the address cannot be bound.
 */
export async function startSideServer(server: Server, host: string, port: number): Promise<SideServer> {
  return {
    port: await listen(server, host, port),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

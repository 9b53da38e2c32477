import type { Server } from 'node:http';

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
export function listen(server: Server, host: string, port: number): Promise<SideServer> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address !== null ? address.port : port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}

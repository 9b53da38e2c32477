import { type CreateServer, type SideServer, startSideServer } from '../side-server.ts';
import type { Metrics } from './metrics.ts';

/**
 * Serves metrics at `/metrics`, in Prometheus's text format.
 * @throws {Error} with `code` when the address cannot be bound.
 */
export function serveMetrics(
  { contentType, text }: Pick<Metrics, 'contentType' | 'text'>,
  host: string,
  port: number,
  createServer: CreateServer,
): Promise<SideServer> {
  const server = createServer(async (req, res) => {
    const path = req.url?.split('?', 1)[0];
    if ((req.method !== 'GET' && req.method !== 'HEAD') || path !== '/metrics') {
      res
        .writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' })
        .end('Metrics are at /metrics.\n');
      return;
    }
    try {
      const body = await text();
      res.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(body);
    } catch {
      res
        .writeHead(503, { 'Content-Type': 'text/plain; charset=utf-8' })
        .end('The metrics could not be gathered.\n');
    }
  });
  return startSideServer(server, host, port);
}

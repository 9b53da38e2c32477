import type { Registry } from 'prom-client';

// As the service's own listener does: not by `import`, which loads all of fetch.
const http = process.getBuiltinModule('node:http');

/** What is counted of an answered call. No label ever holds a value that a client sent. */
export interface MeasuredCall {
  /** The operation's name; `undefined` when none was recognised. */
  readonly operation: string | undefined;
  readonly binding: string;
  /** The code of the error that was answered, and whose fault that is. */
  readonly error: string | undefined;
  readonly side: 'client' | 'server' | undefined;
  /** From the request's arrival to its answer; ms. */
  readonly durationMs: number;
  /** Whether something of the request was lost although it was answered, such as bytes in an unknown charset. */
  readonly lossy: boolean;
}

/** The metrics of one process. */
export interface Metrics {
  measure(call: MeasuredCall): void;
  readonly registry: Registry;
}

/** Upper bounds of the latency histogram; s. A read takes a millisecond, a durable write some, an image a second. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Loads the library, which a service without `METRICS_PORT` does not need, and begins to measure the process. */
export async function createMetrics(): Promise<Metrics> {
  const { AggregatorRegistry, Counter, collectDefaultMetrics, Histogram, register } = await import('prom-client');
  // In a worker it answers what the primary process asks for.
  new AggregatorRegistry();
  collectDefaultMetrics();
  const calls = new Counter({
    name: 'ws01_calls_total',
    help: 'Answered calls.',
    labelNames: ['operation', 'binding'],
  });
  const errors = new Counter({
    name: 'ws01_errors_total',
    help: 'Calls answered with an error, by its code and by whose fault it was.',
    labelNames: ['code', 'fault'],
  });
  const durations = new Histogram({
    name: 'ws01_call_duration_seconds',
    help: 'From the arrival of a request to its answer.',
    labelNames: ['operation', 'binding'],
    buckets: BUCKETS,
  });
  const lossy = new Counter({
    name: 'ws01_calls_lossy_total',
    help: 'Calls that were answered although bytes of the request were lost, see LEGACY_CHARSET.',
    labelNames: ['operation', 'binding'],
  });
  return {
    registry: register,
    measure({ operation = 'none', binding, error, side, durationMs, lossy: lost }) {
      calls.inc({ operation, binding });
      durations.observe({ operation, binding }, durationMs / 1000);
      if (error !== undefined) errors.inc({ code: error, fault: side ?? 'server' });
      if (lost) lossy.inc({ operation, binding });
    },
  };
}

/** Where metrics are served. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves the metrics of this process at `/metrics`, in the text format of Prometheus.
 * @throws {Error} with `code`, when the address cannot be bound.
 */
export function serveMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  host: string,
  port: number,
): Promise<MetricsServer> {
  return serve(registry.contentType, () => registry.metrics(), host, port);
}

/** The same for the primary process of several workers: theirs, added up. */
export async function serveMetricsOfWorkers(host: string, port: number): Promise<MetricsServer> {
  const { AggregatorRegistry } = await import('prom-client');
  const workers = new AggregatorRegistry();
  return serve(workers.contentType, () => workers.clusterMetrics(), host, port);
}

function serve(type: string, text: () => Promise<string>, host: string, port: number): Promise<MetricsServer> {
  const server = http.createServer(async (req, res) => {
    const path = req.url?.split('?', 1)[0];
    if ((req.method !== 'GET' && req.method !== 'HEAD') || path !== '/metrics') {
      res.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('Metrics are at /metrics.\n');
      return;
    }
    try {
      const body = await text();
      res.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body);
    } catch {
      res.writeHead(503, { 'Content-Type': 'text/plain; charset=utf-8' }).end('The metrics could not be gathered.\n');
    }
  });
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

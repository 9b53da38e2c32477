/** What the primary process of several workers needs of the metrics. */

export { type MetricsServer, serveMetricsOfWorkers } from '../web/metrics.ts';

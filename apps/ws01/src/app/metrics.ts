/** The parts of the metrics that the primary process of several workers needs. */

export { type MergedMetrics, mergeMetrics } from '../web/metrics/merged-metrics.ts';
export type { MetricsReport } from '../web/metrics/metrics.ts';
export { serveMetrics } from '../web/metrics/server.ts';
export type { SideServer } from '../web/side-server.ts';

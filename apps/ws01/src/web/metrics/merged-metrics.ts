import type { Metrics, MetricsReport } from './metrics.ts';

/** The merged metrics of several workers. */
export interface MergedMetrics extends Pick<Metrics, 'contentType' | 'text'> {
  /** Keeps the counters of an ended worker: Prometheus would take a falling sum for a restart. */
  keep(lastReport: MetricsReport): Promise<void>;
}

/** @param reports returns the reports of the serving workers. */
export async function mergeMetrics(
  reports: () => Promise<readonly MetricsReport[]>,
): Promise<MergedMetrics> {
  const { AggregatorRegistry } = await import('prom-client');
  const merge = (all: readonly MetricsReport[]) =>
    AggregatorRegistry.aggregate(all.map((one) => [...one]));
  let ended: MetricsReport = [];
  let keeping = Promise.resolve();
  return {
    contentType: merge([]).contentType,
    async text() {
      const serving = await reports();
      await keeping;
      return merge([...serving, ended]).metrics();
    },
    keep(lastReport) {
      const counted = lastReport.filter(({ type }) => COUNTED.has(String(type)));
      keeping = keeping.then(async () => {
        ended = (await merge([ended, counted]).getMetricsAsJSON()) as unknown as MetricsReport;
      });
      return keeping;
    },
  };
}

/** Other metrics of an ended worker are no longer valid. */
const COUNTED: ReadonlySet<string> = new Set(['counter', 'histogram', 'summary']);

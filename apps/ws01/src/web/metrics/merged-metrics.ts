import type { Metrics, MetricsReport } from './metrics.ts';

/** The metrics of several workers as one. */
export interface MergedMetrics extends Pick<Metrics, 'contentType' | 'text'> {
  /** Keeps what an ended worker has counted: a sum that fell would look to Prometheus as if all were counted again. */
  keep(lastReport: MetricsReport): Promise<void>;
}

/**
 * @param reports asks the workers that serve now.
 */
export async function mergeMetrics(reports: () => Promise<readonly MetricsReport[]>): Promise<MergedMetrics> {
  const { AggregatorRegistry } = await import('prom-client');
  const merge = (all: readonly MetricsReport[]) => AggregatorRegistry.aggregate(all.map((one) => [...one]));
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

/** Of an ended worker nothing else is true any more. */
const COUNTED: ReadonlySet<string> = new Set(['counter', 'histogram', 'summary']);

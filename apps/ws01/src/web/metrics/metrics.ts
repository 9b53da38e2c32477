import { within } from '@ws01/asmx/time';
import type { Counter, Gauge, MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

/** The measured data of an answered call. No label contains a value from a client. */
export interface MeasuredCall {
  /** The name of the operation; `undefined` if unknown. */
  readonly operation: string | undefined;
  readonly binding: string;
  /** The error code of the answer, and the side at fault. */
  readonly error: string | undefined;
  readonly side: 'client' | 'server' | undefined;
  /** From the arrival of the request to its answer; ms. */
  readonly durationMs: number;
  /** Whether data was lost although the call was answered, such as bytes in an unknown charset. */
  readonly lossy: boolean;
}

type Labels = Readonly<Record<string, string>>;

/**
 * The value of a metric without labels, or the values by label set; `undefined` if there is none.
 */
type Samples = number | undefined | readonly (readonly [Labels, number])[];

/** A metric that is read at each scrape. */
export interface AskedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly labels?: readonly string[];
  /**
   * How workers are merged: `sum` (default), or `max` for values that each worker sees as a whole.
   */
  readonly merge?: 'sum' | 'max';
  /** Returns the value. May fail or hang; the scrape then leaves it out. */
  readonly ask: () => Samples | Promise<Samples>;
}

/** A histogram. */
interface ObservedMetric {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Upper bounds. */
  readonly buckets: readonly number[];
}

/** All metrics of one process as data, for the primary process to merge. */
export type MetricsReport = readonly MetricObjectWithValues<MetricValue<string>>[];

/** The metrics of one process. */
export interface Metrics {
  measure(call: MeasuredCall): void;
  ask(metric: AskedMetric): void;
  /** @returns the function that records a value. */
  observe(metric: ObservedMetric): (value: number, labels?: Labels) => void;
  readonly contentType: string;
  /** Returns the metrics in Prometheus's text format. */
  text(): Promise<string>;
  report(): Promise<MetricsReport>;
  /** Lets go what the metrics ask; the library measures the process as long as that runs. */
  close(): void;
}

/**
 * Upper bounds of latencies; s. A read takes a millisecond, a durable write several, an image a
 * second.
 */
export const LATENCIES = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Timeout of a value at a scrape; ms. Prometheus itself waits for ten seconds. */
const ANSWER_WITHIN_MS = 2_000;

/**
 * Loads the metrics library, which is needed only with `METRICS_PORT`, and starts to measure the
 * process.
 */
export async function createMetrics(): Promise<Metrics> {
  const library = await import('prom-client');
  const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = library;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    measure: createCallMetrics(library, registers),
    ask({ name, help, type, labels = [], merge = 'sum', ask }) {
      const inTime = answeredInTime(ask);
      const Kind = type === 'gauge' ? Gauge : Counter;
      new Kind({
        name,
        help,
        labelNames: [...labels],
        aggregator: merge,
        registers,
        async collect(this: Counter | Gauge) {
          const samples = await inTime();
          this.reset();
          if (typeof samples === 'object')
            for (const [sample, value] of samples) increase(this, sample, value);
          else if (samples !== undefined) this.inc(samples);
          // A metric without labels is 0 unless it is removed.
          else if (labels.length === 0) this.remove();
        },
      });
    },
    observe({ name, help, labels = [], buckets }) {
      const histogram = new Histogram({
        name,
        help,
        labelNames: [...labels],
        buckets: [...buckets],
        registers,
      });
      return (value, sample = {}) => histogram.observe({ ...sample }, value);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
    report: () => registry.getMetricsAsJSON() as Promise<MetricsReport>,
    close: () => registry.clear(),
  };
}

/** What each call is counted in. */
function createCallMetrics(
  { Counter, Histogram }: typeof import('prom-client'),
  registers: Registry[],
): Metrics['measure'] {
  const calls = new Counter({
    name: 'ws01_calls_total',
    help: 'Answered calls.',
    labelNames: ['operation', 'binding'],
    registers,
  });
  const errors = new Counter({
    name: 'ws01_errors_total',
    help: 'Calls answered with an error, by its code and by whose fault it was.',
    labelNames: ['code', 'fault'],
    registers,
  });
  const durations = new Histogram({
    name: 'ws01_call_duration_seconds',
    help: 'From the arrival of a request to its answer.',
    labelNames: ['operation', 'binding'],
    buckets: LATENCIES,
    registers,
  });
  const lossy = new Counter({
    name: 'ws01_calls_lossy_total',
    help: 'Calls that were answered although bytes of the request were lost, see LEGACY_CHARSET.',
    labelNames: ['operation', 'binding'],
    registers,
  });
  return ({ operation = 'none', binding, error, side, durationMs, lossy: lost }) => {
    calls.inc({ operation, binding });
    durations.observe({ operation, binding }, durationMs / 1000);
    if (error !== undefined) errors.inc({ code: error, fault: side ?? 'server' });
    if (lost) lossy.inc({ operation, binding });
  };
}

/** The library's types do not unify its two kinds. */
function increase(metric: Counter | Gauge, sample: Labels, value: number): void {
  (metric as Gauge).inc({ ...sample }, value);
}

/**
 * Reads a value with a timeout, never twice at a time; `undefined` if it fails or takes too long.
 */
function answeredInTime(ask: AskedMetric['ask']): () => Promise<Samples> {
  let underWay: Promise<Samples> | undefined;
  return () => {
    underWay ??= Promise.resolve()
      .then(ask)
      .catch(() => undefined)
      .finally(() => {
        underWay = undefined;
      });
    return within(ANSWER_WITHIN_MS, underWay);
  };
}

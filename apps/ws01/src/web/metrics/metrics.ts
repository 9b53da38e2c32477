import type { Counter, Gauge, MetricObjectWithValues, MetricValue } from 'prom-client';

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

type Labels = Readonly<Record<string, string>>;

/** The value of a metric without labels, or each label set with its value; `undefined` where there is nothing to tell. */
type Samples = number | undefined | readonly (readonly [Labels, number])[];

/** A metric whose value somebody else keeps: it is asked for at each scrape. */
export interface AskedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly labels?: readonly string[];
  /** How workers are merged: `sum` when absent; `max` for what each of them sees whole. */
  readonly merge?: 'sum' | 'max';
  /** May fail or hang: the scrape then goes on without it. */
  readonly ask: () => Samples | Promise<Samples>;
}

/** What is observed one by one, in buckets. */
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
  /** @returns what takes a value. */
  observe(metric: ObservedMetric): (value: number, labels?: Labels) => void;
  readonly contentType: string;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  report(): Promise<MetricsReport>;
}

/** Upper bounds of latencies; s. A read takes a millisecond, a durable write some, an image a second. */
export const LATENCIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A value that has not come by then is left out of this scrape; ms. Prometheus itself waits for ten seconds. */
const ANSWER_WITHIN_MS = 2_000;

/** Loads the library, which a service without `METRICS_PORT` does not need, and begins to measure the process. */
export async function createMetrics(): Promise<Metrics> {
  const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
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
  return {
    measure({ operation = 'none', binding, error, side, durationMs, lossy: lost }) {
      calls.inc({ operation, binding });
      durations.observe({ operation, binding }, durationMs / 1000);
      if (error !== undefined) errors.inc({ code: error, fault: side ?? 'server' });
      if (lost) lossy.inc({ operation, binding });
    },
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
          if (typeof samples === 'object') for (const [sample, value] of samples) increase(this, sample, value);
          else if (samples !== undefined) this.inc(samples);
          // What has no labels is 0 unless it is taken away.
          else if (labels.length === 0) this.remove();
        },
      });
    },
    observe({ name, help, labels = [], buckets }) {
      const histogram = new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers });
      return (value, sample = {}) => histogram.observe({ ...sample }, value);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
    report: () => registry.getMetricsAsJSON() as Promise<MetricsReport>,
  };
}

/** The types of the library do not join those of its two kinds. */
function increase(metric: Counter | Gauge, sample: Labels, value: number): void {
  (metric as Gauge).inc({ ...sample }, value);
}

/** Asks for a value, and for it again only when the last answer has come: `undefined` where it fails or takes too long. */
function answeredInTime(ask: AskedMetric['ask']): () => Promise<Samples> {
  let underWay: Promise<Samples> | undefined;
  return () => {
    underWay ??= Promise.resolve()
      .then(ask)
      .catch(() => undefined)
      .finally(() => {
        underWay = undefined;
      });
    const bound = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => bound.resolve(undefined), ANSWER_WITHIN_MS);
    return Promise.race([underWay, bound.promise]).finally(() => clearTimeout(timer));
  };
}

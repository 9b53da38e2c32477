import { within } from '@ws01/asmx/time';
import type { Span, SpanOutcome, Tracing } from './tracing.ts';

/**
 * The used parts of `@opentelemetry/api` and its SDK, which are installed only where tracing is
 * used.
 */
interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}
interface OtelSpan {
  spanContext(): SpanContext;
  isRecording(): boolean;
  updateName(name: string): void;
  setAttributes(attributes: object): void;
  setStatus(status: { readonly code: number; readonly message: string }): void;
  end(at?: number): void;
}
interface Tracer {
  startSpan(name: string, options: object, context: unknown): OtelSpan;
}
interface Api {
  readonly ROOT_CONTEXT: unknown;
  readonly trace: {
    setSpanContext(context: unknown, span: object): unknown;
    setSpan(context: unknown, span: OtelSpan): unknown;
  };
  readonly diag: { setLogger(logger: object, options: object): void };
}
interface Provider {
  getTracer(name: string): Tracer;
  shutdown(): Promise<void>;
}

/** Constants of the API: span kinds, a status, the level of its own log. */
const SERVER = 1;
const INTERNAL = 0;
const ERROR = 2;
const LOG_ERRORS = 30;

/** Timeout at the stop to send pending spans; ms. */
const CLOSE_MS = 3_000;

/** Minimum interval between reports of failed exports; ms. */
const TELL_EVERY_MS = 60_000;

export const TRACING_PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
] as const;

/**
 * Loads OpenTelemetry, which reads its own settings (`OTEL_*`) from the environment: where to send,
 * what to sample.
 * @param onFailure called with the reason why spans could not be sent, at most once a minute.
 * @throws the error of `import` for a package that is not installed.
 */
export async function openTelemetry(
  version: string,
  onFailure: (reason: string) => void,
): Promise<Tracing> {
  // Imported by variables, because the types do not exist where the packages are not installed.
  const [api, sdk, exporter, resources] = await Promise.all(
    TRACING_PACKAGES.map((name) => import(name)),
  );
  const { ROOT_CONTEXT, trace, diag } = api as Api;
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (message: unknown) => {
    const now = performance.now();
    if (now - toldAt < TELL_EVERY_MS) return;
    toldAt = now;
    onFailure(String(message).slice(0, 300));
  };
  const silent = () => {};
  diag.setLogger(
    { error: tell, warn: silent, info: silent, debug: silent, verbose: silent },
    { logLevel: LOG_ERRORS },
  );
  const named = resources.resourceFromAttributes({
    'service.name': 'ws01',
    'service.version': version,
  });
  const resource = named.merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const spanProcessors = [new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter())];
  const provider: Provider = new sdk.BasicTracerProvider({ resource, spanProcessors });
  const tracer = provider.getTracer('ws01');
  return {
    begin(parent) {
      const context =
        parent === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, remoteContext(parent));
      return spanOf(tracer.startSpan('call', { kind: SERVER }, context), {
        tracer,
        trace,
        ROOT_CONTEXT,
      });
    },
    async close() {
      await within(CLOSE_MS, provider.shutdown().catch(tell));
    },
  };
}

function spanOf(
  span: OtelSpan,
  { tracer, trace, ROOT_CONTEXT }: Pick<Api, 'trace' | 'ROOT_CONTEXT'> & { tracer: Tracer },
): Span {
  const startedAt = Date.now();
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    end({ name, durationMs, attributes, failure, phases = {} }: SpanOutcome) {
      if (span.isRecording()) {
        span.updateName(name);
        span.setAttributes(
          Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)),
        );
        if (failure !== undefined) span.setStatus({ code: ERROR, message: failure });
        const within = trace.setSpan(ROOT_CONTEXT, span);
        let at = startedAt;
        for (const [phase, ms] of Object.entries(phases)) {
          if (ms > 0)
            tracer.startSpan(phase, { kind: INTERNAL, startTime: at }, within).end(at + ms);
          at += ms;
        }
      }
      span.end(startedAt + durationMs);
    },
  };
}

function remoteContext(traceparent: string): SpanContext & { readonly isRemote: true } {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

import type { WireRequest } from '@ws01/asmx';
import type { Logger } from 'pino';
import type { Span, SpanOutcome, Tracing } from '../adapters/tracing/tracing.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config.ts';
import { type TracingSettings, tracingSettings } from '../config/environment.ts';
import { createNetworkTrust } from '../domain/values/internet-address.ts';

/** Version 00, neither id all zeros (W3C Trace Context 3.2). */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * The traces of requests. A `traceparent` is continued only if it comes from a proxy in
 * `TRUSTED_PROXIES` or a back end in `TRUSTED_CALLERS`, because it decides about sampling. Without
 * tracing here, their `traceparent` is passed on unchanged.
 */
export class Traces {
  readonly #tracing: Tracing | undefined;
  readonly #trusts: (remoteAddress: string) => boolean;
  readonly #spans = new WeakMap<WireRequest, Span>();

  constructor(tracing: Tracing | undefined, { trustedProxies, trustedCallers }: Config) {
    this.#tracing = tracing;
    this.#trusts = createNetworkTrust([...trustedProxies, ...trustedCallers]);
  }

  /** Starts the span of a request. */
  begin(request: WireRequest): void {
    if (this.#tracing !== undefined)
      this.#spans.set(request, this.#tracing.begin(this.#given(request)));
  }

  /** Returns the `traceparent` for requests to other services. */
  traceparentOf(request: WireRequest): string | undefined {
    return this.#spans.get(request)?.traceparent ?? this.#given(request);
  }

  end(request: WireRequest, outcome: () => SpanOutcome): void {
    this.#spans.get(request)?.end(outcome());
  }

  close(): Promise<void> {
    return this.#tracing?.close() ?? Promise.resolve();
  }

  #given({ headers, remoteAddress }: WireRequest): string | undefined {
    const { traceparent } = headers;
    const isOne = typeof traceparent === 'string' && TRACEPARENT.test(traceparent);
    return isOne && this.#trusts(remoteAddress) ? traceparent : undefined;
  }
}

/**
 * Loads OpenTelemetry if `OTEL_*` asks for it.
 * @throws {ConfigError} when it is not installed, or a setting names something that does not exist.
 */
export async function openTraces(config: Config, log: Logger, version: string): Promise<Traces> {
  const settings = tracingSettings();
  return new Traces(settings && (await open(settings, log, version)), config);
}

async function open(
  { variable, protocol }: TracingSettings,
  log: Logger,
  version: string,
): Promise<Tracing> {
  if (protocol !== undefined && !protocol.startsWith('http/')) {
    throw new ConfigError(
      `OTEL_EXPORTER_OTLP_PROTOCOL must be http/json, not ${JSON.stringify(protocol)}.`,
    );
  }
  const { openTelemetry, TRACING_PACKAGES } = await import('../adapters/tracing/open-telemetry.ts');
  try {
    return await openTelemetry(version, (reason) =>
      log.warn({ reason }, 'traces could not be sent'),
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError(
      `${variable} is set, but what traces are sent with is not installed; run npm install ${TRACING_PACKAGES.join(' ')}, or unset it.`,
    );
  }
}

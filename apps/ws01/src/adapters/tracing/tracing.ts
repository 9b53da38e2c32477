/** A span of a trace. */
export interface Span {
  /** The `traceparent` for requests to other services (W3C Trace Context). */
  readonly traceparent: string;
  end(outcome: SpanOutcome): void;
}

export interface SpanOutcome {
  readonly name: string;
  /** Duration of the span, which ends now; ms. */
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  /** The server-side error, if there was one. */
  readonly failure?: string | undefined;
  /** Consecutive phases: name and ms. */
  readonly phases?: Readonly<Record<string, number>> | undefined;
}

/** Sends spans to a collector. */
export interface Tracing {
  /**
   * Starts a span.
   * @param parent the `traceparent` to continue; `undefined` starts a trace.
   */
  begin(parent: string | undefined): Span;
  /** Sends pending spans, within a short timeout. */
  close(): Promise<void>;
}

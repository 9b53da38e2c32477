/** A stretch of work that is told to a collector of traces. */
export interface Span {
  /** What others continue the trace by (W3C Trace Context). */
  readonly traceparent: string;
  end(outcome: SpanOutcome): void;
}

export interface SpanOutcome {
  readonly name: string;
  /** How long it took; ms. It ends now. */
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  /** What failed by the service's fault. */
  readonly failure?: string | undefined;
  /** Where the time went, one after another: name and ms. */
  readonly phases?: Readonly<Record<string, number>> | undefined;
}

/** Tells a collector what the service does. */
export interface Tracing {
  /** @param parent the `traceparent` that the work belongs to; `undefined` for its own trace. */
  begin(parent: string | undefined): Span;
  /** Sends what waits, for a moment at most. */
  close(): Promise<void>;
}

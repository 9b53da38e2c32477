/** What the load process is asked for, and what it finds. */

export interface LoadSettings {
  readonly port: number;
  /** Keep-alive connections, each with one request in flight at most. */
  readonly connections: number;
  /** Answers that come in the first moments do not count; ms. */
  readonly warmUpMs: number;
  /** How long answers are counted after that, and longer while there are none; ms. */
  readonly durationMs: number;
  /** The requests as they stand on the wire, sent in turn, with placeholders (see `outgoing-request.ts`). */
  readonly requests: readonly string[];
  /** Requests a second, evenly spaced; when absent, each connection sends as soon as it is answered. */
  readonly rate?: number;
  /** The process that is measured. */
  readonly pid: number;
  /** The first process of its PostgreSQL. */
  readonly databasePid?: number | undefined;
}

export interface LoadFindings {
  /** Answers in the time that counts. */
  readonly answers: number;
  /** Those among them whose status was not 200. */
  readonly refused: number;
  /** Requests sent, the warm-up's too. */
  readonly sent: number;
  /** Length of the time that counts. */
  readonly seconds: number;
  /** Time to an answer, ms: from sending, or at a fixed rate from when it was due, so that no wait is left out. */
  readonly latency: Percentiles;
  /**
   * At a fixed rate: how late the load itself was with a connection at hand; ms. What `latency`
   * holds of its own making.
   */
  readonly lag: Percentiles | undefined;
  /** CPU time of the measured process in the time that counts; µs. */
  readonly serverCpuMicros: number;
  /** The same of its PostgreSQL; 0 without. */
  readonly databaseCpuMicros: number;
  /** Share of the time for which the measured process was ready and its core was taken by others: a busy machine. */
  readonly serverWaitedShare: number;
  /** The same of the load process. */
  readonly loadWaitedShare: number;
  /** Share of its core that the load process used; near 1, the load is what limits. */
  readonly loadShare: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/**
 * The types and limits of a running service, without the code: the primary process imports only
 * this and stays small.
 */

import type { Config } from '../config/config.ts';
import type { MetricsReport } from '../web/metrics/metrics.ts';

/** Timeout at the stop for calls in flight; ms. */
export const STOP_MS = 10_000;

/** A running service. */
export interface App {
  /** The public base URL, without a trailing slash. */
  readonly url: string;
  /** The address that it listens on. */
  readonly host: string;
  readonly port: number;
  /** The port of the console, if it has its own. */
  readonly consolePort?: number | undefined;
  /** The token of a new installation; shown once. */
  readonly firstToken: string | undefined;
  /** Returns the metrics; after the stop, the last ones. `undefined` without metrics. */
  report(): Promise<MetricsReport | undefined>;
  /**
   * Rejects when this process can no longer serve and must exit; calls in flight have been answered
   * by then. Never resolves.
   */
  readonly failed: Promise<never>;
  /** Begins to drain: calls are served, but `/readyz` says 503. */
  drain(): void;
  /**
   * Ends all work and closes the database. What comes is answered by 503, until
   * {@link leave}.
   */
  suspend(): Promise<void>;
  /** Frees the addresses of the metrics and of the console, if they have their own. */
  leaveSides(): Promise<void>;
  /** Frees the address of the service, for the start that follows; then it stops. */
  leave(): Promise<void>;
  /**
   * Drains for `DRAIN_SECONDS` unless `drain` is false, stops accepting, finishes calls in flight
   * within {@link STOP_MS} and closes the database. Further calls have no effect.
   */
  stop(drain?: boolean): Promise<void>;
  /**
   * Reads the certificate again.
   * @throws {ConfigError} when it cannot be used; the present one stays in use.
   */
  reload(config: Config): void;
}

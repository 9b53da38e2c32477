/** What starting the service comes to, without what it takes: a process that only watches over others has it small. */

import type { Config } from '../config/config.ts';
import type { MetricsReport } from '../web/metrics/metrics.ts';

/** How long calls in flight may take to finish when the service stops; ms. */
export const STOP_MS = 10_000;

/** A running service. */
export interface App {
  /** The public base URL without a trailing slash. */
  readonly url: string;
  /** Where it listens. */
  readonly host: string;
  readonly port: number;
  /** Where the console listens, when it has its own port. */
  readonly consolePort?: number | undefined;
  /** The credential made on the very first start; shown once. */
  readonly firstToken: string | undefined;
  /** What has been measured; what was, once it has stopped. `undefined` where nothing is. */
  report(): Promise<MetricsReport | undefined>;
  /** Rejects when this process cannot serve any more and must end; calls in flight are answered by then. Else it never settles. */
  readonly failed: Promise<never>;
  /** Drains for `DRAIN_SECONDS`, unless told not to, stops accepting, finishes what is in flight within {@link STOP_MS}, closes the database. Harmless when repeated. */
  stop(drain?: boolean): Promise<void>;
  /** Reads the certificate again. @throws {ConfigError} when it cannot be used; the present one stays. */
  reload(config: Config): void;
}

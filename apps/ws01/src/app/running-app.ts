import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '@ws01/asmx/time';
import type { Config } from '../config/config.ts';
import type { HttpServer } from '../web/http-server.ts';
import type { MetricsReport } from '../web/metrics/metrics.ts';
import type { SideServer } from '../web/side-server.ts';
import { readCertificate } from './certificate.ts';
import type { Duties } from './duties.ts';
import type { ResourceDeps, Resources } from './resources.ts';
import { type App, STOP_MS } from './running.ts';

/** How long a proxy may still use its open connections to a drained node; ms. */
const DRAINED_GRACE_MS = 3_000;

/**
 * Timeout at the stop, after the last call, for mails in progress and for counters to be written;
 * ms.
 */
const LET_GO_MS = 7_000;

/**
 * How long a failed process goes on to refuse calls before it exits, so that calls in flight are
 * answered and probes notice; ms.
 */
const FAILED_GRACE_MS = 1_000;

/** What was started, which the stop ends. */
interface Started {
  readonly resources: Resources;
  readonly duties: Duties;
  readonly server: HttpServer;
  /** The servers of other ports. */
  readonly sides: readonly (SideServer | undefined)[];
  /** Everything but the database and the traces, to be closed in the reverse order. */
  readonly opened: AsyncDisposableStack;
  readonly port: number;
  /** `undefined` if the console has no port of its own. */
  readonly consolePort: number | undefined;
  readonly firstToken: string | undefined;
  /** What the probes report. */
  readonly state: { draining: boolean; broken: boolean; closed: boolean };
}

/** The service from the end of its start to the end of its stop. */
export class RunningApp implements App {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly consolePort: number | undefined;
  readonly firstToken: string | undefined;
  readonly failed: Promise<never>;
  readonly #deps: ResourceDeps;
  readonly #started: Started;
  #lastReport: MetricsReport | undefined;
  #stopping: Promise<void> | undefined;
  /** Whether another start in this process goes on at its address. */
  #isLeft = false;

  constructor(deps: ResourceDeps, started: Started) {
    this.#deps = deps;
    this.#started = started;
    this.url = deps.addresses.baseUrl;
    this.host = deps.config.host;
    this.port = started.port;
    this.consolePort = started.consolePort;
    this.firstToken = started.firstToken;
    this.failed = deps.store.failed.then((error) => this.#fail(error));
    // A caller that only stops the service needs no error.
    this.failed.catch(() => {});
  }

  async report(): Promise<MetricsReport | undefined> {
    return this.#lastReport ?? this.#deps.metrics?.report();
  }

  reload(next: Config): void {
    const certificate = readCertificate(next);
    if (certificate !== undefined && this.#deps.config.tlsCertFile !== undefined) {
      this.#started.server.secure(certificate);
    }
  }

  drain(): void {
    this.#started.state.draining = true;
    this.#deps.log.info(
      { seconds: this.#deps.config.drainSeconds },
      'draining: calls are served, /readyz says 503',
    );
  }

  async suspend(): Promise<void> {
    const { resources, server, duties, state } = this.#started;
    state.closed = true;
    state.draining = true;
    resources.streams.close();
    server.drain();
    await server.answered(LET_GO_MS);
    const ended = duties.stop().then(() => resources.close());
    await within(LET_GO_MS, ended);
    await this.#deps.store.close();
  }

  async leaveSides(): Promise<void> {
    await Promise.all(this.#started.sides.map((side) => side?.close()));
  }

  async leave(): Promise<void> {
    const { server } = this.#started;
    this.#isLeft = true;
    await server.release();
    // Their clients come back to the start that follows.
    server.stop(STOP_MS, 0).then(() => this.stop(false));
  }

  stop(drain = true): Promise<void> {
    this.#stopping ??= this.#stop(drain);
    return this.#stopping;
  }

  async #fail(error: Error): Promise<never> {
    const { server, state } = this.#started;
    state.broken = true;
    this.#deps.log.fatal(
      { err: error.cause, grace: FAILED_GRACE_MS },
      `${error.message} This process ends.`,
    );
    server.drain();
    await sleep(FAILED_GRACE_MS);
    throw error;
  }

  /** Stops in the reverse order of the start. */
  async #stop(drain: boolean): Promise<void> {
    const { config, store, log, metrics } = this.#deps;
    const { resources, server, state } = this.#started;
    const drains = drain && config.drainSeconds > 0;
    if (drains) {
      this.drain();
      await sleep(config.drainSeconds * 1_000);
    }
    state.draining = true;
    resources.streams.close();
    const finished = await server.stop(STOP_MS, drains || !drain ? DRAINED_GRACE_MS : undefined);
    if (!finished) log.warn({ bound: STOP_MS }, 'calls were cut off');
    // Some numbers are counted in the database.
    if (!state.closed) this.#lastReport = await metrics?.report();
    const letGo = this.#letGo().then(() => true);
    if ((await within(LET_GO_MS, letGo)) === undefined) {
      log.warn(
        { bound: LET_GO_MS },
        'stopped waiting for calls in progress: the database or another server does not answer',
      );
    }
    await store.close();
    metrics?.close();
    log.info(this.#isLeft ? 'what ran before the restore has ended' : 'stopped');
    // The caller has the error and ends the process.
    if (state.broken) await this.failed.catch(() => {});
  }

  async #letGo(): Promise<void> {
    const { log } = this.#deps;
    await this.#started.opened
      .disposeAsync()
      .catch((err) => log.error({ err }, 'not all could be closed'));
    await this.#deps.traces.close();
  }
}

import type { Logger } from 'pino';
import { listeningAs } from '../../app/listen-failure.ts';
import type { MergedMetrics, MetricsReport, SideServer } from '../../app/metrics.ts';
import { opening } from '../../app/opening.ts';
import type { App } from '../../app/running.ts';
import { Supervisor, WorkersFailed } from '../../cluster/supervisor.ts';
import { type Config, ConfigError } from '../../config/config.ts';
import { CommandFailure } from '../failure.ts';
import { showFirstToken } from './first-token.ts';
import { stopWithin } from './stop.ts';

/** Workers that stop too slowly report it and exit before they would be killed; ms. */
const KILL_MARGIN_MS = 1_000;

/** A service that runs in worker processes. */
export interface WorkersApp
  extends Omit<App, 'report' | 'reload' | 'failed' | 'drain' | 'suspend' | 'leaveSides' | 'leave'> {
  /** Applies new settings that the primary can apply, and replaces the workers for the others. */
  reload(config: Config): Promise<void>;
  /** Rejects with `CommandFailure` when no worker serves and none can be started. */
  readonly failed: Promise<never>;
}

/**
 * Starts `WORKERS` processes that serve on one port, and replaces those that end.
 * @throws {ConfigError} on SQLite.
 * @throws {CommandFailure} when the workers cannot start.
 */
export function startWorkers(config: Config, log: Logger): Promise<WorkersApp> {
  if (config.databaseUrl === undefined) {
    throw new ConfigError(
      'WORKERS must be 1 with the embedded SQLite database; set DATABASE_URL to a PostgreSQL database to serve from several processes.',
    );
  }
  return opening(log, (opened) => superviseIn(opened, config, log));
}

async function superviseIn(
  opened: AsyncDisposableStack,
  config: Config,
  log: Logger,
): Promise<WorkersApp> {
  let { drainSeconds } = config;
  const metrics = await openMetrics(
    config,
    () => supervisor.reports() as Promise<readonly MetricsReport[]>,
  );
  const supervisor = new Supervisor({
    count: config.workers,
    drain: () => drainSeconds * 1_000,
    stillBound: config.workerTimeoutSeconds * 1_000,
    onStill: ({ worker, pid }) =>
      log.error({ worker, workerPid: pid }, 'a worker hangs and is killed'),
    stopBound: stopWithin(0) + KILL_MARGIN_MS,
    onLastReport: (report) => metrics?.keep(report as MetricsReport),
    onEnd: ({ worker, pid, code, signal, reason, replacedIn }) =>
      log.error(
        { worker, workerPid: pid, code, signal, reason, replacedIn },
        'a worker ended and is replaced',
      ),
  });
  const metricsServer = await metrics?.serve(log);
  opened.defer(() => metricsServer?.close());
  opened.defer(async () => void (await supervisor.stop()));
  const listening = await supervisor
    .start()
    .catch((error) => asStartFailure(error, config.dataDir));
  const { url, host, port } = listening[0]!;
  log.info({ host, port, workers: listening.length }, 'all workers listen');
  return {
    url,
    host,
    port,
    firstToken: listening.find(({ firstToken }) => firstToken !== undefined)?.firstToken,
    failed: supervisor.failed.catch(asFailure),
    async reload(next) {
      ({ drainSeconds } = next);
      log.info('workers are replaced one by one');
      try {
        await supervisor.roll();
        log.info('all workers are replaced');
      } catch (error) {
        if (!(error instanceof WorkersFailed)) throw error;
        log.error({ reason: error.message }, 'a new worker failed to start; the others continue');
      }
    },
    async stop() {
      await metricsServer?.close();
      if (await supervisor.stop()) log.info('stopped');
      else process.exitCode = 1;
    },
  };
}

interface WorkersMetrics extends Pick<MergedMetrics, 'keep'> {
  serve(log: Logger): Promise<SideServer>;
}

/** The merged metrics of all workers; `undefined` without metrics. */
async function openMetrics(
  config: Config,
  reports: () => Promise<readonly MetricsReport[]>,
): Promise<WorkersMetrics | undefined> {
  const { metricsPort, metricsHost } = config;
  if (metricsPort === undefined) return undefined;
  const { doorsOfPrimary, mergeMetrics, serveMetrics } = await import('../../app/metrics.ts');
  const merged = await mergeMetrics(reports);
  return {
    keep: (report) => merged.keep(report),
    async serve(log) {
      const address = { host: metricsHost, port: metricsPort };
      const settings = { host: 'METRICS_HOST', port: 'METRICS_PORT' };
      const server = await listeningAs(
        settings,
        address,
        serveMetrics(merged, metricsHost, metricsPort, doorsOfPrimary(config)),
      );
      log.info({ host: metricsHost, port: server.port }, 'metrics are served');
      return server;
    },
  };
}

/** Keeps the first token, which is created only once. */
async function asStartFailure(error: unknown, dataDir: string): Promise<never> {
  if (!(error instanceof WorkersFailed) || error.firstToken === undefined) return asFailure(error);
  const token = await showFirstToken(error.firstToken, dataDir);
  const shown = 'text' in token ? `it is shown only now: ${token.text}` : `it is in ${token.file}`;
  throw new CommandFailure(
    `${error.message}\nA token for all operations was created before that; ${shown}`,
  );
}

/** The workers' reasons are already written for people. */
function asFailure(error: unknown): never {
  throw error instanceof WorkersFailed ? new CommandFailure(error.message) : error;
}

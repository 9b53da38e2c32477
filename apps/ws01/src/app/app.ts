import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { alone, type Peers } from '../cluster/peers.ts';
import type { Config } from '../config/config.ts';
import { ensureBootstrapToken, ensureFirstToken } from '../domain/credentials/first-tokens.ts';
import { beginningOf, bringBack, noteTime } from '../domain/shared/known-time.ts';
import { createSteadyClock, type SteadyClock } from '../domain/shared/steady-clock.ts';
import { openStore } from '../store/open.ts';
import type { Store, StoreOptions } from '../store/store.ts';
import type { HttpServer } from '../web/http-server.ts';
import type { SideServer } from '../web/listen.ts';
import { createMetrics, type MetricsReport } from '../web/metrics/metrics.ts';
import { serveMetrics } from '../web/metrics/server.ts';
import { RecentCalls } from '../web/recent-calls.ts';
import { Addresses } from './addresses.ts';
import { createApiLoader } from './api.ts';
import { answeredCalls } from './calls.ts';
import { readCertificate } from './certificate.ts';
import { type ConsolePages, createConsolePages, serveConsole } from './console.ts';
import { Duties } from './duties.ts';
import { createServiceEndpoint } from './endpoint.ts';
import { createHealthChecks } from './health.ts';
import { measureResources, observeCommits } from './measures.ts';
import type { PeerMessage } from './peer-messages.ts';
import { openResources, type ResourceDeps } from './resources.ts';
import { type App, STOP_MS } from './running.ts';
import { createServer } from './server.ts';
import { openTraces } from './traces.ts';
import { withUpstream } from './upstream.ts';

const { version: VERSION } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** How long a proxy may still use the connections that it has to a node that drained; ms. */
const DRAINED_GRACE_MS = 1_000;

/** How long mails in progress may take to end when calls have, and what is only counted so far to be written; ms. */
const LET_GO_MS = 7_000;

/** How long a process that must end still refuses calls, so that those in flight are answered and probes are told; ms. */
const FAILED_GRACE_MS = 1_000;

/**
 * Starts the service: database first, listener last, so that it opens only when calls can be served.
 * @param peers the other processes that serve on the same port; what needs doing once is done by one of them.
 * @throws {DependencyError} when the database cannot be opened; an `Error` with a code when the address cannot be bound.
 */
export async function startApp(
  config: Config,
  log: Logger,
  peers: Peers<PeerMessage> = alone(),
  listenFd?: number,
): Promise<App> {
  const metrics = config.metricsPort === undefined ? undefined : await createMetrics();
  const traces = await openTraces(config, log, VERSION);
  const store = await openStore({
    databaseUrl: config.databaseUrl,
    flavour: config.databaseFlavour,
    databaseReadUrl: config.databaseReadUrl,
    dataDir: config.dataDir,
    service: true,
    ...databaseLimits(config),
    onWaiting: (reason) => log.warn(`${reason} Trying again.`),
    onMissing: (commits) =>
      log.error(
        { commits },
        'the database has lost its last commits: its log was cut or damaged; what callers were told then is not there',
      ),
    onCommit: metrics && config.databaseUrl === undefined ? observeCommits(metrics) : undefined,
  });
  try {
    return await serveFrom({
      config,
      store,
      log,
      peers,
      listenFd,
      traces,
      metrics,
      recentCalls: config.console ? new RecentCalls(Date.now) : undefined,
      clock: await openClock(store, log),
      addresses: new Addresses(config),
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The time of the service, which goes on from where it was before a restart. */
async function openClock(store: Store, log: Logger): Promise<SteadyClock> {
  const wall = () => Date.now();
  const { notBefore, isFuture } = await beginningOf(store, wall());
  const onSetBack = (ms: number) => {
    log.warn({ ms }, 'the clock of the machine was set back; this service keeps its own time until it has caught up');
    noteTime(store, clock).catch(() => {});
  };
  const clock = createSteadyClock({ wall, steady: () => performance.now(), onSetBack }, notBefore);
  if (isFuture) {
    log.error(
      'the clock of the machine is days behind the database; what waits is sent now, and codes are asked for anew',
    );
    await bringBack(store, clock());
  }
  return clock;
}

/** How much a process may take of PostgreSQL. */
function databaseLimits(config: Config): Partial<StoreOptions> {
  return {
    poolSize: config.databasePoolSize,
    maxWaiting: config.databaseQueue,
    statementTimeout: config.databaseStatementSeconds * 1_000,
    lockTimeout: config.databaseLockSeconds * 1_000,
    idleTransactionTimeout: config.databaseIdleSeconds * 1_000,
  };
}

/** The steps of a start on an open database, and, in reverse, of a stop. */
async function serveFrom(deps: ResourceDeps): Promise<App> {
  const { config, store, clock, log, peers, addresses, metrics } = deps;
  if (config.bootstrapToken !== undefined) await ensureBootstrapToken(store, config.bootstrapToken, clock);
  const resources = await openResources(deps);
  const endpoint = withUpstream(createServiceEndpoint(deps, resources), deps);
  const health = createHealthChecks(deps, resources);
  let draining = false;
  let broken = false;
  const calls = deps.recentCalls && answeredCalls(deps.recentCalls, deps);
  const api = createApiLoader(deps, resources, calls);
  const pages = calls && createConsolePages(deps, resources, api, calls);
  const probes = { health: () => health.report(), draining: () => draining, healthy: () => !broken };
  const sharedPages = config.consolePort === undefined ? pages : undefined;
  const tools = config.mcp ? await (await import('./tools.ts')).createTools(deps, resources, endpoint) : undefined;
  const server = createServer(deps, resources, endpoint, probes, { api, console: sharedPages, tools });
  if (metrics !== undefined) measureResources(metrics, deps, resources, health);
  const metricsServer = await startMetrics(deps);
  const ownConsole = pages && (await startConsole(deps, pages));
  const port = await listen(server, config, deps.listenFd);
  addresses.port = port;
  const firstToken = config.bootstrapToken === undefined ? await makeFirstToken(store, server) : undefined;
  log.info({ ...listensAt(config, port, deps.listenFd), engine: store.engine }, 'listening');
  // Told by the log; no reason not to start. Nobody may probe.
  health.report();
  const duties = new Duties({ config, store, files: resources.files, clock, log, outgoing: resources.outgoing });
  peers.onLead(() => duties.start());
  peers.tell({ about: 'joined' });

  const failed = store.failed.then(async (error): Promise<never> => {
    broken = true;
    log.fatal({ err: error.cause, grace: FAILED_GRACE_MS }, `${error.message} This process ends.`);
    server.drain();
    await sleep(FAILED_GRACE_MS);
    throw error;
  });
  // Who only stops need not be told.
  failed.catch(() => {});
  const stop = async (drain = true) => {
    draining = true;
    const drains = drain && config.drainSeconds > 0;
    if (drains) {
      log.info({ seconds: config.drainSeconds }, 'draining: calls are served, /readyz says 503');
      server.drain();
      await sleep(config.drainSeconds * 1_000);
    }
    resources.events.close();
    const finished = await server.stop(STOP_MS, drains || !drain ? DRAINED_GRACE_MS : undefined);
    if (!finished) log.warn({ bound: STOP_MS }, 'calls were cut off');
    lastReport = await metrics?.report();
    const letGo = async () => {
      await duties.stop();
      await metricsServer?.close();
      await ownConsole?.close();
      await resources.close();
      await deps.traces.close();
    };
    if (!(await endsWithin(LET_GO_MS, letGo()))) {
      log.warn({ bound: LET_GO_MS }, 'what was under way is given up: the database or another server does not answer');
    }
    await store.close();
    log.info('stopped');
    // The caller that was told ends the process.
    if (broken) await failed.catch(() => {});
  };
  let lastReport: MetricsReport | undefined;
  let stopping: Promise<void> | undefined;
  return {
    url: addresses.baseUrl,
    host: config.host,
    port,
    consolePort: ownConsole?.port,
    firstToken,
    report: async () => lastReport ?? metrics?.report(),
    failed,
    reload(next) {
      const certificate = readCertificate(next);
      if (certificate !== undefined && config.tlsCertFile !== undefined) server.secure(certificate);
    },
    stop: (drain) => {
      stopping ??= stop(drain);
      return stopping;
    },
  };
}

/** Opens the listener. @returns its port; where it has none, the one that addresses without `BASE_URL` begin with. */
async function listen(server: HttpServer, config: Config, listenFd: number | undefined): Promise<number> {
  const { host, port, socketPath, socketMode } = config;
  if (listenFd !== undefined) await server.listenLocally({ fd: listenFd });
  else if (socketPath !== undefined) await server.listenLocally({ path: socketPath, mode: socketMode });
  else return server.listen(host, port);
  return port;
}

/** Where it listens, as the log tells. */
function listensAt({ host, socketPath }: Config, port: number, listenFd: number | undefined) {
  if (listenFd !== undefined) return { socket: 'handed over' };
  return socketPath === undefined ? { host, port } : { socket: socketPath };
}

/** Metrics of workers are served, added up, by their primary process. */
async function startMetrics({ config, log, metrics }: ResourceDeps): Promise<SideServer | undefined> {
  if (metrics === undefined || config.workers > 1) return undefined;
  const server = await serveMetrics(metrics, config.metricsHost, config.metricsPort ?? 0);
  log.info({ host: config.metricsHost, port: server.port }, 'metrics are served');
  return server;
}

/** Where the console has its own port. */
async function startConsole({ config, log }: ResourceDeps, pages: ConsolePages): Promise<SideServer | undefined> {
  if (config.consolePort === undefined) return undefined;
  const server = await serveConsole(pages, config.consoleHost, config.consolePort);
  log.info({ host: config.consoleHost, port: server.port }, 'the console is served');
  return server;
}

/**
 * Makes the token of a new installation, when everything else stands: it is shown once, and a start that fails after it
 * was made would take it along.
 */
async function makeFirstToken(store: Store, server: HttpServer): Promise<string | undefined> {
  try {
    return await ensureFirstToken(store, Date.now);
  } catch (error) {
    await server.stop(0);
    throw error;
  }
}

/** Waits for work, but not longer than that; ms. @returns whether it has ended. @throws whatever it throws meanwhile. */
async function endsWithin(bound: number, work: Promise<unknown>): Promise<boolean> {
  const given = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => given.resolve(false), bound);
  const ended = work.then(() => true);
  // Who has given up is told no more.
  ended.catch(() => {});
  try {
    return await Promise.race([ended, given.promise]);
  } finally {
    clearTimeout(timer);
  }
}

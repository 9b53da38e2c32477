import type { Logger } from 'pino';
import { alone, type Peers } from '../cluster/peers.ts';
import type { Config } from '../config/config.ts';
import { VERSION } from '../config/version.ts';
import { Restores } from '../domain/backup/restores.ts';
import { ensureBootstrapToken, ensureFirstToken } from '../domain/credentials/first-tokens.ts';
import { beginningOf, bringBack, noteTime } from '../domain/shared/known-time.ts';
import { createSteadyClock, type SteadyClock } from '../domain/shared/steady-clock.ts';
import { openStore } from '../store/open.ts';
import type { Store, StoreOptions } from '../store/store.ts';
import type { HttpServer } from '../web/http-server.ts';
import { createMetrics } from '../web/metrics/metrics.ts';
import { serveMetrics } from '../web/metrics/server.ts';
import { RecentCalls } from '../web/recent-calls.ts';
import type { CreateServer, SideServer } from '../web/side-server.ts';
import type { ListenAddress } from '../web/sockets/listen.ts';
import { Transports } from '../web/transports.ts';
import { Addresses } from './addresses.ts';
import { createApiLoader } from './api.ts';
import { answeredCalls, callsOfPeers, transportsOf } from './calls.ts';
import { type ClosedDoor, createClosedDoor } from './closed-door.ts';
import { type ConsolePages, createConsolePages, serveConsole } from './console.ts';
import { networkDisk } from './disks.ts';
import { createDoors, type Doors } from './doors.ts';
import { Duties } from './duties.ts';
import { createServiceEndpoint } from './endpoint.ts';
import { createHealthChecks } from './health.ts';
import { listeningAs } from './listen-failure.ts';
import { followSettings } from './live-settings.ts';
import { measureResources } from './measures/resources.ts';
import { observeCommits } from './measures/store.ts';
import { opening } from './opening.ts';
import type { PeerMessage } from './peer-messages.ts';
import { openResources, type ResourceDeps, type ServiceLog } from './resources.ts';
import type { App } from './running.ts';
import { RunningApp } from './running-app.ts';
import { createServer } from './server.ts';
import { openTraces } from './traces.ts';
import { withUpstream } from './upstream.ts';

/** What a start takes over from an earlier one in the same process. */
interface Successor {
  /** Restores that the service carries out itself; absent: none. */
  readonly restores?: Restores;
  /** The earlier one, which is closed and still listens. */
  readonly before?: Pick<App, 'leaveSides' | 'leave'>;
}

const NO_RESTORES = 'This process does not restore backups; stop it, and give the commands below.';

/**
 * Starts the service: the database first, the listener last, so that the port opens only when calls
 * can be served.
 * @param peers the other processes on the same port; one of them, the leader, does the background
 *   work.
 * @throws {DependencyError} when the database cannot be opened; an `Error` with a code when the
 *   address cannot be bound.
 */
export function startApp(
  config: Config,
  log: ServiceLog,
  peers: Peers<PeerMessage> = alone(),
  listenFd?: number,
  successor: Successor = {},
): Promise<App> {
  return opening(log, (opened) => start(opened, config, log, peers, listenFd, successor));
}

async function start(
  opened: AsyncDisposableStack,
  config: Config,
  log: ServiceLog,
  peers: Peers<PeerMessage>,
  listenFd: number | undefined,
  { restores = new Restores(NO_RESTORES), before }: Successor,
): Promise<App> {
  const metrics = config.metricsPort === undefined ? undefined : await createMetrics();
  const traces = await openTraces(config, log, VERSION);
  opened.defer(() => traces.close());
  const onNetwork = await networkDisk(config);
  if (onNetwork !== undefined) log.warn(`${onNetwork.what}; ${onNetwork.remedy}`);
  const store = await openStore({
    databaseUrl: config.databaseUrl,
    databaseReadUrl: config.databaseReadUrl,
    dataDir: config.dataDir,
    service: true,
    ...databaseLimits(config),
    onWaiting: (reason) => log.warn(`${reason} Trying again.`),
    onTrouble: (message) => log.error(message),
    onMissing: (commits) =>
      log.error(
        { commits },
        'the database has lost its last commits: its log was cut or damaged; callers got answers for these commits',
      ),
    onCommit: metrics && config.databaseUrl === undefined ? observeCommits(metrics) : undefined,
  });
  opened.defer(() => store.close());
  const clock = await openClock(store, log);
  const settings = await followSettings(config, store, clock, peers);
  const addresses = new Addresses(config);
  const deps = {
    ...{ config: settings.config, settings, store, clock, log, peers, listenFd, traces, metrics },
    recentCalls: config.console ? new RecentCalls() : undefined,
    transports: new Transports(addresses.trustsProxy),
    ...{ addresses, restores },
  };
  // Bound: a function here would hold the earlier start as long as this one runs.
  return opening(log, serveFrom.bind(undefined, deps, before));
}

/** Opens the service's clock, which continues from its time before the restart. */
async function openClock(store: Store, log: Logger): Promise<SteadyClock> {
  const { notBefore, isFuture } = await beginningOf(store, Date.now());
  const onSetBack = (ms: number) => {
    log.warn(
      { ms },
      'the clock of the machine was set back; this service keeps its own time until it has caught up',
    );
    noteTime(store, clock).catch(() => {});
  };
  const clock = createSteadyClock(
    { wall: Date.now, steady: () => performance.now(), onSetBack },
    notBefore,
  );
  if (isFuture) {
    log.error(
      'the clock of the machine is days behind the database; waiting messages are sent now, and users must request new codes',
    );
    await bringBack(store, clock());
  }
  return clock;
}

/** The share of PostgreSQL's resources that one process may use. */
function databaseLimits(config: Config): Partial<StoreOptions> {
  return {
    poolSize: config.databasePoolSize,
    maxWaiting: config.databaseQueue,
    statementTimeout: config.databaseStatementSeconds * 1_000,
    lockTimeout: config.databaseLockSeconds * 1_000,
    idleTransactionTimeout: config.databaseIdleSeconds * 1_000,
  };
}

/** How long the calls of a start that failed may take; ms. */
const CUT_OFF_MS = 1_000;

/** Starts everything on an open database. */
async function serveFrom(
  deps: ResourceDeps,
  before: Successor['before'],
  opened: AsyncDisposableStack,
): Promise<App> {
  const { config, settings, store, clock, log, peers, addresses, metrics } = deps;
  opened.defer(() => settings.close());
  if (config.bootstrapToken !== undefined)
    await ensureBootstrapToken(store, config.bootstrapToken, clock);
  const resources = await openResources(deps);
  opened.defer(() => resources.close());
  const state = { draining: false, broken: false, closed: false };
  const isClosed = () => state.closed;
  const endpoint = withUpstream(createServiceEndpoint(deps, resources, isClosed), deps);
  const health = createHealthChecks(deps, resources, () => server.certificate);
  const others = callsOfPeers(deps);
  const probes = {
    health: () => health.report(),
    transports: () => transportsOf(deps.transports, others),
    draining: () => state.draining,
    healthy: () => !state.broken,
  };
  const calls = deps.recentCalls && answeredCalls(deps.recentCalls, others);
  const api = createApiLoader(deps, resources, calls);
  const pages = config.console ? createConsolePages(deps, resources, api) : undefined;
  const sharedPages = config.consolePort === undefined ? pages : undefined;
  const tools = config.mcp
    ? await (await import('./tools.ts')).createTools(deps, resources, endpoint)
    : undefined;
  const doors = createDoors(config, endpoint);
  const closed = createClosedDoor(deps, isClosed);
  const server = createServer(deps, resources, endpoint, probes, doors, {
    api,
    console: sharedPages,
    tools,
    closed,
  });
  if (metrics !== undefined) measureResources(metrics, deps, resources, health);
  await before?.leaveSides();
  const metricsServer = await startMetrics(deps, doors);
  opened.defer(() => metricsServer?.close());
  const consoleServer = pages && (await startConsole(deps, pages, doors, closed));
  opened.defer(() => consoleServer?.close());
  opened.defer(async () => void (await server.stop(CUT_OFF_MS)));
  await before?.leave();
  const port = await listen(server, deps);
  addresses.port = port;
  // The last step that can fail: the token is shown once, so a later failure would lose it.
  const firstToken =
    config.bootstrapToken === undefined ? await ensureFirstToken(store, Date.now) : undefined;
  log.info({ ...listensAt(config, port, deps.listenFd), engine: store.engine }, 'listening');
  // The log reports what is not healthy, since nobody may probe. It does not prevent the start.
  health.report();
  const duties = new Duties({
    config,
    store,
    files: resources.files,
    clock,
    log,
    outgoing: resources.outgoing,
  });
  opened.defer(() => duties.stop());
  peers.onLead(() => duties.start());
  peers.tell({ about: 'joined' });
  const consolePort = consoleServer?.port;
  const sides = [metricsServer, consoleServer];
  return new RunningApp(deps, {
    ...{ resources, duties, server, sides, opened, port, consolePort, firstToken, state },
  });
}

/**
 * Opens the listener.
 * @returns its port; for a socket without a port, the one for addresses without `BASE_URL`.
 */
async function listen(
  server: HttpServer,
  { config, peers, listenFd }: ResourceDeps,
): Promise<number> {
  const address = addressOf(config, listenFd);
  const settings = { host: 'HOST', port: 'PORT' };
  const { port } = await listeningAs(settings, address, server.listen(address, peers.accept));
  return listenFd === undefined ? (port ?? config.port) : config.port;
}

function addressOf(
  { host, port, socketPath, socketMode }: Config,
  listenFd: number | undefined,
): ListenAddress {
  if (listenFd !== undefined) return { fd: listenFd };
  return socketPath === undefined ? { host, port } : { path: socketPath, mode: socketMode };
}

/** Where the service listens, for the log. */
function listensAt({ host, socketPath }: Config, port: number, listenFd: number | undefined) {
  if (listenFd !== undefined) return { socket: 'handed over' };
  return socketPath === undefined ? { host, port } : { socket: socketPath };
}

/**
 * Starts the metrics server. With several workers, the primary process serves the merged metrics
 * instead.
 */
async function startMetrics(
  { config, log, metrics }: ResourceDeps,
  doors: Doors,
): Promise<SideServer | undefined> {
  if (metrics === undefined || config.workers > 1) return undefined;
  const { metricsHost: host, metricsPort: port = 0 } = config;
  const settings = { host: 'METRICS_HOST', port: 'METRICS_PORT' };
  const server = await listeningAs(
    settings,
    { host, port },
    serveMetrics(metrics, host, port, doors.createServer),
  );
  log.info({ host: config.metricsHost, port: server.port }, 'metrics are served');
  return server;
}

/** Starts the console's server if the console has a port of its own. */
async function startConsole(
  { config, log, peers, addresses }: ResourceDeps,
  pages: ConsolePages,
  doors: Doors,
  closed: ClosedDoor,
): Promise<SideServer | undefined> {
  if (config.consolePort === undefined) return undefined;
  const { consoleHost: host, consolePort: port } = config;
  const settings = { host: 'CONSOLE_HOST', port: 'CONSOLE_PORT' };
  const create: CreateServer = (listener) =>
    doors.createServer((req, res) => closed(req, res) || listener(req, res));
  const serving = serveConsole(pages, host, port, create, peers.accept, addresses);
  const server = await listeningAs(settings, { host, port }, serving);
  log.info({ host: config.consoleHost, port: server.port }, 'the console is served');
  return server;
}

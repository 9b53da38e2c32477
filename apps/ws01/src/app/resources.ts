import { within } from '@ws01/asmx/time';
import type { Logger } from 'pino';
import { HotFiles } from '../adapters/files/hot-files.ts';
import { type Files, openFiles } from '../adapters/files/open.ts';
import { DecoderPool } from '../adapters/images/decoders.ts';
import type { Peers } from '../cluster/peers.ts';
import type { Config } from '../config/config.ts';
import { POOL_THREADS } from '../config/environment.ts';
import type { Restores } from '../domain/backup/restores.ts';
import { type Budgets, createBudgets } from '../domain/budgets/budgets.ts';
import { NO_BOUNDS } from '../domain/budgets/rates.ts';
import { CallHistory } from '../domain/calls/history.ts';
import { type Access, createAccess } from '../domain/credentials/access.ts';
import { EventFeed } from '../domain/events/feed.ts';
import { LiveStreams } from '../domain/events/live-streams.ts';
import { createMedia, type Media } from '../domain/images/serving/media.ts';
import { Links } from '../domain/links/links.ts';
import { Visits } from '../domain/links/visits.ts';
import { CodeKeys } from '../domain/phone/code-keys.ts';
import { PhoneCodes } from '../domain/phone/codes.ts';
import type { SteadyClock } from '../domain/shared/steady-clock.ts';
import { isFailureOf } from '../failure/dependency-error.ts';
import type { Store } from '../store/store.ts';
import type { Metrics } from '../web/metrics/metrics.ts';
import { QrCodes } from '../web/qr-code.ts';
import type { RecentCalls } from '../web/recent-calls.ts';
import type { Transports } from '../web/transports.ts';
import type { Addresses } from './addresses.ts';
import { type BackupsOnDemand, createBackupsOnDemand } from './backups.ts';
import type { FollowedSettings } from './live-settings.ts';
import { opening } from './opening.ts';
import { createOutgoing, type Outgoing } from './outgoing.ts';
import type { PeerMessage } from './peer-messages.ts';
import type { Traces } from './traces.ts';

/** Interval at which visits of short links are written; ms. */
const VISITS_EVERY_MS = 2_000;

/**
 * Interval at which the history of calls is written; ms. A process that is killed loses so much of
 * it.
 */
const HISTORY_EVERY_MS = 2_000;

/** Interval at which nodes exchange their use of address budgets; ms. */
const BUDGETS_EVERY_MS = 1_000;

/** The log of the service, which knows whether it can be written. */
export interface ServiceLog extends Logger {
  /** The error code of writes that fail at present. */
  readonly trouble?: () => string | undefined;
}

/** Dependencies of the resources. */
export interface ResourceDeps {
  /** Of {@link settings}: what may change is read when it is needed. */
  readonly config: Config;
  readonly settings: FollowedSettings;
  readonly store: Store;
  readonly clock: SteadyClock;
  readonly log: ServiceLog;
  readonly peers: Peers<PeerMessage>;
  readonly addresses: Addresses;
  /** `undefined` without metrics. */
  readonly metrics: Metrics | undefined;
  readonly traces: Traces;
  /** A listening socket that was passed in; `undefined`: listen as the settings say. */
  readonly listenFd: number | undefined;
  /** `undefined` without a console to show them. */
  readonly recentCalls: RecentCalls | undefined;
  readonly transports: Transports;
  readonly restores: Restores;
}

/**
 * What calls share besides the database. Each resource holds memory, a connection or a process, and
 * is closed at the end.
 */
export interface Resources {
  readonly access: Access;
  readonly budgets: Budgets;
  readonly files: Files;
  readonly media: Media;
  readonly decoders: DecoderPool;
  readonly links: Links;
  readonly visits: Visits;
  readonly history: CallHistory;
  readonly codes: PhoneCodes;
  readonly outgoing: Outgoing;
  readonly backups: BackupsOnDemand;
  /** Rotating secrets that all nodes share. */
  readonly keys: CodeKeys;
  readonly events: EventFeed;
  /** Live streams of events and of the console. */
  readonly streams: LiveStreams;
  readonly qrCodes: QrCodes;
  readonly settings: FollowedSettings;
  /** Writes pending counters, then closes everything except the database. */
  close(): Promise<void>;
}

/**
 * How long a start waits to see whose the files are; ms. A disk that does not answer is reported by
 * its check.
 */
const OWNER_MS = 2_000;

/**
 * @throws {DependencyError} `misconfigured` when the files belong to another user; no other failure
 *   prevents a start.
 */
async function assertOwnFiles({ store }: Files): Promise<void> {
  const looking = store.assertOwn().catch((error: unknown) => {
    if (isFailureOf('files', error, 'misconfigured')) throw error;
  });
  await within(OWNER_MS, looking);
}

/**
 * Opens the shared resources.
 * @throws the error of a library that cannot be loaded.
 */
export function openResources(deps: ResourceDeps): Promise<Resources> {
  return opening(deps.log, (opened) => open(deps, opened));
}

async function open(
  { config, settings, store, clock, log, peers, addresses, restores }: ResourceDeps,
  opened: AsyncDisposableStack,
): Promise<Resources> {
  const shareEvery =
    store.engine === 'postgres' || config.workers > 1 ? BUDGETS_EVERY_MS : undefined;
  const access = createAccess({ store, clock, limitFailures: config.rateLimits, shareEvery });
  opened.defer(() => access.close());
  const isLost = (err: unknown) => log.error({ err }, 'what was counted last is lost');
  const rates = config.rateLimits ? config : NO_BOUNDS;
  const budgets = createBudgets({ rates, store, clock, shareEvery });
  opened.defer(() => budgets.close().catch(isLost));
  const place = { ...config.files, silenceMs: config.filesTimeoutSeconds * 1_000 };
  const files = await openFiles(place, config.dataDir, POOL_THREADS);
  opened.defer(() => files.store.close());
  await assertOwnFiles(files);
  const decoders = new DecoderPool({
    processes: config.imageDecoders,
    waiting: config.imageQueue,
    memory: config.imageMemoryBytes,
    cpu: config.imageCpuMs,
  });
  opened.defer(() => decoders.close());
  const backups = createBackupsOnDemand({ config, store, log, restores });
  const { timeZone, visitSourcesPerDay: sourcesPerDay } = config;
  const visits = new Visits({ store, clock, timeZone, sourcesPerDay, writeEvery: VISITS_EVERY_MS });
  opened.defer(() => visits.close().catch(isLost));
  const history = new CallHistory({ store, writeEvery: HISTORY_EVERY_MS });
  opened.defer(() => history.close().catch(isLost));
  opened.defer(() => backups.stop());
  const keys = new CodeKeys(store, config.codeSecret);
  const { apiStreams: most, apiStreamsPerPerson: perPerson } = config;
  const streams = new LiveStreams({ most, perPerson });
  const events = new EventFeed(store, streams);
  const outgoing = await createOutgoing({
    ...{ config, store, clock, log, keys, peers },
    baseUrl: () => addresses.baseUrl,
    onNumbered: () => events.wake(),
  });
  opened.defer(() => outgoing.stop());
  const hotFiles = new HotFiles(files.store, config.imageCacheBytes);
  return {
    ...{ access, budgets, files, decoders, visits, history, keys, outgoing, backups },
    ...{ events, streams, settings },
    media: createMedia({ store, files, hotFiles, decoders }),
    links: new Links({ store, clock }),
    codes: new PhoneCodes(store, keys),
    qrCodes: new QrCodes(),
    close: () => opened.disposeAsync(),
  };
}

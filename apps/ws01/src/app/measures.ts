import { statfs } from 'node:fs/promises';
import { backupState } from '../domain/backup/records.ts';
import { countMessages, oldestInState } from '../domain/outbox/rows.ts';
import type { CacheUse } from '../domain/shared/cache-use.ts';
import type { Store } from '../store/store.ts';
import type { OutboxKind } from '../store/tables/tables.ts';
import type { HealthChecks, HealthState } from '../web/health.ts';
import { type AskedMetric, LATENCIES, type Metrics } from '../web/metrics/metrics.ts';
import type { ResourceDeps, Resources } from './resources.ts';

/** Health states as values of the gauge. */
const HEALTH: Readonly<Record<HealthState, number>> = { ok: 0, degraded: 1, down: 2 };

const KINDS: readonly OutboxKind[] = ['mail', 'sms', 'webhook'];

/** A measurement that took t ms is repeated after 100 t ms at the earliest, so it uses at most 1 % of a core. */
const SPARING = 100;

/** Returns a listener that measures SQLite's group commit. */
export function observeCommits(metrics: Metrics): (writes: number, waitedMs: number) => void {
  const writesOf = metrics.observe({
    name: 'ws01_commit_writes',
    help: 'SQLite: writes that shared a transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
  });
  const waitOf = metrics.observe({
    name: 'ws01_commit_wait_seconds',
    help: 'SQLite: from when the first write of a transaction was asked for until all of it was on the disk.',
    buckets: LATENCIES,
  });
  return (writes, waitedMs) => {
    writesOf(writes);
    waitOf(waitedMs / 1_000);
  };
}

/** Registers gauges of the shared resources, which are read at each scrape. */
export function measureResources(
  metrics: Metrics,
  deps: ResourceDeps,
  resources: Resources,
  health: Pick<HealthChecks, 'report'>,
): void {
  // The leader reports what is the same in every worker.
  let leads = false;
  deps.peers.onLead(() => {
    leads = true;
  });
  const once = (ask: AskedMetric['ask']) => () => (leads ? ask() : undefined);
  const groups = [
    phoneMetrics(resources),
    diskMetrics(deps, resources, once),
    storeMetrics(deps.store),
    cacheMetrics(resources),
    imageMetrics(resources),
    healthMetrics(health),
    backupMetrics(deps.store, once),
    // The last one, because it runs on the search thread and would count itself as load.
    outboxMetrics(deps, once),
  ];
  for (const metric of groups.flat()) metrics.ask(metric);
}

type Once = (ask: AskedMetric['ask']) => AskedMetric['ask'];

function outboxMetrics({ store, clock }: ResourceDeps, once: Once): AskedMetric[] {
  const count = sparingly(() => store.scan((db) => countMessages(db)));
  return [
    {
      name: 'ws01_outbox_messages',
      help: 'Messages in the database by what has become of them; queued, deferred and sending are on their way.',
      type: 'gauge',
      labels: ['kind', 'state'],
      merge: 'max',
      ask: once(async () => {
        const counts = await count();
        const found = counts.map(({ kind, state, count: messages }) => [{ kind, state }, messages] as const);
        // An empty queue is reported as 0, not left out.
        const empty = KINDS.flatMap((kind) => WAITING.map((state) => ({ kind, state }))).filter(
          (one) => !counts.some(({ kind, state }) => kind === one.kind && state === one.state),
        );
        return [...found, ...empty.map((labels) => [labels, 0] as const)];
      }),
    },
    {
      name: 'ws01_outbox_oldest_seconds',
      help: 'Age of the oldest message that is on its way; 0 when there is none.',
      type: 'gauge',
      labels: ['kind'],
      merge: 'max',
      ask: once(async () => {
        const ages: [{ kind: string }, number][] = [];
        for (const kind of KINDS) ages.push([{ kind }, (await oldestAge(store, kind, clock())) / 1_000]);
        return ages;
      }),
    },
  ];
}

const WAITING = ['queued', 'deferred', 'sending'] as const;

/** Age of the oldest message, in ms; 0 if there is none. */
async function oldestAge(store: Store, kind: OutboxKind, now: number): Promise<number> {
  let oldest = now;
  for (const state of WAITING) {
    const row = await store.read((db) => oldestInState.first(db, { kind, state }));
    if (row !== undefined) oldest = Math.min(oldest, row.created_at);
  }
  return now - oldest;
}

function phoneMetrics({ outgoing, codes }: Resources): AskedMetric[] {
  return [
    {
      name: 'ws01_outbox_attempts_total',
      help: 'Attempts to send, by what they have come to.',
      type: 'counter',
      labels: ['kind', 'outcome'],
      ask: () =>
        KINDS.flatMap((kind) =>
          [...outgoing.outcomes[kind]].map(([outcome, attempts]) => [{ kind, outcome }, attempts] as const),
        ),
    },
    {
      name: 'ws01_outbox_unreachable',
      help: '1 while the mail server or the SMS gateway cannot be reached.',
      type: 'gauge',
      labels: ['kind'],
      merge: 'max',
      ask: async () => {
        const states: [{ kind: string }, number][] = [];
        for (const { name, check } of outgoing.reachable) {
          const isReached = await check().then(
            () => true,
            () => false,
          );
          states.push([{ kind: name }, isReached ? 0 : 1]);
        }
        return states;
      },
    },
    {
      name: 'ws01_phone_codes_total',
      help: 'Verification codes: created, verified, answered wrongly, too late (expired) or too often (locked); of those with an SMS gateway, sent (it took the message) and undeliverable.',
      type: 'counter',
      labels: ['event'],
      ask: () => {
        const attempts = outgoing.outcomes.sms;
        const undeliverable = (attempts.get('bounced') ?? 0) + (attempts.get('failed') ?? 0);
        return Object.entries({ ...codes.events, sent: attempts.get('sent') ?? 0, undeliverable }).map(
          ([event, count]) => [{ event }, count] as const,
        );
      },
    },
  ];
}

function diskMetrics({ config }: ResourceDeps, { files }: Resources, once: Once): AskedMetric[] {
  const usage = sparingly(() => files.spool.usage());
  return [
    {
      name: 'ws01_spool_files',
      help: 'Files on their way: uploads, and what is made of them.',
      type: 'gauge',
      merge: 'max',
      ask: once(async () => (await usage()).files),
    },
    {
      name: 'ws01_spool_bytes',
      help: 'What these files have together.',
      type: 'gauge',
      merge: 'max',
      ask: once(async () => (await usage()).bytes),
    },
    {
      name: 'ws01_disk_free_bytes',
      help: 'What the disk of DATA_DIR has left for the service.',
      type: 'gauge',
      merge: 'max',
      ask: once(async () => {
        const { bavail, bsize } = await statfs(config.dataDir);
        return bavail * bsize;
      }),
    },
    {
      name: 'ws01_disk_size_bytes',
      help: 'What the disk of DATA_DIR holds in all.',
      type: 'gauge',
      merge: 'max',
      ask: once(async () => {
        const { blocks, bsize } = await statfs(config.dataDir);
        return blocks * bsize;
      }),
    },
  ];
}

function storeMetrics(store: Store): AskedMetric[] {
  const counted = (name: string, help: string, ask: AskedMetric['ask']): AskedMetric => ({
    ...{ name, help, ask },
    type: 'counter',
  });
  const common = [
    counted('ws01_database_writes_total', 'Writes that were committed.', () => store.metrics.writes),
    counted('ws01_database_commits_total', 'Transactions that carried them.', () => store.metrics.commits),
  ];
  return store.engine === 'sqlite'
    ? [
        ...common,
        counted('ws01_database_syncs_total', 'SQLite: how often the disk was waited for.', () => store.metrics.syncs),
        {
          name: 'ws01_wal_bytes',
          help: 'SQLite: the file of the write-ahead log.',
          type: 'gauge',
          ask: () => store.metrics.logBytes,
        },
        {
          name: 'ws01_scans_waiting',
          help: 'SQLite: queries of the thread for searches that are not answered.',
          type: 'gauge',
          ask: () => store.metrics.scans?.waiting,
        },
        counted('ws01_scans_total', 'SQLite: queries of that thread.', () => store.metrics.scans?.queries),
        counted('ws01_scan_busy_seconds_total', 'SQLite: how long that thread had something to do.', () => {
          const { scans } = store.metrics;
          return scans && scans.busyMs / 1_000;
        }),
      ]
    : [
        ...common,
        {
          name: 'ws01_database_connections',
          help: 'PostgreSQL: connections, in use and idle, and how many there may be.',
          type: 'gauge',
          labels: ['state'],
          ask: () => {
            const { pool } = store.metrics;
            return pool && (['inUse', 'idle', 'most'] as const).map((state) => [{ state: STATES[state] }, pool[state]]);
          },
        },
        {
          name: 'ws01_database_waiting',
          help: 'PostgreSQL: queries that wait for a connection.',
          type: 'gauge',
          ask: () => store.metrics.pool?.waiting,
        },
        counted(
          'ws01_replica_queries_total',
          'PostgreSQL: queries that DATABASE_READ_URL answered.',
          () => store.metrics.replica?.answered,
        ),
        counted(
          'ws01_replica_passed_over_total',
          'PostgreSQL: those that the primary answered in its place.',
          () => store.metrics.replica?.passedOver,
        ),
      ];
}

const STATES = { inUse: 'in_use', idle: 'idle', most: 'limit' };

function cacheMetrics({ access, links, qrCodes }: Resources): AskedMetric[] {
  const caches: Readonly<Record<string, CacheUse>> = {
    tokens: access.cacheUse,
    links: links.cacheUse,
    qr_codes: qrCodes.cacheUse,
  };
  return [
    {
      name: 'ws01_cache_lookups_total',
      help: 'What was looked for in memory, and whether it was there.',
      type: 'counter',
      labels: ['cache', 'result'],
      ask: () =>
        Object.entries(caches).flatMap(([cache, { hits, misses }]): [Readonly<Record<string, string>>, number][] => [
          [{ cache, result: 'hit' }, hits],
          [{ cache, result: 'miss' }, misses],
        ]),
    },
  ];
}

function imageMetrics({ decoders }: Resources): AskedMetric[] {
  return [
    {
      name: 'ws01_images_working',
      help: 'Images that are being decoded.',
      type: 'gauge',
      ask: () => decoders.load.working,
    },
    {
      name: 'ws01_images_waiting',
      help: 'Images that wait to be decoded.',
      type: 'gauge',
      ask: () => decoders.load.waiting,
    },
    {
      name: 'ws01_images_total',
      help: 'Images given to the decoders: done, refused for their own sake, failed for another reason.',
      type: 'counter',
      labels: ['result'],
      ask: () => {
        const { done, refused, failed } = decoders.load;
        return Object.entries({ done, refused, failed }).map(([result, images]) => [{ result }, images] as const);
      },
    },
  ];
}

function healthMetrics(health: Pick<HealthChecks, 'report'>): AskedMetric[] {
  return [
    {
      name: 'ws01_health',
      help: 'Each part that the service needs, as /readyz?verbose tells it: 0 ok, 1 degraded, 2 down.',
      type: 'gauge',
      labels: ['part'],
      merge: 'max',
      ask: async () => {
        const { parts } = await health.report();
        return Object.entries(parts).map(([part, { state }]) => [{ part }, HEALTH[state]] as const);
      },
    },
  ];
}

function backupMetrics(store: Store, once: Once): AskedMetric[] {
  return [
    {
      name: 'ws01_backup_verified_timestamp_seconds',
      help: 'When the last good backup was verified; seconds since 1970, 0 before the first.',
      type: 'gauge',
      merge: 'max',
      ask: once(async () => {
        const { lastGood } = await store.read((db) => backupState(db));
        return (lastGood?.verified_at ?? 0) / 1_000;
      }),
    },
  ];
}

/** Wraps a measurement so that its cost is bounded by {@link SPARING}; in between it returns the last value. */
function sparingly<T>(look: () => Promise<T>): () => Promise<T> {
  let last: { readonly value: T; readonly until: number } | undefined;
  return async () => {
    const began = performance.now();
    if (last !== undefined && began < last.until) return last.value;
    const value = await look();
    const now = performance.now();
    last = { value, until: now + SPARING * (now - began) };
    return value;
  };
}

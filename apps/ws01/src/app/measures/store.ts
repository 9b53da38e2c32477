import type { Store } from '../../store/store.ts';
import { type AskedMetric, LATENCIES, type Metrics } from '../../web/metrics/metrics.ts';

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

export function storeMetrics(store: Store): AskedMetric[] {
  const own = store.engine === 'sqlite' ? sqliteMetrics : postgresMetrics;
  return [
    counted(
      'ws01_database_writes_total',
      'Writes that were committed.',
      () => store.metrics.writes,
    ),
    counted(
      'ws01_database_commits_total',
      'Transactions that carried them.',
      () => store.metrics.commits,
    ),
    ...own(store),
  ];
}

function counted(name: string, help: string, ask: AskedMetric['ask']): AskedMetric {
  return { name, help, ask, type: 'counter' };
}

function sqliteMetrics(store: Store): AskedMetric[] {
  return [
    counted(
      'ws01_database_syncs_total',
      'SQLite: how often the disk was waited for.',
      () => store.metrics.syncs,
    ),
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
    counted(
      'ws01_scans_total',
      'SQLite: queries of that thread.',
      () => store.metrics.scans?.queries,
    ),
    counted(
      'ws01_scan_busy_seconds_total',
      'SQLite: how long that thread had something to do.',
      () => {
        const { scans } = store.metrics;
        return scans && scans.busyMs / 1_000;
      },
    ),
  ];
}

function postgresMetrics(store: Store): AskedMetric[] {
  return [
    {
      name: 'ws01_database_connections',
      help: 'PostgreSQL: connections, in use and idle, and how many there may be.',
      type: 'gauge',
      labels: ['state'],
      ask: () => {
        const { pool } = store.metrics;
        return (
          pool &&
          (['inUse', 'idle', 'most'] as const).map((state) => [
            { state: STATES[state] },
            pool[state],
          ])
        );
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
    {
      name: 'ws01_replica_behind_seconds',
      help: 'PostgreSQL: for how long DATABASE_READ_URL has been behind or away, as of the last query.',
      type: 'gauge',
      merge: 'max',
      ask: () => {
        const { replica } = store.metrics;
        return replica && replica.behindMs / 1_000;
      },
    },
  ];
}

const STATES = { inUse: 'in_use', idle: 'idle', most: 'limit' };

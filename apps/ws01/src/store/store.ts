import type { Kysely } from 'kysely';
import type { DependencyError } from '../failure/dependency-error.ts';
import type { Tables } from './tables/tables.ts';
import type { WriteOptions } from './write-limits.ts';

export type Engine = 'sqlite' | 'postgres';

/** Counters of the store since it was opened. */
export interface StoreMetrics {
  /** Committed writes. */
  readonly writes: number;
  /** Transactions that contained them; many writes may share one. */
  readonly commits: number;
  /** Number of disk syncs; 0 on PostgreSQL, where the server does them. */
  readonly syncs: number;
  /** PostgreSQL: the connections to the server, and the calls that wait for one. */
  readonly pool: PoolLoad | undefined;
  /**
   * PostgreSQL: queries of {@link Store.browse} that a replica answered, and those that the primary
   * answered in its place; and for how long the replica has been behind or away, as of the last
   * query; ms.
   */
  readonly replica:
    | { readonly answered: number; readonly passedOver: number; readonly behindMs: number }
    | undefined;
  /** SQLite: the thread of {@link Store.scan}. */
  readonly scans: ThreadLoad | undefined;
  /** SQLite: the size of the write-ahead log; bytes. */
  readonly logBytes: number | undefined;
}

interface PoolLoad {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
  /** Maximum number of connections. */
  readonly most: number;
}

export interface ThreadLoad {
  /** Number of queries so far. */
  readonly queries: number;
  /** Number of unanswered queries. */
  readonly waiting: number;
  /** Busy time; ms. */
  readonly busyMs: number;
}

/** The database, on either engine. */
export interface Store {
  readonly engine: Engine;

  /** Returns the present counters. */
  readonly metrics: StoreMetrics;

  /**
   * Resolves with the reason when this process can never use the database again and should exit, as
   * SQLite after a failed disk. All later reads and writes are rejected. Otherwise never settles.
   */
  readonly failed: Promise<DependencyError>;

  /**
   * SQLite: why a loss of the latest commits would not be noticed at a later start; `undefined` if
   * it would. Nothing is lost yet, so reads and writes go on.
   */
  readonly unmarked: Error | undefined;

  /**
   * Runs queries that change nothing. Each query sees what was committed when it began; two queries
   * of one `read` may see different states. Other calls wait for them, so they are quick: SQLite
   * answers on the thread that asks, and on PostgreSQL the queries of several calls share a round
   * trip.
   * @throws {DependencyError} `unavailable` or `busy`; the error of `work`.
   */
  read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;

  /**
   * As {@link read}, for lists and counts: on PostgreSQL a replica may answer. It has everything
   * that was committed before the call; each query may see a different state.
   * @throws {DependencyError} `unavailable` or `busy`; the error of `work`.
   */
  browse<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;

  /**
   * As {@link browse}, for queries that may examine many more rows than they return. On SQLite they
   * run on a thread of their own, where callers take turns, on PostgreSQL on connections of their
   * own, so that other calls do not wait for them; small ones are faster with {@link read}.
   * @throws {DependencyError} `unavailable`, or `busy` when too many wait; the error of `work`.
   */
  scan<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;

  /**
   * Runs queries that change nothing and all see the same state, however long they take; other
   * writes continue. On SQLite the log grows meanwhile.
   * @throws {DependencyError} `unavailable` or `busy`; the error of `work`.
   */
  snapshot<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;

  /**
   * Runs queries as one transaction: all take effect, or none if a query fails or `work` throws.
   * Resolves when the commit is durable.
   *
   * `work` must await only queries through its argument, because other writes wait for it. It may
   * run more than once, after a conflict, so it must have no effect outside of the database. A
   * failed query ends the write, even if `work` catches its error; use `on conflict` where a
   * conflict is expected.
   * @throws {DependencyError} `unavailable` or `busy`; `outcomeUnknown` when the commit was sent
   *   and not confirmed; the error of `work`.
   */
  write<T>(work: (tx: Kysely<Tables>) => Promise<T>, options?: WriteOptions): Promise<T>;

  /**
   * Resolves if the database can be read and durably written now.
   * @throws {DependencyError} if it cannot.
   */
  check(): Promise<void>;

  /**
   * Finishes writes in progress, rejects new ones and closes the database. Further calls have no
   * effect.
   */
  close(): Promise<void>;
}

export interface StoreOptions {
  /** `postgres://…` or `postgresql://…`; absent: the SQLite file in `dataDir`. */
  readonly databaseUrl?: string | undefined;
  /** PostgreSQL: `postgres://…` of one or several standbys, for lists and counts. */
  readonly databaseReadUrl?: string | undefined;
  /** The folder of the SQLite file; created if it does not exist. */
  readonly dataDir: string;
  /** PostgreSQL: maximum number of connections; default: 10. */
  readonly poolSize?: number;
  /**
   * PostgreSQL: maximum number of calls that wait for a connection; more are rejected. Default: no
   * limit.
   */
  readonly maxWaiting?: number;
  /** PostgreSQL: statement timeout, on the server and here; ms; default: 10,000. */
  readonly statementTimeout?: number;
  /** PostgreSQL: how long a statement may wait for a lock; ms, 5,000 when absent. */
  readonly lockTimeout?: number;
  /** PostgreSQL: how long a transaction may be open without a statement; ms, 10,000 when absent. */
  readonly idleTransactionTimeout?: number;
  /** PostgreSQL: how long to wait for a server that is just coming up; ms, 10,000 when absent. */
  readonly startTimeout?: number;
  /** How long a write waits for other processes that hold the database; ms, 5,000 when absent. */
  readonly busyTimeout?: number;
  /**
   * SQLite: whether another process serves the same file. Then neither process sees a commit of the
   * other before it is on the disk. The cost is here: each read and each commit of this store waits
   * for the disk, but not those of the other.
   */
  readonly guest?: boolean;
  /** SQLite: whether this is the service of `dataDir`, of which there may be one. */
  readonly service?: boolean;
  /**
   * What to do about the schema: `migrate` brings it up to date and makes a database where there is
   * none; `require` changes nothing, makes nothing and refuses any other schema than this
   * version's. `migrate` when absent.
   */
  readonly schema?: 'migrate' | 'require';
  /**
   * Told once for each failed attempt to reach a PostgreSQL server that is just coming up, with its
   * reason.
   */
  readonly onWaiting?: (reason: string) => void;
  /**
   * SQLite: told of each transaction that was committed.
   * @param writes that shared it.
   * @param waitedMs from when the first of them was asked for until all were on the disk.
   */
  readonly onCommit?: ((writes: number, waitedMs: number) => void) | undefined;
  /**
   * SQLite: told at the start when the end of what was once committed is not there any more.
   * @param commits how many.
   * @param mark the number of the last one.
   */
  readonly onMissing?: ((commits: number, mark: number) => void) | undefined;
  /**
   * SQLite: told what an operator must know about the database's files; one sentence without a full
   * stop.
   */
  readonly onTrouble?: ((message: string) => void) | undefined;
  /**
   * SQLite: whether only reads follow, so that a loss of commits is not noted in the database
   * either.
   */
  readonly readsOnly?: boolean;
  /**
   * SQLite: whether a lot is to be written by this process alone: with more memory, and sorting on
   * the disk.
   */
  readonly bulk?: boolean;
  /** SQLite: writes in one transaction at most; 128 when absent. */
  readonly batchSize?: number;
  /**
   * SQLite: from when on a transaction takes in no further write, so that the event loop turns; ms,
   * 20 when absent.
   */
  readonly batchTime?: number;
}

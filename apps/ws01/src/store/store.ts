import type { Kysely } from 'kysely';
import type { DependencyError } from '../failure/dependency-error.ts';
import type { Flavour } from './flavours/flavour.ts';
import type { Tables } from './tables/tables.ts';
import type { WriteOptions } from './write-limits.ts';

export type Engine = 'sqlite' | 'postgres';

/** What the store has done since it was opened. */
export interface StoreMetrics {
  /** Writes that were committed. */
  readonly writes: number;
  /** Transactions that carried them; many writes may share one. */
  readonly commits: number;
  /** How often the disk was waited for; on PostgreSQL the server's business, and 0. */
  readonly syncs: number;
  /** PostgreSQL: the connections to the server, and the calls that wait for one. */
  readonly pool: PoolLoad | undefined;
  /** PostgreSQL: queries of {@link Store.browse} that a replica answered, and that the primary did in its place. */
  readonly replica: { readonly answered: number; readonly passedOver: number } | undefined;
  /** SQLite: the thread that {@link Store.scan} runs on. */
  readonly scans: ThreadLoad | undefined;
  /** SQLite: the file of the write-ahead log; bytes. */
  readonly logBytes: number | undefined;
}

interface PoolLoad {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
  /** Connections at most. */
  readonly most: number;
}

export interface ThreadLoad {
  /** Queries that it has been given. */
  readonly queries: number;
  /** Of them those that are not answered. */
  readonly waiting: number;
  /** How long it had something to do; ms. */
  readonly busyMs: number;
}

/** The database behind one door, on either engine. */
export interface Store {
  readonly engine: Engine;

  /** A snapshot of the counters. */
  readonly metrics: StoreMetrics;

  /**
   * Resolves, with the reason, when this process can never use the database again, so that it should end and another one
   * begin: SQLite after a disk that failed. Every later read and write is refused. Else it never settles.
   */
  readonly failed: Promise<DependencyError>;

  /**
   * Runs queries that change nothing. Each query sees what was committed when it began; two queries of one `read` may
   * see different states.
   * @throws {DependencyError} `unavailable` or `busy`; and whatever `work` throws.
   */
  read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;

  /**
   * As {@link read}, for lists and counts: on PostgreSQL a replica may answer. Whoever asks finds what was committed before,
   * by themselves or by others; each query may be of another moment.
   * @throws {DependencyError} `unavailable` or `busy`; and whatever `work` throws.
   */
  browse<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;

  /**
   * As {@link browse}, for queries that may look at many more rows than they return. On SQLite they run on a thread of
   * their own, so that other calls do not wait for them; a small one is quicker by {@link read}.
   * @param whose the address that asks: several take turns on that thread.
   * @throws {DependencyError} `unavailable`, or `busy` when too many wait; and whatever `work` throws.
   */
  scan<T>(work: (db: Kysely<Tables>) => Promise<T>, whose?: string): Promise<T>;

  /**
   * Runs queries that change nothing and all see one moment, however long they take; others go on writing meanwhile.
   * On SQLite the log grows as long as it takes.
   * @throws {DependencyError} `unavailable` or `busy`; and whatever `work` throws.
   */
  snapshot<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;

  /**
   * Runs queries as one transaction: all of them take effect, or none when one of them fails or `work` throws.
   * Resolves when the commit is durable.
   *
   * `work` awaits nothing but queries through its argument, since other writes wait for it. It may be run more than
   * once, when another write gets in its way, so it has no effect outside the database. A failed query ends the write,
   * even when `work` catches its error: where a conflict is expected, say `on conflict`.
   * @throws {DependencyError} `unavailable` or `busy`; `outcomeUnknown` when the commit was sent and not confirmed; and whatever `work`
   *   throws.
   */
  write<T>(work: (tx: Kysely<Tables>) => Promise<T>, options?: WriteOptions): Promise<T>;

  /**
   * Shows that the database can be read and durably written now.
   * @throws {DependencyError} when it cannot.
   */
  check(): Promise<void>;

  /** Finishes the writes in progress, refuses new ones and lets go of the database. Harmless when repeated. */
  close(): Promise<void>;
}

export interface StoreOptions {
  /** `postgres://…` or `postgresql://…`; the SQLite file in `dataDir` when absent. */
  readonly databaseUrl?: string | undefined;
  /** What speaks PostgreSQL's protocol at `databaseUrl`; `postgres` when absent. */
  readonly flavour?: Flavour;
  /** PostgreSQL: `postgres://…` of a standby, or of several behind one address, for lists and counts. */
  readonly databaseReadUrl?: string | undefined;
  /** The folder of the SQLite file; made when it does not exist. */
  readonly dataDir: string;
  /** PostgreSQL: connections at most; 10 when absent. */
  readonly poolSize?: number;
  /** PostgreSQL: calls that wait for a connection at most; the next one is refused. No bound when absent. */
  readonly maxWaiting?: number;
  /** PostgreSQL: how long one statement may take, there and here; ms, 10,000 when absent. */
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
   * SQLite: whether another process serves the same file. Then neither is told of a commit of the other's before that is
   * on the disk, at the price of a wait for the disk in each read and inside each commit here, and none there.
   */
  readonly guest?: boolean;
  /** SQLite: whether this is the service of `dataDir`, of which there may be one. */
  readonly service?: boolean;
  /**
   * What to do about the schema: `migrate` brings it up to date and makes a database where there is none; `require`
   * changes nothing, makes nothing and refuses any other schema than this version's. `migrate` when absent.
   */
  readonly schema?: 'migrate' | 'require';
  /** Told once for each failed attempt to reach a PostgreSQL server that is just coming up, with its reason. */
  readonly onWaiting?: (reason: string) => void;
  /**
   * SQLite: told of each transaction that was committed.
   * @param writes that shared it.
   * @param waitedMs from when the first of them was asked for until all were on the disk.
   */
  readonly onCommit?: ((writes: number, waitedMs: number) => void) | undefined;
  /** SQLite: told at the start when the end of what was once committed is not there any more. @param commits how many. */
  readonly onMissing?: ((commits: number) => void) | undefined;
  /** SQLite: whether a lot is to be written by this process alone: with more memory, and sorting on the disk. */
  readonly bulk?: boolean;
  /** SQLite: writes in one transaction at most; 128 when absent. */
  readonly batchSize?: number;
  /** SQLite: from when on a transaction takes in no further write, so that the event loop turns; ms, 20 when absent. */
  readonly batchTime?: number;
}

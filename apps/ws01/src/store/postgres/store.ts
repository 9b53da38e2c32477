import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '@ws01/asmx/time';
import {
  type CompiledQuery,
  type Dialect,
  DummyDriver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { DependencyError, isFailureOf } from '../../failure/dependency-error.ts';
import { probe } from '../probe.ts';
import { refuseStream } from '../refuse-stream.ts';
import { type Bind, binderOf, ReadScope, WriteScope } from '../scope.ts';
import type { Store, StoreMetrics } from '../store.ts';
import type { Tables } from '../tables/tables.ts';
import {
  WorkTimeoutError,
  type WriteLimits,
  type WriteOptions,
  withinTime,
} from '../write-limits.ts';
import { commitError, type PostgresConnection } from './connection.ts';
import type { Connections } from './connections.ts';
import { isCollision } from './errors.ts';
import { Replica } from './replica.ts';
import { RoomProbe } from './room.ts';
import { SharedReads } from './shared-reads.ts';
import { SharedWrites } from './shared-writes.ts';

/**
 * PostgreSQL's dialect for Kysely. The store binds connections, so the dialect's own driver is
 * never used.
 */
export const postgresDialect: Dialect = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
};

/**
 * Additional time that this process waits after the server's timeout, for the server's error; ms.
 */
const ANSWER_MS = 2_000;

/** Timeouts of a snapshot; ms. It idles while another database is written or files are copied. */
const PATIENT = { statement: DAY_MS, lock: 5_000, idle: DAY_MS };

/**
 * Maximum number of retries after conflicts, with pauses that double up to a quarter of a second.
 */
const RETRIES = 8;

export class PostgresStore implements Store {
  readonly engine = 'postgres';
  /** Never resolves: connections are opened again. */
  readonly failed = new Promise<DependencyError>(() => {});
  readonly unmarked = undefined;
  readonly #connections: Connections;
  readonly #bind: Bind;
  /** Reads and writes in progress, which `close` waits for. */
  readonly #accepted = new Set<Promise<unknown>>();
  /** Timeout of a query or a whole write in this process; ms. */
  readonly #timeout: number;
  /** The test for disk space. */
  readonly #room: RoomProbe;
  readonly #shared: SharedWrites;
  readonly #reads: SharedReads;
  readonly #readable: Kysely<Tables>;
  #writes = 0;
  #commits = 0;
  #closing: Promise<void> | undefined;

  readonly #replicaConnections: Connections | undefined;
  readonly #replica: Replica | undefined;

  /** @param replica answers lists and counts. */
  constructor(connections: Connections, replica?: Connections) {
    this.#connections = connections;
    this.#bind = binderOf(postgresDialect);
    this.#room = new RoomProbe(this);
    this.#timeout = connections.limits.statement + ANSWER_MS;
    this.#shared = new SharedWrites({
      bind: this.#bind,
      lend: (use) => connections.lend(use, true),
      turns: connections.turns,
      limits: connections.limits,
      timeout: this.#timeout,
      alone: (work) => this.#write(work, {}, true),
      onCommitted: (writes) => {
        this.#writes += writes;
        this.#commits++;
      },
    });
    this.#reads = this.#sharedReads();
    this.#readable = this.#bind(new ReadScope(this.#reads));
    this.#replicaConnections = replica;
    this.#replica =
      replica && new Replica({ replica, primary: connections, timeout: this.#timeout });
  }

  /**
   * For queries outside of a transaction, on any connection to the primary; those of one turn share
   * a round trip.
   */
  #sharedReads(): SharedReads {
    return new SharedReads({
      lend: (use) => withoutCollisions('A query', () => this.#connections.lend(use, true)),
      turns: this.#connections.turns,
      timeout: this.#timeout,
    });
  }

  get metrics(): StoreMetrics {
    return {
      writes: this.#writes,
      commits: this.#commits,
      syncs: 0,
      pool: this.#connections.metrics,
      replica: this.#replica && {
        answered: this.#replica.answered,
        passedOver: this.#replica.passedOver,
        behindMs: this.#replica.behindMs,
      },
      scans: undefined,
      logBytes: undefined,
    };
  }

  read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#accept(async () => work(this.#readable));
  }

  browse<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const replica = this.#replica;
    return replica === undefined ? this.read(work) : this.#onReplica(replica, this.#reads, work);
  }

  /**
   * The server does not block this process. Other calls do not wait for these queries, which may be
   * slow.
   */
  scan<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const own = this.#sharedReads();
    if (this.#replica !== undefined) return this.#onReplica(this.#replica, own, work);
    return this.#accept(async () => work(this.#bind(new ReadScope(own))));
  }

  #onReplica<T>(
    replica: Replica,
    primary: SharedReads,
    work: (db: Kysely<Tables>) => Promise<T>,
  ): Promise<T> {
    return this.#accept(async () => {
      const position = await replica.position();
      const executeQuery = async <R>(query: CompiledQuery) =>
        (await replica.query<R>(query, position)) ?? (await primary.executeQuery<R>(query));
      return work(this.#bind(new ReadScope({ executeQuery, streamQuery: refuseStream })));
    });
  }

  snapshot<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#accept(() =>
      this.#connections.lend(async (connection) => {
        connection.begin(PATIENT, 'isolation level repeatable read read only');
        try {
          return await work(this.#bind(new ReadScope(connection)));
        } finally {
          // If the connection broke, the error of `work` has reported it.
          await connection.rollback().catch(() => {});
        }
      }),
    );
  }

  write<T>(
    work: (tx: Kysely<Tables>) => Promise<T>,
    { records, ...limits }: WriteOptions = {},
  ): Promise<T> {
    return this.#accept(() =>
      records === undefined ? this.#write(work, limits) : this.#shared.write(work, records),
    );
  }

  async check(): Promise<void> {
    await probe(this);
    await this.#room.check();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close(Promise.allSettled(this.#accepted));
    return this.#closing;
  }

  async #close(underWay: Promise<unknown>): Promise<void> {
    await Promise.all([
      this.#connections.close(underWay),
      this.#replicaConnections?.close(underWay),
    ]);
  }

  async #accept<T>(run: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) {
      throw new DependencyError('database', 'unavailable', 'The database has been closed.');
    }
    const accepted = run();
    this.#accepted.add(accepted);
    try {
      return await accepted;
    } finally {
      this.#accepted.delete(accepted);
    }
  }

  /** @param admitted as `Turns.take`. */
  async #write<T>(
    work: (tx: Kysely<Tables>) => Promise<T>,
    limits: WriteLimits,
    admitted = false,
  ): Promise<T> {
    const value = await withoutCollisions('A write', () =>
      this.#connections.lend((connection) => this.#transaction(connection, work, limits), admitted),
    );
    this.#writes++;
    this.#commits++;
    return value;
  }

  async #transaction<T>(
    connection: PostgresConnection,
    work: (tx: Kysely<Tables>) => Promise<T>,
    { workTimeout = this.#timeout, busyTimeout = workTimeout }: WriteLimits,
  ): Promise<T> {
    const own = { statement: workTimeout, lock: busyTimeout, idle: workTimeout };
    const scope = new WriteScope(connection);
    let committing = false;
    const run = async () => {
      connection.begin(workTimeout === this.#timeout ? this.#connections.limits : own);
      const value = await work(this.#bind(scope));
      if (scope.failed) {
        throw scope.failure;
      }
      scope.end();
      committing = true;
      await connection.commit();
      scope.committed();
      return value;
    };
    try {
      return await withinTime(run(), workTimeout);
    } catch (thrown) {
      const error = commitError(thrown, committing);
      // The connection may be stuck in a query; closing it also rolls back.
      if (isFailureOf('database', error, 'outcomeUnknown') || error instanceof WorkTimeoutError)
        throw error;
      await withinTime(connection.rollback(), workTimeout).catch(() => {});
      throw error;
    } finally {
      scope.end();
    }
  }
}

/** Retries work that conflicted with others, which had no effect. Reads can conflict as well. */
async function withoutCollisions<T>(what: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isCollision(error)) throw error;
      if (attempt > RETRIES) {
        throw new DependencyError('database', 'busy', `${what} kept colliding with others.`, {
          cause: error,
        });
      }
    }
    await sleep(Math.random() * 2 ** attempt);
  }
}

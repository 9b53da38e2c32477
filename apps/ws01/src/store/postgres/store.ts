import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { StoreError } from '../errors.ts';
import { probe } from '../probe.ts';
import { refuseStream } from '../refuse-stream.ts';
import { type Bind, binderOf, ReadScope, WriteScope } from '../scope.ts';
import type { Store, StoreMetrics } from '../store.ts';
import type { Tables } from '../tables/tables.ts';
import { WORK_TIMEOUT, WorkTimeoutError, type WriteLimits, withinTime } from '../write-limits.ts';
import { PostgresConnection } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { connectError, isCollision, isStalePlan, isWithoutReply } from './errors.ts';

/** How often a write is run again after collisions, with pauses that double up to a quarter of a second. */
const RETRIES = 8;

export class PostgresStore implements Store {
  readonly engine = 'postgres';
  /** Connections are made anew. */
  readonly failed = new Promise<StoreError>(() => {});
  readonly #pool: pg.Pool;
  readonly #bind: Bind = binderOf(postgresDialect);
  readonly #connections = new WeakMap<pg.PoolClient, PostgresConnection>();
  readonly #readable: Kysely<Tables>;
  /** Reads and writes under way, which closing waits for. */
  readonly #accepted = new Set<Promise<unknown>>();
  #writes = 0;
  #closing: Promise<void> | undefined;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    const onAnyConnection = new ReadScope({
      executeQuery: (query) =>
        this.#lend((connection) => withinTime(connection.executeQuery(query), WORK_TIMEOUT, 'A query')),
      streamQuery: refuseStream,
    });
    this.#readable = this.#bind(onAnyConnection);
  }

  get metrics(): StoreMetrics {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return {
      writes: this.#writes,
      commits: this.#writes,
      syncs: 0,
      pool: { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount, most: options.max },
      scans: undefined,
      logBytes: undefined,
    };
  }

  read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#accept(async () => work(this.#readable));
  }

  /** The server does not hold up this process. */
  scan<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.read(work);
  }

  snapshot<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#accept(() =>
      this.#lend(async (connection) => {
        await connection.run('begin isolation level repeatable read read only');
        try {
          return await work(this.#bind(new ReadScope(connection)));
        } finally {
          // Of a connection that broke, `work` has told already.
          await connection.run('rollback').catch(() => {});
        }
      }),
    );
  }

  write<T>(work: (tx: Kysely<Tables>) => Promise<T>, limits: WriteLimits = {}): Promise<T> {
    return this.#accept(() => this.#write(work, limits.workTimeout ?? WORK_TIMEOUT));
  }

  check(): Promise<void> {
    return probe(this);
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#accepted).then(() => this.#pool.end());
    return this.#closing;
  }

  async #accept<T>(run: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) {
      throw new StoreError('unavailable', 'The database has been closed.');
    }
    const accepted = run();
    this.#accepted.add(accepted);
    try {
      return await accepted;
    } finally {
      this.#accepted.delete(accepted);
    }
  }

  async #write<T>(work: (tx: Kysely<Tables>) => Promise<T>, workTimeout: number): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const value = await this.#lend((connection) => this.#transaction(connection, work, workTimeout));
        this.#writes++;
        return value;
      } catch (error) {
        if (!isCollision(error)) {
          throw error;
        }
        if (attempt > RETRIES) {
          throw new StoreError('busy', 'A write kept colliding with others.', error);
        }
      }
      await sleep(Math.random() * 2 ** attempt);
    }
  }

  async #transaction<T>(
    connection: PostgresConnection,
    work: (tx: Kysely<Tables>) => Promise<T>,
    workTimeout: number,
  ): Promise<T> {
    const scope = new WriteScope(connection);
    let committing = false;
    const run = async () => {
      await connection.run('begin');
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
    } catch (error) {
      if (committing && isWithoutReply(error)) {
        throw new StoreError('unknown', 'PostgreSQL was told to commit and has not said that it did.', error);
      }
      // It may be stuck in a query: its connection is thrown away, which rolls back as well.
      if (error instanceof WorkTimeoutError) throw error;
      await withinTime(connection.run('rollback'), workTimeout).catch(() => {});
      throw error;
    } finally {
      scope.end();
    }
  }

  /**
   * Lends a connection. One that may be broken, or is still in a transaction, does not come back into the pool. One
   * that the server has cut unnoticed while it was idle is replaced, nothing has been done on it; so is one whose
   * prepared statements have become stale, which undoes what was done on it.
   */
  async #lend<T>(use: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    for (;;) {
      const client = await this.#connect();
      const known = this.#connections.get(client);
      const connection = known ?? new PostgresConnection(client);
      this.#connections.set(client, connection);
      connection.answered = false;
      let reusable = true;
      try {
        return await use(connection);
      } catch (error) {
        const lost = error instanceof StoreError && error.kind === 'unavailable';
        const stale = isStalePlan(error);
        reusable = !(error instanceof StoreError) && !stale && connection.idle;
        const replaceable = stale || (lost && !connection.answered);
        if (!replaceable || known === undefined) {
          throw error;
        }
      } finally {
        client.release(!reusable);
      }
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw connectError(error);
    }
  }
}

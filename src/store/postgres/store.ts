import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import pg from 'pg';
import { StoreError } from '../errors.ts';
import { probe } from '../probe.ts';
import { type Bind, binderOf, refuseStream, WriteScope } from '../scope.ts';
import type { Store, StoreMetrics, StoreOptions } from '../store.ts';
import type { Tables } from '../tables.ts';
import { PostgresConnection } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { isCollision, postgresError } from './errors.ts';
import { valueTypes } from './value-types.ts';

/** How often a write is run again after collisions. */
const RETRIES = 8;

/** Opens a pool of connections to PostgreSQL, without migrating it. */
export async function openPostgres(options: StoreOptions & { readonly databaseUrl: string }): Promise<Store> {
  return new PostgresStore(options);
}

class PostgresStore implements Store {
  readonly engine = 'postgres';
  readonly #pool: pg.Pool;
  readonly #bind: Bind = binderOf(postgresDialect);
  readonly #connections = new WeakMap<pg.PoolClient, PostgresConnection>();
  readonly #readable: Kysely<Tables>;
  #writes = 0;
  #closing: Promise<void> | undefined;

  constructor({ databaseUrl, poolSize = 10 }: StoreOptions) {
    this.#pool = new pg.Pool({
      connectionString: databaseUrl,
      max: poolSize,
      types: valueTypes,
      application_name: 'ws01',
      connectionTimeoutMillis: 5_000,
    });
    // An idle connection that breaks is replaced by the pool at its next use.
    this.#pool.on('error', () => {});
    this.#readable = this.#bind({
      executeQuery: (query) => this.#withConnection((connection) => connection.executeQuery(query)),
      streamQuery: refuseStream,
    });
  }

  get metrics(): StoreMetrics {
    return { writes: this.#writes, commits: this.#writes, syncs: 0 };
  }

  async read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return work(this.#readable);
  }

  async write<T>(work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const value = await this.#withConnection((connection) => this.#transaction(connection, work));
        this.#writes++;
        return value;
      } catch (error) {
        if (!isCollision(error)) {
          throw error;
        }
        if (attempt > RETRIES) {
          throw new StoreError('busy', 'The write kept colliding with others.', error);
        }
      }
      await sleep(Math.random() * 2 ** attempt);
    }
  }

  check(): Promise<void> {
    return probe(this);
  }

  close(): Promise<void> {
    this.#closing ??= this.#pool.end();
    return this.#closing;
  }

  async #transaction<T>(connection: PostgresConnection, work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> {
    await connection.run('begin');
    const scope = new WriteScope(connection);
    try {
      const value = await work(this.#bind(scope));
      if (scope.failed) {
        throw scope.failure;
      }
      await connection.run('commit');
      return value;
    } catch (error) {
      await connection.run('rollback');
      throw error;
    } finally {
      scope.end();
    }
  }

  /** Lends a connection; a broken one leaves the pool. */
  async #withConnection<T>(use: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let connection = this.#connections.get(client);
    if (connection === undefined) {
      connection = new PostgresConnection(client);
      this.#connections.set(client, connection);
    }
    let broken = false;
    try {
      return await use(connection);
    } catch (error) {
      broken = error instanceof StoreError && error.kind === 'unavailable';
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw postgresError(error);
    }
  }
}

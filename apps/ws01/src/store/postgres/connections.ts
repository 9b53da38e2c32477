import pg from 'pg';
import { DependencyError, isFailureOf } from '../../failure/dependency-error.ts';
import { caller } from '../on-behalf.ts';
import type { StoreMetrics, StoreOptions } from '../store.ts';
import { WorkTimeoutError } from '../write-limits.ts';
import { PostgresConnection } from './connection.ts';
import { connectError, isStalePlan } from './errors.ts';
import { type Hosts, hostsOf } from './hosts.ts';
import { cancel, type SessionLimits, setUp } from './session.ts';
import { Turns } from './turns.ts';
import { valueTypes } from './value-types.ts';

/** How long one attempt to connect may take; ms. */
const CONNECT_TIMEOUT = 5_000;

/** The same to a replica, for which the primary stands in; ms. */
const REPLICA_CONNECT_TIMEOUT = 1_000;

/** How long an idle connection is kept, with its prepared statements; ms. */
const IDLE_TIMEOUT = 300_000;

/** How long statements in progress may take to end when the store is closed; ms. */
const CLOSE_MS = 1_500;

/**
 * The connection pool of a process: connections are created on demand, lent in a fair order, and discarded if they may
 * be broken.
 */
export class Connections {
  readonly #pool: pg.Pool;
  readonly turns: Turns;
  readonly #hosts: Hosts;
  /** Where the next connection is made to. */
  #host = 0;
  readonly #known = new WeakMap<pg.ClientBase, PostgresConnection>();
  readonly #open = new Set<pg.ClientBase>();
  readonly limits: SessionLimits;

  /**
   * @param role a `replica` may be a server of either kind, of which only reading is asked.
   * @throws {TypeError} when `databaseUrl` is no URL.
   */
  constructor(
    {
      databaseUrl,
      poolSize = 10,
      maxWaiting = Number.POSITIVE_INFINITY,
      statementTimeout = 10_000,
      lockTimeout = 5_000,
      idleTransactionTimeout = 10_000,
    }: StoreOptions & { readonly databaseUrl: string },
    role: 'primary' | 'replica' = 'primary',
  ) {
    const hosts = hostsOf(databaseUrl);
    this.#hosts = role === 'replica' ? { ...hosts, writable: false } : hosts;
    this.limits = { statement: statementTimeout, lock: lockTimeout, idle: idleTransactionTimeout };
    this.turns = new Turns({ atOnce: poolSize, waiting: maxWaiting, timeoutMs: statementTimeout });
    const url = () => this.#hosts.urls[this.#host]!;
    this.#pool = new pg.Pool({
      // The pool makes it with its own options.
      Client: class extends pg.Client {
        constructor(config?: pg.ClientConfig) {
          super({ ...config, connectionString: url() });
        }
      },
      onConnect: (client) => this.#setUp(client),
      max: poolSize,
      types: valueTypes,
      application_name: 'ws01',
      connectionTimeoutMillis: role === 'replica' ? REPLICA_CONNECT_TIMEOUT : CONNECT_TIMEOUT,
      idleTimeoutMillis: IDLE_TIMEOUT,
      keepAlive: true,
    });
    // A connection may break when no query is there to be told: the pool drops an idle one, a lent one tells its next query.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    this.#pool.on('remove', (client) => this.#open.delete(client));
  }

  get metrics(): StoreMetrics['pool'] {
    const { totalCount, idleCount, options } = this.#pool;
    return { inUse: totalCount - idleCount, idle: idleCount, waiting: this.turns.waiting, most: options.max };
  }

  /**
   * Lends a connection, when its turn has come. One that may be broken, or is still in a transaction, does not come back
   * into the pool. One that the server has cut unnoticed while it was idle is replaced, nothing has been done on it; so is
   * one whose prepared statements have become stale, which undoes what was done on it.
   * @param admitted as `Turns.take`.
   */
  lend<T>(use: (connection: PostgresConnection) => Promise<T>, admitted = false): Promise<T> {
    return this.turns.take(caller(), () => this.#lend(use), admitted);
  }

  async #lend<T>(use: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    for (;;) {
      const client = await this.connect().catch((error: unknown) => {
        throw connectError(error);
      });
      const connection = this.#known.get(client)!;
      const isNew = !connection.lent;
      connection.lent = true;
      connection.answered = false;
      let reusable = true;
      try {
        return await use(connection);
      } catch (error) {
        // What it was busy with goes on there otherwise, with its locks; a commit must not be called off.
        if (error instanceof WorkTimeoutError) cancel(client);
        const lost = isFailureOf('database', error, 'unavailable');
        const stale = isStalePlan(error);
        const unsure = error instanceof WorkTimeoutError || isFailureOf('database', error, 'outcomeUnknown');
        reusable = !lost && !stale && !unsure && connection.idle;
        const replaceable = stale || (lost && !connection.answered);
        if (!replaceable || isNew) throw error;
      } finally {
        client.release(!reusable);
      }
    }
  }

  /** A connection; with several servers, to the first one that is there and is the right one. */
  async connect(): Promise<pg.PoolClient> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        this.#host = (this.#host + 1) % this.#hosts.urls.length;
        if (attempt >= this.#hosts.urls.length) throw error;
      }
    }
  }

  /** Waits a moment for what is in progress, and then cuts it off. */
  async close(underWay: Promise<unknown>): Promise<void> {
    const cutOff = setTimeout(() => {
      for (const client of this.#open) streamOf(client).destroy();
    }, CLOSE_MS);
    await underWay;
    clearTimeout(cutOff);
    await this.#pool.end();
  }

  async #setUp(client: pg.ClientBase): Promise<void> {
    this.#open.add(client);
    try {
      const { pooled, readOnly } = await setUp(client, this.limits);
      if (readOnly && this.#hosts.writable)
        throw new DependencyError('database', 'unavailable', 'This PostgreSQL is a standby.');
      this.#known.set(client, new PostgresConnection(client, pooled, this.limits));
    } catch (error) {
      this.#open.delete(client);
      // The pool waits for its orderly end, which a silent server never answers.
      streamOf(client).destroy();
      throw error;
    }
  }
}

const streamOf = (client: pg.ClientBase) =>
  (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream;

import { time } from '@ws01/asmx/time';
import pg from 'pg';
import { DependencyError, isFailureOf } from '../../failure/dependency-error.ts';
import { Turns } from '../../turns/turns.ts';
import type { StoreMetrics, StoreOptions } from '../store.ts';
import { WorkTimeoutError } from '../write-limits.ts';
import { PostgresConnection } from './connection.ts';
import { connectError, isStalePlan } from './errors.ts';
import { type Hosts, hostsOf } from './hosts.ts';
import { cancel, type SessionLimits, setUp } from './session.ts';
import { valueTypes } from './value-types.ts';

/** Timeout of one connection attempt; ms. */
const CONNECT_TIMEOUT = 5_000;

/** The same for a replica, which the primary can replace; ms. */
const REPLICA_CONNECT_TIMEOUT = 1_000;

/** How long an idle connection is kept with its prepared statements; ms. */
const IDLE_TIMEOUT = 300_000;

/** Timeout of statements in progress when the store closes; ms. */
const CLOSE_MS = 1_500;

/**
 * The connection pool of a process: connections are created on demand, lent in a fair order, and
 * discarded if they may be broken.
 */
/** Why an operation gets no connection. */
const BUSY = {
  full: 'Too many calls wait for a connection to PostgreSQL.',
  late: 'No connection to PostgreSQL was free in time.',
} as const;

export class Connections {
  readonly #pool: pg.Pool;
  readonly turns: Turns;
  readonly #hosts: Hosts;
  /** Index of the server for the next connection. */
  #host = 0;
  readonly #known = new WeakMap<pg.ClientBase, PostgresConnection>();
  /** Every connection, including those that are being opened. */
  readonly #open = new Set<pg.ClientBase>();
  /** Whether the store is closed and its work in progress was ended; nothing connects then. */
  #cutOff = false;
  readonly limits: SessionLimits;

  /**
   * @param role a `replica` may be any kind of server; it is only read.
   * @throws {TypeError} when `databaseUrl` is not a URL.
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
    this.turns = new Turns(poolSize, {
      waiting: maxWaiting,
      waitMs: statementTimeout,
      refusal: (reason) => new DependencyError('database', 'busy', BUSY[reason]),
    });
    const url = () => this.#hosts.urls[this.#host]!;
    const open = this.#open;
    const patience = role === 'replica' ? REPLICA_CONNECT_TIMEOUT : CONNECT_TIMEOUT;
    this.#pool = new pg.Pool({
      // The pool creates it with its own options.
      Client: class extends pg.Client {
        constructor(config?: pg.ClientConfig) {
          super({ ...config, connectionString: url() });
          open.add(this);
          this.once('end', () => open.delete(this));
          endLate(this, patience);
        }
      },
      onConnect: (client) => this.#setUp(client),
      max: poolSize,
      types: valueTypes,
      application_name: 'ws01',
      idleTimeoutMillis: IDLE_TIMEOUT,
      keepAlive: true,
    });
    // A connection may break when no query is waiting: the pool discards an idle one, and a lent
    // one fails its next query.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  get metrics(): StoreMetrics['pool'] {
    const { totalCount, idleCount, options } = this.#pool;
    return {
      inUse: totalCount - idleCount,
      idle: idleCount,
      waiting: this.turns.waiting,
      most: options.max,
    };
  }

  /**
   * Lends a connection when the caller's turn has come. A connection that may be broken, or is
   * still in a transaction, is not reused. If the server had closed it while idle, it is replaced,
   * since nothing was done on it; so is one with stale prepared statements, whose transaction is
   * rolled back.
   * @param admitted as `Turns.take`.
   */
  lend<T>(use: (connection: PostgresConnection) => Promise<T>, admitted = false): Promise<T> {
    return this.turns.take(() => this.#lend(use), { admitted });
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
        // Cancels the statement; otherwise it would continue on the server and keep its locks. A
        // commit must not be cancelled.
        if (error instanceof WorkTimeoutError) cancel(client);
        const lost = isFailureOf('database', error, 'unavailable');
        const stale = isStalePlan(error);
        const unsure =
          error instanceof WorkTimeoutError || isFailureOf('database', error, 'outcomeUnknown');
        reusable = !lost && !stale && !unsure && connection.idle;
        const replaceable = stale || (lost && !connection.answered);
        if (!replaceable || isNew || this.#cutOff) throw error;
      } finally {
        client.release(!reusable);
      }
    }
  }

  /** Connects; with several servers, to the first suitable one. */
  async connect(): Promise<pg.PoolClient> {
    for (let attempt = 1; ; attempt++) {
      if (this.#cutOff)
        throw new DependencyError('database', 'unavailable', 'The database has been closed.');
      try {
        return await this.#pool.connect();
      } catch (error) {
        this.#host = (this.#host + 1) % this.#hosts.urls.length;
        if (attempt >= this.#hosts.urls.length) throw error;
      }
    }
  }

  /** Waits briefly for work in progress, then closes all connections. */
  async close(underWay: Promise<unknown>): Promise<void> {
    const cutOff = time.limit(CLOSE_MS, () => {
      this.#cutOff = true;
      for (const client of this.#open) streamOf(client).destroy();
    });
    await underWay;
    await this.#pool.end();
    cutOff.end();
  }

  async #setUp(client: pg.ClientBase): Promise<void> {
    try {
      const { pooled, readOnly } = await setUp(client, this.limits);
      if (readOnly && this.#hosts.writable)
        throw new DependencyError('database', 'unavailable', 'This PostgreSQL is a standby.');
      this.#known.set(client, new PostgresConnection(client, pooled, this.limits));
    } catch (error) {
      // The pool waits for an orderly end, which a silent server never confirms.
      streamOf(client).destroy();
      throw error;
    }
  }
}

/** Gives up a connection attempt after so many ms; the limits of `pg` cannot be steered. */
function endLate(client: pg.Client, patience: number): void {
  const limit = time.limit(patience, () =>
    streamOf(client).destroy(new Error('it did not answer in time')),
  );
  client.once('connect', limit.end);
  client.once('end', limit.end);
}

const streamOf = (client: pg.ClientBase) =>
  (
    client as unknown as {
      readonly connection: { readonly stream: { destroy(error?: Error): void } };
    }
  ).connection.stream;

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StoreError } from '../errors.ts';
import type { Store, StoreOptions } from '../store.ts';
import { isRefusal, postgresError, reasonOf } from './errors.ts';
import { PostgresStore } from './store.ts';
import { valueTypes } from './value-types.ts';

/** How long one attempt to connect may take; ms. */
const CONNECT_TIMEOUT = 5_000;

/** How long after a failed attempt to connect the next one is made; ms. */
const RETRY_MS = 1_000;

/** How long an idle connection is kept, with its prepared statements; ms. */
const IDLE_TIMEOUT = 300_000;

/**
 * Opens a pool of connections to PostgreSQL, without migrating the database.
 * @throws {StoreError} `configuration` when the URL, the database or the credentials cannot be right, `unavailable`
 *   when the server is not there.
 */
export async function openPostgres({
  databaseUrl,
  poolSize = 10,
  startTimeout = 10_000,
  onWaiting,
}: StoreOptions & { readonly databaseUrl: string }): Promise<Store> {
  const where = describe(databaseUrl);
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: poolSize,
    types: valueTypes,
    application_name: 'ws01',
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    idleTimeoutMillis: IDLE_TIMEOUT,
    keepAlive: true,
  });
  // A connection may break when no query is there to be told: the pool drops an idle one, a lent one tells its next query.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await assertUsable(await firstConnection(pool, where, startTimeout, onWaiting), where);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return new PostgresStore(pool);
}

/** The URL as an operator may see it: server and database, no credentials. */
function describe(databaseUrl: string): string {
  try {
    const { hostname, port, pathname } = new URL(databaseUrl);
    return `PostgreSQL at ${hostname}:${port || '5432'}${pathname}`;
  } catch {
    throw new StoreError(
      'configuration',
      'DATABASE_URL is not a URL; it should look like postgres://user:password@host:5432/database, special characters percent-encoded.',
    );
  }
}

/** Connects, and waits for a server that is not up yet, but not for one that says no. */
async function firstConnection(
  pool: pg.Pool,
  where: string,
  startTimeout: number,
  onWaiting: StoreOptions['onWaiting'],
): Promise<pg.PoolClient> {
  const deadline = performance.now() + startTimeout;
  for (;;) {
    try {
      return await pool.connect();
    } catch (error) {
      const reason = reasonOf(error);
      if (isRefusal(error)) {
        throw new StoreError('configuration', `${where} refuses: ${reason}; correct DATABASE_URL.`, error);
      }
      if (performance.now() >= deadline) {
        throw new StoreError('unavailable', `${where} cannot be reached: ${reason}.`, error);
      }
      onWaiting?.(`${where} cannot be reached: ${reason}.`);
    }
    await sleep(RETRY_MS);
  }
}

/** Refuses a database that would garble text or lose what was answered. */
async function assertUsable(client: pg.PoolClient, where: string): Promise<void> {
  try {
    const settings = await client.query(
      `select current_setting('server_encoding') as encoding, current_setting('synchronous_commit') as durability`,
    );
    const { encoding, durability } = settings.rows[0];
    if (encoding !== 'UTF8') {
      throw new StoreError('configuration', `${where} is encoded in ${encoding}; create the database in UTF8.`);
    }
    if (durability === 'off') {
      throw new StoreError(
        'configuration',
        `${where} answers before data is on the disk; set synchronous_commit to on for this database.`,
      );
    }
  } catch (error) {
    throw postgresError(error);
  } finally {
    client.release();
  }
}

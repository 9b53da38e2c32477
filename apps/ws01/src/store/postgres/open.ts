import { setTimeout as sleep } from 'node:timers/promises';
import { time } from '@ws01/asmx/time';
import type pg from 'pg';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { Store, StoreOptions } from '../store.ts';
import { Connections } from './connections.ts';
import { isRefusal, postgresError, reasonOf } from './errors.ts';
import { hostsOf } from './hosts.ts';
import { PostgresStore } from './store.ts';

/** Pause after a failed connection attempt; ms. */
const RETRY_MS = 1_000;

/**
 * Opens a pool of connections to PostgreSQL, without a migration.
 * @throws {DependencyError} `misconfigured` when the URL, the database or the credentials are
 *   wrong, `unavailable` when the server cannot be reached.
 */
export async function openPostgres(
  options: StoreOptions & { readonly databaseUrl: string },
): Promise<Store> {
  const { databaseUrl, startTimeout = 10_000, onWaiting } = options;
  const where = describe(databaseUrl);
  const connections = new Connections(options);
  try {
    await assertUsable(await firstConnection(connections, where, startTimeout, onWaiting), where);
  } catch (error) {
    await connections.close(Promise.resolve());
    throw error;
  }
  const { databaseReadUrl } = options;
  const replica =
    databaseReadUrl && new Connections({ ...options, databaseUrl: databaseReadUrl }, 'replica');
  return new PostgresStore(connections, replica || undefined);
}

/** Returns the URL for operators: server and database, no credentials. */
function describe(databaseUrl: string): string {
  try {
    const urls = hostsOf(databaseUrl).urls.map((url) => new URL(url));
    const servers = urls.map(({ hostname, port }) => `${hostname}:${port || '5432'}`);
    return `PostgreSQL at ${servers.join(',')}${urls[0]!.pathname}`;
  } catch {
    throw new DependencyError(
      'database',
      'misconfigured',
      'DATABASE_URL is not a URL; it should look like postgres://user:password@host:5432/database, special characters percent-encoded.',
    );
  }
}

/** Connects; waits for a server that is starting; fails at once if it refuses. */
async function firstConnection(
  connections: Connections,
  where: string,
  startTimeout: number,
  onWaiting: StoreOptions['onWaiting'],
): Promise<pg.PoolClient> {
  const deadline = time.steady() + startTimeout;
  for (;;) {
    try {
      return await connections.connect();
    } catch (error) {
      const reason = reasonOf(error);
      if (isRefusal(error)) {
        throw new DependencyError(
          'database',
          'misconfigured',
          `${where} refuses: ${reason}; correct DATABASE_URL.`,
          {
            cause: error,
          },
        );
      }
      if (time.steady() >= deadline) {
        throw new DependencyError(
          'database',
          'unavailable',
          `${where} cannot be reached: ${reason}; start the server, or correct DATABASE_URL.`,
          {
            cause: error,
          },
        );
      }
      onWaiting?.(`${where} cannot be reached: ${reason}.`);
    }
    await sleep(RETRY_MS);
  }
}

/** Rejects a database that would garble text or lose acknowledged writes. */
async function assertUsable(client: pg.PoolClient, where: string): Promise<void> {
  try {
    const settings = await client.query(
      `select current_setting('server_encoding') as encoding, current_setting('synchronous_commit') as durability`,
    );
    const { encoding, durability } = settings.rows[0];
    if (encoding !== 'UTF8') {
      throw new DependencyError(
        'database',
        'misconfigured',
        `${where} is encoded in ${encoding}; create the database in UTF8.`,
      );
    }
    if (durability === 'off') {
      throw new DependencyError(
        'database',
        'misconfigured',
        `${where} answers before data is on the disk; set synchronous_commit to on for this database.`,
      );
    }
  } catch (error) {
    throw postgresError(error);
  } finally {
    client.release();
  }
}

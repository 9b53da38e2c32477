import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { TABLE_NAMES, TEXT_INDEXES } from '../tables/tables.ts';
import { connectError, postgresError } from './errors.ts';

/** Updates the planner's statistics of the service's tables. The service may be running. */
export function analyzeTables(databaseUrl: string): Promise<void> {
  return onEach(databaseUrl, (table) => `analyze ${table}`);
}

/** Frees the space of deleted rows for reuse. The service may be running. */
export function vacuumTables(databaseUrl: string): Promise<void> {
  return onEach(databaseUrl, (table) => `vacuum (analyze) ${table}`);
}

/** The advisory lock for building indexes. */
const LOCK = 0x57_53_30_32;
const PAUSE_MS = 1_000;

/**
 * Builds the indexes that an upgrade asks for, beside writers, one process at a time. What was
 * interrupted is begun again. Takes minutes where a table has many millions of rows.
 */
export function buildIndexes(databaseUrl: string): Promise<void> {
  return withClient(databaseUrl, 'ws01 upgrade', async (client) => {
    const found = async () =>
      (await client.query<{ name: string; sql: string }>('select name, sql from absent_indexes'))
        .rows;
    // Who waited for the lock in the server would be waited for by the build.
    const isOurs = async () =>
      (await client.query('select pg_try_advisory_lock($1) as ours', [LOCK])).rows[0].ours;
    while ((await found()).length > 0 && !(await isOurs())) await pause(PAUSE_MS);
    for (const { name, sql } of await found()) {
      await client.query(`drop index concurrently if exists ${client.escapeIdentifier(name)}`);
      await client.query(sql.replace(/^create index/, 'create index concurrently'));
      await client.query('delete from absent_indexes where name = $1', [name]);
    }
  });
}

function onEach(databaseUrl: string, statement: (table: string) => string): Promise<void> {
  return withClient(databaseUrl, 'ws01 db', async (client) => {
    for (const table of [...TABLE_NAMES, ...TEXT_INDEXES]) await client.query(statement(table));
  });
}

async function withClient(
  databaseUrl: string,
  application_name: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name });
  client.on('error', () => {});
  await client.connect().catch((error) => {
    throw connectError(error);
  });
  try {
    await work(client);
  } catch (error) {
    throw postgresError(error);
  } finally {
    await client.end();
  }
}

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

async function onEach(databaseUrl: string, statement: (table: string) => string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'ws01 db' });
  client.on('error', () => {});
  await client.connect().catch((error) => {
    throw connectError(error);
  });
  try {
    for (const table of [...TABLE_NAMES, ...TEXT_INDEXES]) await client.query(statement(table));
  } catch (error) {
    throw postgresError(error);
  } finally {
    await client.end();
  }
}

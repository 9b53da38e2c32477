import type { TestContext } from 'node:test';
import pg from 'pg';

/** A connection of an operator to PostgreSQL, besides those of the service, until the end of the test. */
export async function operatorOf(t: TestContext, connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  // The database is dropped under it.
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return client;
}

/** Runs statements in one go, on a connection of their own. */
export async function runOnce(connectionString: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statements).finally(() => client.end());
}

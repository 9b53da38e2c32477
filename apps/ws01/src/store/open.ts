import { StoreError } from './errors.ts';
import { migrate } from './migrate.ts';
import type { Store, StoreOptions } from './store.ts';

/**
 * Opens the database, and brings its schema up to date.
 * @throws {StoreError} `configuration`, `unavailable` or `busy` when it cannot be opened, `schema` when it was written
 *   by newer code.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const store = await openEngine(options);
  try {
    await migrate(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Only the engine that is used is loaded, with its driver. */
async function openEngine(options: StoreOptions): Promise<Store> {
  const { databaseUrl } = options;
  if (databaseUrl === undefined || databaseUrl === '') {
    const { openSqlite } = await import('./sqlite/open.ts');
    return openSqlite(options);
  }
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) {
    const { openPostgres } = await import('./postgres/open.ts');
    return openPostgres({ ...options, databaseUrl });
  }
  throw new StoreError(
    'configuration',
    'DATABASE_URL must begin with postgres:// or postgresql://; leave it out for the embedded SQLite database.',
  );
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../config/config.ts';
import { openStore } from '../../store/open.ts';
import { SQLITE_FILE } from '../../store/sqlite/file.ts';
import type { Store, StoreOptions } from '../../store/store.ts';
import { remark } from './output.ts';

/** How long a command waits for a PostgreSQL server that is starting; ms. */
const START_TIMEOUT_MS = 3_000;

/** Statement timeout of bulk commands, for which no caller is waiting; ms. */
const BULK_TIMEOUT_MS = 600_000;

/** Opens the database for reading: one connection, no wait for a server, and the schema must have this version. */
export function openForReading({ databaseUrl, dataDir }: Config): Promise<Store> {
  const reading = { guest: true, readsOnly: true, schema: 'require' } as const;
  return openStore({ databaseUrl, dataDir, poolSize: 1, startTimeout: 0, ...reading });
}

/**
 * Opens the configured database, the same as the service's, runs a command's work and closes it. Never changes the
 * schema; only `serve` and `migrate` do.
 * @param options `mayCreate`: creates a missing SQLite database, for imports; the others as for the store.
 * @throws {ConfigError} when a setting is invalid.
 * @throws {DependencyError} when the database cannot be opened, does not exist, or has the schema of another version.
 */
export async function withStore<T>(
  work: (store: Store, config: Config) => Promise<T>,
  {
    mayCreate = false,
    bulk = false,
    onMissing,
    readsOnly = false,
  }: Pick<StoreOptions, 'bulk' | 'onMissing' | 'readsOnly'> & { mayCreate?: boolean } = {},
): Promise<T> {
  const config = loadConfig();
  const { databaseUrl, dataDir } = config;
  const creates = mayCreate && databaseUrl === undefined && !existsSync(join(dataDir, SQLITE_FILE));
  const store = await openStore({
    databaseUrl,
    dataDir,
    poolSize: 2,
    startTimeout: START_TIMEOUT_MS,
    onWaiting: (reason) => remark(`${reason} Trying again.`),
    guest: true,
    schema: creates ? 'migrate' : 'require',
    bulk,
    onMissing,
    readsOnly,
    ...(bulk ? { statementTimeout: BULK_TIMEOUT_MS } : {}),
  });
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}

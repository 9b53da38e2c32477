import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../config/config.ts';
import { openStore } from '../../store/open.ts';
import { SQLITE_FILE } from '../../store/sqlite/file.ts';
import type { Store, StoreOptions } from '../../store/store.ts';
import { remark } from './output.ts';

/** How long a command waits for a PostgreSQL server that is coming up; ms. */
const START_TIMEOUT_MS = 3_000;

/** How long a statement of a command that brings in a lot may take: it has nobody who waits for an answer; ms. */
const BULK_TIMEOUT_MS = 600_000;

/** Opens the database for a look: one connection, no waiting for a server, and the schema must be this version's. */
export function openForLook({ databaseUrl, databaseFlavour: flavour, dataDir }: Config): Promise<Store> {
  return openStore({ databaseUrl, flavour, dataDir, poolSize: 1, startTimeout: 0, guest: true, schema: 'require' });
}

/**
 * Runs a command's work on the database that the settings name, the one the service uses, and closes it afterwards. The
 * schema is never changed: that is for `serve` and `migrate`.
 * @param options `mayCreate`: makes the embedded database where there is none, for commands that bring data;
 *   `bulk` and `onMissing` as for the store.
 * @throws {ConfigError} when a setting cannot be used.
 * @throws {DependencyError} when the database cannot be opened, is not there, or has the schema of another version.
 */
export async function withStore<T>(
  work: (store: Store, config: Config) => Promise<T>,
  {
    mayCreate = false,
    bulk = false,
    onMissing,
  }: Pick<StoreOptions, 'bulk' | 'onMissing'> & { mayCreate?: boolean } = {},
): Promise<T> {
  const config = loadConfig();
  const { databaseUrl, databaseFlavour: flavour, dataDir } = config;
  const creates = mayCreate && databaseUrl === undefined && !existsSync(join(dataDir, SQLITE_FILE));
  const store = await openStore({
    databaseUrl,
    flavour,
    dataDir,
    poolSize: 2,
    startTimeout: START_TIMEOUT_MS,
    onWaiting: (reason) => remark(`${reason} Trying again.`),
    guest: true,
    schema: creates ? 'migrate' : 'require',
    bulk,
    onMissing,
    ...(bulk ? { statementTimeout: BULK_TIMEOUT_MS } : {}),
  });
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}

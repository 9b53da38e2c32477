import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OWNER_FILE } from '../../adapters/files/disk.ts';
import { type Config, ConfigError, loadConfig } from '../../config/config.ts';
import { redactUrl } from '../../config/shown.ts';
import { openStore } from '../../store/open.ts';
import { SQLITE_FILE } from '../../store/sqlite/file.ts';
import type { Store, StoreOptions } from '../../store/store.ts';
import { remark } from './output.ts';

/** How long a command waits for a PostgreSQL server that is starting; ms. */
const START_TIMEOUT_MS = 3_000;

/** Statement timeout of bulk commands, for which no caller is waiting; ms. */
const BULK_TIMEOUT_MS = 600_000;

/**
 * Opens the database for reading: one connection, no wait for a server, and the schema must have
 * this version.
 */
export function openForReading({ databaseUrl, dataDir }: Config): Promise<Store> {
  const reading = { guest: true, readsOnly: true, schema: 'require' } as const;
  return openStore({ databaseUrl, dataDir, poolSize: 1, startTimeout: 0, ...reading });
}

/**
 * Opens the configured database, the same as the service's, runs a command's work and closes it.
 * Never changes the schema; only `serve` and `migrate` do.
 * @param options `mayCreate`: creates a missing SQLite database, for imports; the others as for the
 *   store.
 * @throws {ConfigError} when a setting is invalid, or when a new database would stand beside the
 *   service's.
 * @throws {DependencyError} when the database cannot be opened, does not exist, or has the schema
 *   of another version.
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
  if (creates) assertNoOther(config);
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
    const result = await work(store, config);
    // An import that lacks the service's settings writes to another database, which nobody would
    // notice.
    if (mayCreate)
      remark(`${creates ? 'Into a new database' : 'Into the database'}: ${databaseShown(config)}`);
    return result;
  } finally {
    await store.close();
  }
}

/** The database that a command speaks to, without credentials. */
function databaseShown({ databaseUrl, dataDir }: Config): string {
  return databaseUrl === undefined ? resolve(dataDir, SQLITE_FILE) : redactUrl(databaseUrl);
}

/**
 * Refuses to make a database where the image files of another one are, such as one on PostgreSQL,
 * whose URL the command was not given.
 * @throws {ConfigError}
 */
function assertNoOther({ dataDir, files }: Config): void {
  if (files.kind !== 'disk' || !existsSync(join(files.folder, OWNER_FILE))) return;
  throw new ConfigError(
    `${resolve(files.folder)} has the image files of another database, and there is no ${resolve(dataDir, SQLITE_FILE)}; ` +
      'set DATABASE_URL or DATA_DIR as the service has them (ws01 --env-file …), or take a DATA_DIR of its own.',
  );
}

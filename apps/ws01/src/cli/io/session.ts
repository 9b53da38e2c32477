import { type Config, loadConfig } from '../../config/config.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';

/**
 * Runs a command's work on the database that the settings name, the one the service uses, and closes it afterwards.
 * @throws {ConfigError} when a setting cannot be used.
 * @throws {StoreError} when the database cannot be opened.
 */
export async function withStore<T>(work: (store: Store, config: Config) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const { databaseUrl, dataDir } = config;
  const store = await openStore({ databaseUrl, dataDir, poolSize: 2, startTimeout: 1_000, guest: true });
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}

import type { Kysely } from 'kysely';
import { type Config, shownSettings } from '../../config/config.ts';
import { LiveSettings } from '../../config/live.ts';
import { storedSettings } from '../../domain/settings/settings.ts';
import type { Tables } from '../../store/tables/tables.ts';
import { openForReading } from './session.ts';

/** The settings with what was changed while the service ran, as they are in its database. */
export async function changedConfig(config: Config, db: Kysely<Tables>): Promise<Config> {
  const live = new LiveSettings(config, shownSettings(config));
  live.take(await storedSettings(db));
  return live.config;
}

/** The same; those of the environment alone where the database cannot be read. */
export async function configAsChanged(config: Config): Promise<Config> {
  const store = await openForReading(config).catch(() => undefined);
  if (store === undefined) return config;
  try {
    return await store.read((db) => changedConfig(config, db));
  } finally {
    await store.close();
  }
}

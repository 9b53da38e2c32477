import { DependencyError } from '../failure/dependency-error.ts';
import { type LostCommits, noteLoss } from './lost-commits.ts';
import { migrate, requireSchema } from './migrate.ts';
import type { Store, StoreOptions } from './store.ts';

/**
 * Opens the database and migrates it; with `schema: 'require'`, rejects any other schema instead.
 * @throws {DependencyError} `misconfigured`, `unavailable` or `busy` when it cannot be opened or,
 *   with `require`, does not exist; `incompatible` when newer code wrote it or, with `require`,
 *   older code.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  let loss: LostCommits | undefined;
  const onMissing = (commits: number, mark: number) => {
    loss = { commits, mark };
    options.onMissing?.(commits, mark);
  };
  const store = await openUnchanged({ ...options, onMissing });
  try {
    await (options.schema === 'require' ? requireSchema(store) : bringUpToDate(store, options));
    if (loss !== undefined && options.readsOnly !== true) await noteLoss(store, loss, Date.now());
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Opens the database without a migration. Loads only the driver of its engine.
 * @throws {DependencyError} `misconfigured`, `unavailable` or `busy` when it cannot be opened.
 */
export async function openUnchanged(options: StoreOptions): Promise<Store> {
  const { databaseUrl } = options;
  if (databaseUrl === undefined || databaseUrl === '') {
    const { openSqlite } = await import('./sqlite/open.ts');
    return openSqlite(options);
  }
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) {
    const { openPostgres } = await import('./postgres/open.ts');
    return openPostgres({ ...options, databaseUrl });
  }
  throw new DependencyError(
    'database',
    'misconfigured',
    'DATABASE_URL must begin with postgres:// or postgresql://; leave it out for the embedded SQLite database.',
  );
}

/** Applies what the schema lacks, and on PostgreSQL builds its indexes. */
export async function bringUpToDate(
  store: Store,
  { databaseUrl }: Pick<StoreOptions, 'databaseUrl'>,
): Promise<void> {
  await migrate(store);
  if (store.engine !== 'postgres' || databaseUrl === undefined) return;
  const absent = await store.read((db) =>
    db.selectFrom('absent_indexes').select('name').limit(1).execute(),
  );
  if (absent.length > 0) await (await import('./postgres/upkeep.ts')).buildIndexes(databaseUrl);
}

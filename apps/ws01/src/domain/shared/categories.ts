import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { CategoriesTable, Instant, Tables } from '../../store/tables/tables.ts';
import { ExistingKeys } from './existing-keys.ts';

/** Creates a category at its first use (semantics 2); does nothing if it exists, or for none. */
export async function ensureCategoryExists(
  tx: Kysely<Tables>,
  key: string | null,
  at: Instant,
): Promise<void> {
  if (key === null || standing.has(tx, key)) return;
  insertCategory.send(tx, { key, created_at: at });
  standing.learn(tx, key);
}

const standing = new ExistingKeys();

const insertCategory = prepare((db, row: CategoriesTable) =>
  db
    .insertInto('categories')
    .values({ key: row.key, created_at: row.created_at })
    .onConflict((conflict) => conflict.column('key').doNothing()),
);

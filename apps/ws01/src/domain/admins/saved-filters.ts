import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';

/** What an admin looks for again and again in a list of the console. */
export interface SavedFilter {
  /** Of at most {@link NAME_CHARS} characters; one of each name for an admin and a list. */
  readonly name: string;
  /** The query of the list's address. */
  readonly query: string;
}

/** A list of one admin's. */
export interface ListOfAdmin {
  readonly adminId: string;
  /** Such as `articles`. */
  readonly kind: string;
}

const NAME_CHARS = 60;
const QUERY_CHARS = 2_000;

/** How many an admin may have of a list. */
const MOST = 20;

/** Returns the saved filters of a list, by name. */
export function savedFilters(
  store: Store,
  { adminId, kind }: ListOfAdmin,
): Promise<readonly SavedFilter[]> {
  return store.read((db) =>
    db
      .selectFrom('saved_filters')
      .select(['name', 'query'])
      .where('admin_id', '=', adminId)
      .where('kind', '=', kind)
      .orderBy('name')
      .execute(),
  );
}

/**
 * Saves a filter; it replaces the one with the same name.
 * @throws {Ws01Error} `InvalidParameter` for a name or query that is empty or too long, and when
 *   there are too many.
 */
export async function saveFilter(
  store: Store,
  { adminId, kind }: ListOfAdmin,
  { name, query }: SavedFilter,
  now: Instant,
): Promise<void> {
  check('name', name, NAME_CHARS);
  check('query', query, QUERY_CHARS);
  await store.write(async (tx) => {
    const others = await tx
      .selectFrom('saved_filters')
      .select('name')
      .where('admin_id', '=', adminId)
      .where('kind', '=', kind)
      .where('name', '!=', name)
      .execute();
    if (others.length >= MOST) {
      const message = say`You have ${{ most: MOST }} saved filters of this list; remove one first.`;
      throw new Ws01Error('InvalidParameter', message, { parameter: 'name' });
    }
    await tx
      .insertInto('saved_filters')
      .values({ admin_id: adminId, kind, name, query, created_at: now })
      .onConflict((conflict) =>
        conflict.columns(['admin_id', 'kind', 'name']).doUpdateSet({ query, created_at: now }),
      )
      .execute();
  });
}

/** Removes a saved filter, if it is there. */
export async function removeFilter(
  store: Store,
  { adminId, kind }: ListOfAdmin,
  name: string,
): Promise<void> {
  await store.write((tx) =>
    tx
      .deleteFrom('saved_filters')
      .where('admin_id', '=', adminId)
      .where('kind', '=', kind)
      .where('name', '=', name)
      .execute(),
  );
}

function check(field: string, text: string, most: number): void {
  if (text === '')
    throw new Ws01Error('InvalidParameter', say`${{ field }} is required.`, { parameter: field });
  if ([...text].length <= most) return;
  const message = say`${{ field }} must have at most ${{ most }} characters.`;
  throw new Ws01Error('InvalidParameter', message, { parameter: field });
}

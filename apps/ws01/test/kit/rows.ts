import type { Selectable } from 'kysely';
import type { Store } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables/tables.ts';

/** All rows of a table, sorted by a column. */
export async function rowsOf<Table extends keyof Tables>(
  store: Store,
  table: Table,
  column: keyof Tables[Table] & string,
): Promise<Selectable<Tables[Table]>[]> {
  const rows = await store.read((db) =>
    db
      .selectFrom(table as 'users')
      .selectAll()
      .orderBy(column as 'id')
      .execute(),
  );
  return rows as unknown as Selectable<Tables[Table]>[];
}

/** All text messages with their states, newest first. */
export function textMessages(store: Store) {
  return store.read((db) =>
    db
      .selectFrom('sms')
      .innerJoin('outbox', 'outbox.id', 'sms.id')
      .selectAll('sms')
      .select(['outbox.state', 'outbox.attempts', 'outbox.finished_at', 'outbox.last_reply'])
      .orderBy('sms.id', 'desc')
      .execute(),
  );
}

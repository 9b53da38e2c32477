import type { Kysely } from 'kysely';
import type { Person } from '../../records/persons.ts';
import type { Store } from '../../store/store.ts';
import type { Tables } from '../../store/tables/tables.ts';

/** Finds the identifiers of a person by their user id. */
export function findPerson(store: Store, id: string): Promise<Person> {
  return store.scan(async (db) => ({
    id,
    emails: distinct([
      ...(await db.selectFrom('users').select('email as value').where('id', '=', id).execute()),
      ...(await db
        .selectFrom('links')
        .select('user_email as value')
        .where('user_id', '=', id)
        .distinct()
        .execute()),
    ]).map((email) => email.toLowerCase()),
    phones: distinct([
      ...(await db
        .selectFrom('users')
        .select('cell_phone as value')
        .where('id', '=', id)
        .execute()),
      ...(await phonesIn(db, 'phone_verifications', id)),
      ...(await phonesIn(db, 'phone_codes', id)),
      ...(await phonesIn(db, 'used_codes', id)),
      ...(await phonesIn(db, 'sms', id)),
    ]),
    networks: distinct(
      await db
        .selectFrom('postings')
        .select('network as value')
        .where('user_id', '=', id)
        .distinct()
        .execute(),
    ),
  }));
}

function phonesIn(
  db: Kysely<Tables>,
  table: 'phone_verifications' | 'phone_codes' | 'used_codes' | 'sms',
  id: string,
): Promise<{ value: string | null }[]> {
  return db
    .selectFrom(table)
    .select('phone as value')
    .where('user_id', '=', id)
    .distinct()
    .execute();
}

function distinct(rows: readonly { readonly value: string | null }[]): string[] {
  return [
    ...new Set(rows.map(({ value }) => value).filter((value) => value !== null && value !== '')),
  ] as string[];
}

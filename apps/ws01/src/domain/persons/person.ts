import { sql } from 'kysely';
import type { Person } from '../../records/persons.ts';
import type { Store } from '../../store/store.ts';

/** Columns with identifiers, each with the column of the user. */
const EMAILS = [
  ['users', 'email', 'id'],
  ['links', 'user_email', 'user_id'],
] as const;
const PHONES = [
  ['users', 'cell_phone', 'id'],
  ...(['phone_verifications', 'phone_codes', 'used_codes', 'sms'] as const).map(
    (table) => [table, 'phone', 'user_id'] as const,
  ),
] as const;
const NETWORKS = [['postings', 'network', 'user_id']] as const;

/**
 * Finds the identifiers of a person by their user id.
 * @param most of each table so many rows are read at most; absent: all.
 */
export function findPerson(store: Store, id: string, most?: number): Promise<Person> {
  return store.scan(async (db) => {
    const valuesIn = async (columns: readonly (readonly [string, string, string])[]) => {
      const found = new Set<string>();
      for (const [table, column, user] of columns) {
        const few = sql`select ${sql.ref(column)} as value from ${sql.table(table)}
          where ${sql.ref(user)} = ${id} ${most === undefined ? sql`` : sql`limit ${most}`}`;
        const { rows } = await sql<{ value: string | null }>`
          select distinct value from (${few}) as few`.execute(db);
        for (const { value } of rows) if (value !== null && value !== '') found.add(value);
      }
      return [...found];
    };
    const emails = (await valuesIn(EMAILS)).map((email) => email.toLowerCase());
    return { id, emails, phones: await valuesIn(PHONES), networks: await valuesIn(NETWORKS) };
  });
}

import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import type { Tables } from './tables/tables.ts';

/**
 * A condition: a text stands anywhere in a column, character by character. `like` would find the same, but takes the
 * length of one text times that of the other where much of the one looks like the other; these compare by the word of
 * the machine, or skip. All the same it belongs in a scan: users write both texts.
 */
export function contains(db: Kysely<Tables>, column: string, text: string): RawBuilder<boolean> {
  return isPostgres(db)
    ? sql<boolean>`strpos(${sql.ref(column)}, ${text}) > 0`
    : sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`;
}

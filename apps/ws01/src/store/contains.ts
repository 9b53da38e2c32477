import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import type { Tables } from './tables/tables.ts';

/**
 * A condition: a column contains a text. `like` gives the same result, but takes quadratic time for
 * similar texts. Use it in a scan anyway, because users write both texts.
 */
export function contains(db: Kysely<Tables>, column: string, text: string): RawBuilder<boolean> {
  return isPostgres(db)
    ? sql<boolean>`strpos(${sql.ref(column)}, ${text}) > 0`
    : sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`;
}

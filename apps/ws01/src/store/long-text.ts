import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import type { Tables } from './tables/tables.ts';

/**
 * A text as a query returns it that selects it by {@link longText}; {@link textOf} makes a string
 * of it.
 */
export type LongText = string | Uint8Array;

/** From this length a text is read as bytes. */
const LONG_BYTES = 500;

/**
 * A column of texts that may be long, for lists. node:sqlite leaves UTF-8 that is not ASCII to V8,
 * which takes 3 ns a byte. A `TextDecoder` takes a tenth, but an array of bytes costs 0.4 µs, so
 * short texts are read as they are.
 */
export function longText(db: Kysely<Tables>, column: string): RawBuilder<LongText> {
  const text = sql.ref<string>(column);
  if (isPostgres(db)) return sql`${text}`;
  return sql`case when octet_length(${text}) < ${sql.lit(LONG_BYTES)} then ${text} else cast(${text} as blob) end`;
}

const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function textOf(text: LongText): string {
  return typeof text === 'string' ? text : UTF_8.decode(text);
}

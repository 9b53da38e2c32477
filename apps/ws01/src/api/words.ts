import { sql } from 'kysely';
import type { Condition } from '../records/list.ts';

/**
 * A condition that every word of a search occurs in one of the columns; ASCII letters match in either case. Its cost is
 * each byte of a row beside each letter that is looked for.
 */
export function wordsIn(columns: readonly string[], query: string): Condition {
  const folded = query.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const words = [...new Set(folded.split(/\s+/))].filter((word) => word !== '');
  if (words.length === 0) return { sql: sql<boolean>`true`, indexed: false };
  // The blank keeps words from matching across two columns.
  const all = sql.raw(
    `lower(${columns.map((column) => `coalesce(${column}, '')`).join(` || ' ' || `)})`,
  );
  const bytes = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
  return {
    sql: sql<boolean>`(${sql.join(
      words.map(
        (word) =>
          sql<boolean>`${all} like ${`%${word.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`,
      ),
      sql` and `,
    )})`,
    indexed: false,
    cost: sql<number>`${sql.raw(`(${bytes} + 1) * ${words.join('').length}`)}`,
  };
}

import { type RawBuilder, sql } from 'kysely';

/** A condition that every word of a search occurs in one of the columns; ASCII letters match in either case. */
export function wordsIn(columns: readonly string[], query: string): RawBuilder<boolean> {
  const folded = query.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const words = [...new Set(folded.split(/\s+/))].filter((word) => word !== '');
  if (words.length === 0) return sql<boolean>`true`;
  // The blank keeps words from matching across two columns.
  const all = sql.raw(
    `lower(${columns.map((column) => `coalesce(${column}, '')`).join(` || ' ' || `)})`,
  );
  return sql<boolean>`(${sql.join(
    words.map(
      (word) => sql<boolean>`${all} like ${`%${word.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`,
    ),
    sql` and `,
  )})`;
}

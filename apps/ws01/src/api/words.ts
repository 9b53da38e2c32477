import { sql } from 'kysely';
import { foldText, searchWords } from '../domain/values/search-text.ts';
import type { Condition } from '../records/list.ts';

/** What folding costs beside comparing: so many comparisons a byte. */
const FOLDING_COST = 64;

/**
 * A condition that every word of a search occurs in one of the columns, folded as in the searches of the operations
 * (semantics 5.9). No database folds so; the texts of a step are read and folded here.
 */
export function wordsIn(columns: readonly string[], query: string): Condition {
  const words = searchWords(query);
  if (words.length === 0) return { sql: sql<boolean>`true`, indexed: false };
  const bytes = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
  const letters = words.join('').length + FOLDING_COST;
  return {
    sql: sql<boolean>`true`,
    indexed: false,
    told: {
      // The blank keeps words from matching across two columns.
      text: columns.map((column) => `coalesce(${column}, '')`).join(` || ' ' || `),
      by: (text) => {
        const folded = foldText(text);
        return words.every((word) => folded.includes(word));
      },
    },
    cost: sql<number>`${sql.raw(`(${bytes} + 1) * ${letters}`)}`,
  };
}

import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Tables } from '../../store/tables/tables.ts';
import { foldText } from '../values/search-text.ts';

/** Rows of one read, and changed rows of one write, after which others have their turn. */
const READ_ROWS = 200;
const WRITTEN_ROWS = 20;

interface Refolding<Row> {
  /** Reads rows in the order of their keys. @param after the last one read before. */
  readonly page: (db: Kysely<Tables>, after: Row | undefined, limit: number) => Promise<Row[]>;
  /** Gives a row its text, unless it has been changed meanwhile. */
  readonly write: (tx: Kysely<Tables>, row: Row, text: string) => Promise<void>;
}

/** Folds again what rows have folded by earlier rules, in small writes. */
export async function refold<Row extends { readonly search_text: string }>(
  store: Store,
  { page, write }: Refolding<Row>,
): Promise<void> {
  let last: Row | undefined;
  for (;;) {
    const rows = await store.scan((db) => page(db, last, READ_ROWS));
    if (rows.length === 0) return;
    last = rows.at(-1);
    const old = rows.filter(({ search_text }) => foldText(search_text) !== search_text);
    for (let at = 0; at < old.length; at += WRITTEN_ROWS) {
      const batch = old.slice(at, at + WRITTEN_ROWS);
      await store.write(async (tx) => {
        for (const row of batch) await write(tx, row, foldText(row.search_text));
      });
    }
  }
}

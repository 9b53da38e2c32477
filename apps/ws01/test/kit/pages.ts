import assert from 'node:assert/strict';
import type { Store } from '../../src/store/store.ts';
import { askAsOwner } from './api.ts';

/** A page of a list of the HTTP API. */
export interface Page {
  readonly items: readonly { readonly guid: string; readonly id: string }[];
  readonly next: string | null;
  readonly total?: number | null;
  readonly atLeast?: number;
}

/** Keys of all pages of a list that an owner gets. @param count what a total that is told must be. */
export async function keysOfPages(
  store: Store,
  list: 'articles' | 'mails' | 'users',
  query: string,
  count?: number,
  onPage?: (page: Page) => void,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const path = `/${list}?${query}${next && `&cursor=${next}`}`;
    const page: Page = await askAsOwner(store, path);
    onPage?.(page);
    keys.push(...page.items.map(({ guid, id }) => guid ?? id));
    if (page.total != null) assert.equal(page.total, count, query);
    next = page.next;
  }
  return keys;
}

import type { PageRequest } from '../values/paging.ts';

/** One page of a list, as the domain found it. */
interface Listing<Item> {
  readonly items: readonly Item[];
  readonly page: PageRequest;
  /** How many the whole list has. */
  readonly total: number;
  /** Sentences about what was not understood and what was done instead. */
  readonly warnings: readonly string[];
}

/**
 * The JSON text of operations 6 and 9 (semantics 5.6): the items, the page index and the totals.
 */
export function listingJson<Item>({ items, page, total, warnings }: Listing<Item>): string {
  return JSON.stringify({
    items,
    pageIndex: page.index,
    pageSize: page.size,
    total,
    totalPages: Math.ceil(total / page.size),
    warnings,
  });
}

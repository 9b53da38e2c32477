import type { Item } from '../api/kind.ts';
import type { ApiClient, ItemPage } from './api-client.ts';

/** Items of a page of the console. */
const PAGE_ITEMS = 50;

/** No further part of a list is asked for after this time; a part takes the API some 50 ms. */
const LOOKING_MS = 1_500;

/** A page of a list. */
export interface LookedThrough extends ItemPage {
  /** Whether there is more to look through, and the page is not full: what is looked for may still come. */
  readonly isPart: boolean;
}

/**
 * Reads a page of a list. A page of the API ends where it has looked through as much as it may, often with few items or
 * none: it goes on from there until the page is full, the list ends, or a time is over.
 */
export async function readOn(
  api: ApiClient,
  path: string,
  query: URLSearchParams,
  most = PAGE_ITEMS,
): Promise<LookedThrough> {
  const end = performance.now() + LOOKING_MS;
  const items: Item[] = [];
  const asked = new URLSearchParams(query);
  let total: number | null | undefined;
  for (;;) {
    asked.set('limit', String(most - items.length));
    const page = await api.get<ItemPage>(`${path}?${asked}`);
    items.push(...page.items);
    total ??= page.total;
    const isFull = items.length >= most;
    if (isFull || page.next === null || performance.now() > end) {
      return {
        items,
        next: page.next,
        isPart: !isFull && page.next !== null,
        ...(total == null ? {} : { total }),
      };
    }
    asked.set('cursor', page.next);
    asked.delete('total');
  }
}

import type { ApiClient, ItemPage } from './api-client.ts';

/** Items of a page of the console. */
const PAGE_ITEMS = 50;

/** A page of a list. */
export interface LookedThrough extends ItemPage {
  /** Whether there is more to look through, and the page is not full: what is looked for may still come. */
  readonly isPart: boolean;
}

/**
 * Reads a page of a list, as much of it as one request to the API looks through: often few items, or none, and there is
 * more to look through.
 * @param before what of the page was read: it goes on from there.
 */
export async function readOn(
  api: ApiClient,
  path: string,
  query: URLSearchParams,
  most = PAGE_ITEMS,
  before?: LookedThrough,
): Promise<LookedThrough> {
  const there = before?.items ?? [];
  const asked = new URLSearchParams(query);
  asked.set('limit', String(most - there.length));
  if (before?.next) asked.set('cursor', before.next);
  const page = await api.get<ItemPage>(`${path}?${asked}`);
  const items = [...there, ...page.items];
  return { ...page, items, isPart: items.length < most && page.next !== null };
}

/** A page of a list that is watched. */
interface WatchedPage {
  /** Reads it again; of a page that is a part, as much more as one request may look through. */
  readonly look: () => Promise<unknown>;
  /** The page as it was looked at, if it was a part at first. */
  readonly grown: () => LookedThrough | undefined;
}

/** What a look reads of a page, by which another one tells whether there is news. */
export const seenOf = ({ items, next, isPart }: LookedThrough): unknown =>
  isPart ? [items, next] : items;

/** Watches a page: one that is a part grows until it is full or the list has ended. */
export function watchPage(read: (before?: LookedThrough) => Promise<LookedThrough>): WatchedPage {
  let page: LookedThrough | undefined;
  let grows = false;
  return {
    async look() {
      if (!grows) page = await read();
      else if (page!.isPart) page = await read(page);
      grows ||= page!.isPart;
      return seenOf(page!);
    },
    grown: () => (grows ? page : undefined),
  };
}

import type { Item } from '../api/kind.ts';
import type { ApiClient } from './api-client.ts';
import type { Kind, KindsByName } from './catalog.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { readOn } from './read-on.ts';

/** What waits for a moderator, in the order in which it is looked at: the oldest of each first. */
const QUEUES: readonly { readonly kind: string; readonly query: string }[] = [
  { kind: 'articles', query: 'state=waiting&sort=created' },
  { kind: 'articles', query: 'state=held&sort=created' },
  { kind: 'adverts', query: 'state=held&sort=created' },
  { kind: 'reviews', query: 'state=held&sort=created' },
];

const OPEN_REPORTS = 'state=open&sort=created';

/** So many of each queue are counted and looked at; more come when these are done. */
const QUEUED = 100;

export interface Waiting {
  readonly kind: Kind;
  readonly item: Item;
  /** What a reader reported of it; absent: it waits for another reason. */
  readonly report?: Item;
}

export interface Queue {
  readonly waiting: readonly Waiting[];
  /** Whether more waits than is counted. */
  readonly isMore: boolean;
}

/** The record that a desk shows, and how many were skipped before it. */
export interface OnDesk {
  readonly kind: string;
  readonly key: string;
  readonly skip: number;
}

/** Reads a record that waits; `undefined` for one that was reported and is gone, or was taken down since. */
export async function seenOf(api: ApiClient, { kind, item, report }: Waiting) {
  const path = `/${kind.name}/${segmentOf(String(item[kind.key]))}`;
  if (report === undefined) return { kind, item: await api.get(path) };
  const seen = await orUndefined(api.get(path));
  return seen === undefined || seen.removedAt || seen.deletedAt
    ? undefined
    : { kind, item: seen, report };
}

export async function queueOf(api: ApiClient, kindsByName: KindsByName): Promise<Queue> {
  const pages = await Promise.all(
    QUEUES.map(async ({ kind, query }) => ({
      kind: kindsByName.get(kind)!,
      page: await readOn(api, `/${kind}`, new URLSearchParams(query), QUEUED),
    })),
  );
  const waiting: Waiting[] = pages.flatMap(({ kind, page }) =>
    page.items.map((item) => ({ kind, item })),
  );
  // What is held and was taken down waits for nothing.
  const isOpen = ({ item }: Waiting) => item.removedAt === null;
  const reports = await readOn(api, '/reports', new URLSearchParams(OPEN_REPORTS), QUEUED);
  return {
    waiting: [...reportedOf(reports.items, kindsByName), ...waiting.filter(isOpen)],
    isMore: [...pages.map(({ page }) => page), reports].some(({ next }) => next !== null),
  };
}

/** What readers reported, each record once, the oldest report first. */
function reportedOf(reports: readonly Item[], kindsByName: KindsByName): readonly Waiting[] {
  const records = new Map<string, Waiting>();
  for (const report of reports) {
    const kind = kindsByName.get(`${report.targetKind}s`)!;
    const name = `${report.targetKind} ${report.targetKey}`;
    if (!records.has(name))
      records.set(name, { kind, item: { [kind.key]: report.targetKey }, report });
  }
  return [...records.values()];
}

/** Where a record is among what waits; -1 for one that does not. */
export const placeIn = ({ waiting, isMore }: Queue, { kind, key }: OnDesk) => ({
  at: waiting.findIndex((one) => one.kind.name === kind && one.item[one.kind.key] === key),
  count: waiting.length,
  isMore,
});

import type { Item } from '../api/kind.ts';
import type { ApiClient } from './api-client.ts';
import type { Kind, KindsByName } from './catalog.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { readOn } from './read-on.ts';

/**
 * What waits for a moderator, in the order in which it is looked at: the oldest of each first. The
 * filter of the list of the same finds as many.
 */
const QUEUES = {
  reports: { kind: 'reports', query: 'state=open' },
  articles: { kind: 'articles', query: 'state=waiting' },
  'held-articles': { kind: 'articles', query: 'state=held' },
  'held-adverts': { kind: 'adverts', query: 'state=held' },
  'held-reviews': { kind: 'reviews', query: 'state=held' },
} as const;

/** One of the queues of the desk, as the address calls it. */
export type QueueName = keyof typeof QUEUES;

/** Returns the queue that an address asks for; `undefined` for all of them. */
export const queueCalled = (name: string | undefined): QueueName | undefined =>
  name !== undefined && Object.hasOwn(QUEUES, name) ? (name as QueueName) : undefined;

/** Returns the queue with what the filter of a list finds; `undefined` where nobody decides about it. */
export const queueWith = (kind: string, query: string): QueueName | undefined =>
  (Object.keys(QUEUES) as QueueName[]).find(
    (name) => QUEUES[name].kind === kind && QUEUES[name].query === query,
  );

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

/** Where one is on the desk: in which queue, and how many were skipped there. */
export interface Place {
  /** `undefined`: in everything that waits. */
  readonly only: QueueName | undefined;
  readonly skip: number;
}

/** The record that a desk shows; empty texts for none. */
export interface OnDesk extends Place {
  readonly kind: string;
  readonly key: string;
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

/** Reads what waits, or that of one queue. */
export async function queueOf(
  api: ApiClient,
  kindsByName: KindsByName,
  only: QueueName | undefined,
): Promise<Queue> {
  const names = (Object.keys(QUEUES) as QueueName[]).filter(
    (name) => only === undefined || name === only,
  );
  const pages = await Promise.all(
    names.map(async (name) => {
      const { kind, query } = QUEUES[name];
      const oldest = new URLSearchParams(`${query}&sort=created`);
      return { kind, page: await readOn(api, `/${kind}`, oldest, QUEUED) };
    }),
  );
  const waiting = pages.flatMap(({ kind, page }) =>
    kind === 'reports'
      ? reportedOf(page.items, kindsByName)
      : page.items.filter(isOpen).map((item) => ({ kind: kindsByName.get(kind)!, item })),
  );
  return { waiting, isMore: pages.some(({ page }) => page.next !== null) };
}

/** What is held and was taken down waits for nothing. */
const isOpen = ({ removedAt }: Item) => removedAt === null;

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

import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { type AuditEntry, recordHistory } from '../audit/audit.ts';
import { purgeLinkedImages } from '../images/purge.ts';
import { deleteArticles, revisionWriters, trashed } from './rows.ts';

/** How long an article stays in the trash (semantics 5.15); ms. */
export const TRASH_MS = 30 * 24 * 60 * 60 * 1000;

/** Articles, and contents of articles, removed in one transaction at most, so that other writes do not wait long. */
const BATCH = 100;
const BATCH_CONTENTS = 1_000;

/**
 * Removes for good, with their revisions and the images that belong to nothing else, the articles that have been in the
 * trash for {@link TRASH_MS}. Their keys are free; the ledger of postings and the audit trail keep their rows. Contents
 * that were written before the trail was told of each at once are told of now. For a timer: calls may overlap, also from
 * several processes.
 *
 * @param most articles removed at most.
 * @returns how many were removed; fewer than `most` when nothing is left to do.
 */
export async function purgeTrash(store: Store, now: Instant, most = 10_000): Promise<number> {
  const before = now - TRASH_MS;
  let removed = 0;
  while (removed < most) {
    const purged = await store.write((tx) => purgeSome(tx, before, now, Math.min(BATCH, most - removed)));
    removed += purged.articles;
    if (purged.articles + purged.images === 0) break;
  }
  return removed;
}

/** Removes the oldest, as many as one transaction should; an article when its images are gone. @returns how many. */
async function purgeSome(
  tx: Kysely<Tables>,
  before: Instant,
  now: Instant,
  most: number,
): Promise<{ readonly articles: number; readonly images: number }> {
  const found = await trashed.all(tx, { before, most });
  let contents = 0;
  const purged = found.filter(({ revision }, index) => {
    contents += revision;
    return index === 0 || contents <= BATCH_CONTENTS;
  });
  if (purged.length === 0) return { articles: 0, images: 0 };
  const guids = purged.map(({ guid }) => guid);
  const images = await purgeLinkedImages(tx, guids, now, BATCH);
  if (images === BATCH) return { articles: 0, images };
  await deleteWithHistory(tx, purged);
  return { articles: purged.length, images };
}

/** Removes articles with their revisions; what the audit trail was not told of them is told now. */
export async function deleteWithHistory(tx: Kysely<Tables>, articles: readonly PurgedArticle[]): Promise<void> {
  const guids = articles.map(({ guid }) => guid);
  const earlier = Map.groupBy(await revisionWriters(tx, guids), ({ guid }) => guid);
  const told = await toldContents(tx, guids);
  await recordHistory(
    tx,
    articles
      .flatMap((article) => [...toldBy(article.created_at, [...(earlier.get(article.guid) ?? []), article])])
      .filter(({ target, at, details }) => !told.has(contentId(target.key, at, details?.revision))),
  );
  await deleteArticles(tx, guids);
}

type PurgedArticle = Awaited<ReturnType<typeof trashed.all>>[number];

/** The contents that the audit trail has recorded. */
async function toldContents(tx: Kysely<Tables>, guids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('audit')
    .select(['target_key', 'at', 'details'])
    .where('target_key', 'in', guids)
    .where('action', 'in', ['article.create', 'article.replace'])
    .execute();
  return new Set(rows.map(({ target_key, at, details }) => contentId(target_key, at, JSON.parse(details).revision)));
}

/** Tells contents apart, also those of two articles that had a key one after the other. */
function contentId(guid: string | null | undefined, at: Instant, revision: unknown): string {
  return `${guid} ${at} ${revision}`;
}

/** A content of an article: who wrote it, and when it was replaced, when it was. */
type Content = Awaited<ReturnType<typeof revisionWriters>>[number] | PurgedArticle;

/** What the contents of an article tell, from the first to the last: each was written when the one before was replaced. */
function* toldBy(createdAt: Instant, contents: readonly Content[]): Iterable<AuditEntry> {
  let at = createdAt;
  for (const content of contents) {
    const { guid, revision, token_id, ip, claimed_ip } = content;
    yield {
      at,
      tokenId: token_id ?? undefined,
      action: revision === 1 ? 'article.create' : 'article.replace',
      target: { kind: 'article', key: guid },
      address: ip ?? undefined,
      details: { revision, ...(claimed_ip === null ? {} : { claimedAddress: claimed_ip }) },
    };
    if ('recorded_at' in content) at = content.recorded_at;
  }
}

import type { Kysely } from 'kysely';
import type { ArticlesTable, ArticleWriter, Instant, Tables } from '../../store/tables/tables.ts';
import { type AuditEntry, recordHistory } from '../audit/audit.ts';
import { revisionWriters } from './rows.ts';

/** The parts of an article that say who wrote its present content. */
export type PresentContent = ArticleWriter &
  Pick<ArticlesTable, 'guid' | 'revision' | 'created_at'>;

/**
 * Records in the audit trail who wrote each content of articles that are about to be purged; once
 * for each.
 */
export async function recordContents(
  tx: Kysely<Tables>,
  articles: readonly PresentContent[],
): Promise<void> {
  const guids = articles.map(({ guid }) => guid);
  const earlier = Map.groupBy(await revisionWriters(tx, guids), ({ guid }) => guid);
  const told = await toldContents(tx, guids);
  await recordHistory(
    tx,
    articles
      .flatMap((article) => [
        ...toldBy(article.created_at, [...(earlier.get(article.guid) ?? []), article]),
      ])
      .filter(({ target, at, details }) => !told.has(contentId(target.key, at, details?.revision))),
  );
}

/** Returns the contents that the audit trail already has. */
async function toldContents(
  tx: Kysely<Tables>,
  guids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('audit')
    .select(['target_key', 'at', 'details'])
    .where('target_key', 'in', guids)
    .where('action', 'in', ['article.create', 'article.replace'])
    .execute();
  return new Set(
    rows.map(({ target_key, at, details }) =>
      contentId(target_key, at, JSON.parse(details).revision),
    ),
  );
}

/** Identifies a content, even if two articles used the same key one after the other. */
function contentId(guid: string | null | undefined, at: Instant, revision: unknown): string {
  return `${guid} ${at} ${revision}`;
}

/** A content of an article: who wrote it, and when it was replaced, if it was. */
type Content = Awaited<ReturnType<typeof revisionWriters>>[number] | PresentContent;

/**
 * Yields the audit entries of an article's contents, first to last: each was written when the
 * previous one was replaced.
 */
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

import type { Kysely } from 'kysely';
import type { ArticleContent, Instant, Tables } from '../../store/tables/tables.ts';
import { type Actor, auditAct } from '../audit/audit.ts';
import { ensureCategoryExists } from '../shared/existing-keys.ts';
import { CONTENT_COLUMNS, isSameContent } from './content.ts';
import { assertSaysSomething } from './put.ts';
import { keepRevision, lockArticles, lockStandingArticle, replaceContent } from './rows.ts';

/** Who changes an article, besides the callers of operations, and when. */
export interface RevisionCall {
  readonly guid: string;
  readonly by: Actor;
  readonly at: Instant;
}

interface Revised {
  /** Returns what the article says then; `undefined`: it stays as it is. */
  readonly next: (
    present: ArticleContent & { readonly revision: number },
  ) => ArticleContent | undefined | Promise<ArticleContent | undefined>;
  /** What the audit trail calls it. */
  readonly action: 'replace' | 'publish' | 'pend';
  readonly details?: Readonly<Record<string, number>>;
  /** Whether its author stays who wrote it. */
  readonly isStillAuthors?: true;
}

/**
 * Gives an article another content: what it said becomes a revision, and no history is lost. Holds
 * and removals by moderators are kept.
 * @returns whether anything changed.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for an article in the trash;
 *   `MissingParameter` when it would say nothing.
 */
export async function reviseArticle(
  tx: Kysely<Tables>,
  { guid, by, at }: RevisionCall,
  { next, action, details = {}, isStillAuthors }: Revised,
): Promise<boolean> {
  const [present, images] = await lockStandingArticle(tx, guid);
  const content = await next(present);
  if (content === undefined || isSameContent(present, content)) return false;
  assertSaysSomething(content);
  await ensureCategoryExists(tx, content.category_key, at);
  const [author] = isStillAuthors ? await lockArticles(tx, [guid]) : [];
  const { ip, claimed_ip, token_id } = author ?? {
    ip: by.address || null,
    claimed_ip: null,
    token_id: by.tokenId ?? null,
  };
  keepRevision.send(tx, { guid, recorded_at: at });
  const row = { guid, ...contentOf(content), ip, claimed_ip, token_id, updated_at: at };
  await replaceContent(tx, row, present, images);
  await auditAct(tx, `article.${action}`, guid, at, by, {
    revision: present.revision + 1,
    ...details,
  });
  return true;
}

const contentOf = (content: ArticleContent) =>
  Object.fromEntries(CONTENT_COLUMNS.map((column) => [column, content[column]])) as Pick<
    ArticleContent,
    (typeof CONTENT_COLUMNS)[number]
  >;

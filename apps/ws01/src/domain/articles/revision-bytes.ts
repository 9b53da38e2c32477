import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../../store/engine-of.ts';
import type { Tables } from '../../store/tables/tables.ts';
import type { RevisionLimits } from './content.ts';
import { bytesOfRevision, countRevisions, ROW_BYTES } from './rows.ts';

/**
 * The revisions of an owner are summed up when those of an article have grown by so much; bytes.
 */
const STEP_BYTES = 256 * 1024;

/** So much of a limit is left after removing, so that not every write removes. */
const KEPT = 7 / 8;

interface Grown {
  readonly guid: string;
  readonly owner: string | null;
  /** As counted before the content became a revision, and that content. */
  readonly before: number | null;
  readonly caption: string;
  readonly content: string;
}

/**
 * Call it after a content has become a revision. Removes the oldest revisions of the article if
 * they take more than an article may have; then those of the owner's articles, largest first, if
 * they take more than a user may have.
 */
export async function boundRevisions(
  tx: Kysely<Tables>,
  { guid, owner, before, caption, content }: Grown,
  { perArticle, perOwner }: RevisionLimits,
): Promise<void> {
  const added = Buffer.byteLength(caption) + Buffer.byteLength(content) + ROW_BYTES;
  const grown = before === null ? undefined : before + added;
  const after =
    grown === undefined || grown > perArticle ? await removeOldest(tx, guid, perArticle) : grown;
  const steps = (bytes: number | null) => Math.floor((bytes ?? 0) / STEP_BYTES);
  if (owner === null || steps(after) === steps(before)) return;
  let over = (await bytesOfOwner(tx, owner)) - perOwner;
  while (over > 0) {
    const most = await articleWithMost(tx, owner);
    if (most === undefined) return;
    const left = await removeOldest(tx, most.guid, Math.max(0, most.bytes - over), 1);
    over -= most.bytes - left;
  }
}

/**
 * Removes the oldest revisions of an article that take more than `limit` bytes, and counts the
 * others.
 * @returns what they take.
 */
async function removeOldest(
  tx: Kysely<Tables>,
  guid: string,
  limit: number,
  kept: number = KEPT,
): Promise<number> {
  const bytes = bytesOfRevision('article_revisions');
  const summed = sql<{ revision: number; total: number }>`
    select revision, sum(${bytes}) over (order by revision desc) as total
    from article_revisions where article_guid = ${guid}`;
  const total = await sql<{ bytes: number | string }>`
    select coalesce(max(total), 0) as bytes from (${summed}) summed`.execute(tx);
  let left = Number(total.rows[0]!.bytes);
  if (left > limit) {
    const most = Math.floor(limit * kept);
    await sql`delete from article_revisions where article_guid = ${guid} and revision <=
      (select max(revision) from (${summed}) summed where total > ${most})`.execute(tx);
    const rest = await sql<{ bytes: number | string }>`
      select coalesce(max(total), 0) as bytes from (${summed}) summed`.execute(tx);
    left = Number(rest.rows[0]!.bytes);
  }
  countRevisions.send(tx, { guid, bytes: left });
  return left;
}

async function bytesOfOwner(tx: Kysely<Tables>, owner: string): Promise<number> {
  const { bytes } = await tx
    .selectFrom('articles')
    .select((eb) => eb.fn.sum<number | string | null>('revision_bytes').as('bytes'))
    .where('owner', '=', owner)
    .where('revision_bytes', '>', 0)
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}

/**
 * Locks the owner's article whose revisions take the most; one that somebody else is writing is
 * left to them.
 */
async function articleWithMost(tx: Kysely<Tables>, owner: string) {
  const found = await tx
    .selectFrom('articles')
    .select(['guid', 'revision_bytes as bytes'])
    .where('owner', '=', owner)
    .where('revision_bytes', '>', 0)
    .orderBy('revision_bytes', 'desc')
    .limit(1)
    .$if(isPostgres(tx), (query) => query.forUpdate().skipLocked())
    .executeTakeFirst();
  return found && { guid: found.guid, bytes: Number(found.bytes) };
}

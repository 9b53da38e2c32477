import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { ArticleContent, ArticlesTable, Tables } from '../../store/tables/tables.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { recordPosting } from '../counts/posts.ts';
import { holdLinkedImages, type LinkedImage } from '../images/listing/linked.ts';
import { ensureCategoryExists } from '../shared/existing-keys.ts';
import { assertMayWrite, assertNotRemoved } from '../shared/ownership.ts';
import { ensureNamedUserExists } from '../users/users.ts';
import {
  type ArticleCall,
  attemptOf,
  auditArticle,
  auditContent,
  recordOf,
  writerOf,
} from './call.ts';
import type { RevisionLimits } from './content.ts';
import { hasContent, isSameContent, textBytesOf } from './content.ts';
import { boundRevisions } from './revision-bytes.ts';
import { insertArticle, keepRevision, lockArticle, replaceContent, setTrash } from './rows.ts';

/** A call that creates or replaces its article (operations 1 and 4). */
export interface PutCall extends ArticleCall {
  /** What such calls usually do; that case needs the fewest round trips. */
  readonly mostly: 'creates' | 'replaces';
  /** The content if the call creates the article. */
  readonly created: ArticleContent;
  /** Returns the content if the article exists, in the trash or not. */
  readonly replaced: (present: ArticleContent) => ArticleContent;
}

type PresentArticle = ArticleContent &
  Pick<ArticlesTable, 'owner' | 'deleted_at' | 'removed_at' | 'revision'> & {
    readonly revision_bytes: number | null;
  };

/**
 * Maximum number of attempts: an article can be purged between two queries, rarely more than once.
 */
const ATTEMPTS = 5;

/**
 * Creates the article, or replaces its content and stores the old one as a revision; restores it
 * from the trash. Unchanged content is not written again. If two calls create the article, the
 * primary key lets one succeed; the other waits for the row and then updates it.
 *
 * @throws {Ws01Error} `Forbidden` or `AlreadyExists` by the rules of ownership; `Forbidden` when a
 *   moderator removed it and the caller is no admin; `MissingParameter` when the article would say
 *   nothing; `RateLimited` when a user token has created as much as it may; `Busy` when the article
 *   kept being purged and created by others meanwhile.
 */
export async function putArticle(
  tx: Kysely<Tables>,
  call: PutCall,
  budgets: Budgets,
  revisions: RevisionLimits,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [isNew, held] = await Promise.all([
      createArticle(tx, call, budgets),
      call.mostly === 'replaces' ? holdArticle(tx, call.guid) : undefined,
    ]);
    if (isNew) return;
    const { present, images } = held ?? (await holdArticle(tx, call.guid));
    if (present !== undefined) {
      await replaceArticle(tx, call, present, images, budgets, revisions);
      return;
    }
    assertSaysSomething(call.created);
  }
  throw new Ws01Error('Busy', 'The article is being written by others; try again.');
}

/** Locks the article and its images until the write ends. */
async function holdArticle(tx: Kysely<Tables>, guid: string) {
  const [present, images] = await Promise.all([
    lockArticle.first(tx, { guid }),
    holdLinkedImages(tx, guid),
  ]);
  return { present, images };
}

/** @throws {Ws01Error} `MissingParameter` when there is neither caption nor content. */
export function assertSaysSomething(article: Pick<ArticleContent, 'caption' | 'content'>): void {
  if (!hasContent(article)) {
    throw new Ws01Error(
      'MissingParameter',
      'caption or content is required; give the article at least one of them.',
      {
        parameter: 'caption',
      },
    );
  }
}

/** @returns whether the article was created; not if its key is in use, or it would be empty. */
async function createArticle(
  tx: Kysely<Tables>,
  call: PutCall,
  budgets: Budgets,
): Promise<boolean> {
  const { context, guid, userId, created, origin, at } = call;
  if (!hasContent(created)) {
    return false;
  }
  const isNew = await insertArticle.run(tx, {
    guid,
    owner: userId ?? null,
    ...created,
    ...writerOf(call),
    created_at: at,
  });
  if (!isNew) {
    return false;
  }
  const added = { posts: 1, textBytes: textBytesOf(created) } as const;
  await budgets.spendOnChange(tx, context.caller, added, at);
  await ensureCategoryExists(tx, created.category_key, at);
  await ensureNamedUserExists(tx, context.caller, userId, at);
  await recordPosting(tx, { kind: 'article', key: guid, userId, address: origin.address, at });
  await auditContent(tx, call, 1);
  return true;
}

async function replaceArticle(
  tx: Kysely<Tables>,
  call: PutCall,
  present: PresentArticle,
  images: readonly LinkedImage[],
  budgets: Budgets,
  revisions: RevisionLimits,
): Promise<void> {
  assertMayWrite(attemptOf(call, 'put', present.owner));
  assertNotRemoved(call.context.caller, present, recordOf(call));
  const next = call.replaced(present);
  assertSaysSomething(next);
  const isSame = isSameContent(present, next);
  if (!isSame || present.deleted_at !== null) {
    // What is replaced becomes a revision, which has a bound of its own.
    const textBytes = Math.max(0, textBytesOf(next) - textBytesOf(present));
    await budgets.spendOnChange(tx, call.context.caller, { textBytes }, call.at);
  }
  await ensureNamedUserExists(tx, call.context.caller, call.userId, call.at);
  if (!isSame) {
    await ensureCategoryExists(tx, next.category_key, call.at);
    keepRevision.send(tx, { guid: call.guid, recorded_at: call.at });
    await replaceContent(
      tx,
      { guid: call.guid, ...next, ...writerOf(call), updated_at: call.at },
      present,
      images,
    );
    await boundRevisions(
      tx,
      { ...present, guid: call.guid, before: present.revision_bytes },
      revisions,
    );
    await auditContent(tx, call, present.revision + 1);
  } else if (present.deleted_at !== null) {
    await setTrash.change(
      tx,
      { guid: call.guid, deleted_at: null, removed_at: null, updated_at: call.at },
      images,
    );
  }
  if (present.deleted_at !== null) {
    await auditArticle(tx, call, 'restore');
  }
}

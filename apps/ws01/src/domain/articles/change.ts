import type { Kysely } from 'kysely';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { findPosting } from '../counts/posts.ts';
import { holdLinkedImages } from '../images/listing/linked.ts';
import { ensureCategoryExists } from '../shared/existing-keys.ts';
import { assertMayWrite, recordNotFound } from '../shared/ownership.ts';
import { ensureNamedUserExists } from '../users/users.ts';
import { type ArticleCall, attemptOf, auditArticle, recordOf } from './call.ts';
import { lockArticleState, setCategory, setPinnedUntil, setTrash } from './rows.ts';

type ArticleState = NonNullable<Awaited<ReturnType<typeof lockArticleState.first>>>;

/**
 * Pins the article until an instant; `null` unpins it. No revision is kept; the audit trail has the
 * previous instant.
 * @throws {Ws01Error} `NotFound`, also for an article in the trash or of another owner.
 */
export async function pinArticle(
  tx: Kysely<Tables>,
  call: ArticleCall,
  until: Instant | null,
  budgets: Budgets,
): Promise<void> {
  const { pinned_until: earlier } = await lockLiveArticle(tx, call);
  if (earlier !== until) {
    await budgets.spendOnChange(tx, call.context.caller, {}, call.at);
    setPinnedUntil.send(tx, { guid: call.guid, pinned_until: until, updated_at: call.at });
    await auditArticle(tx, call, 'pin', { from: toText(earlier), to: toText(until) });
  }
}

/**
 * Moves the article to another category; `null` for none. No revision is kept; the audit trail has
 * the previous category.
 * @throws {Ws01Error} `NotFound`, also for an article in the trash or of another owner.
 */
export async function categoriseArticle(
  tx: Kysely<Tables>,
  call: ArticleCall,
  category: string | null,
  budgets: Budgets,
): Promise<void> {
  const [{ category_key: earlier }, images] = await Promise.all([
    lockLiveArticle(tx, call),
    holdLinkedImages(tx, call.guid),
  ]);
  if (earlier !== category) {
    await budgets.spendOnChange(tx, call.context.caller, {}, call.at);
    await ensureCategoryExists(tx, category, call.at);
    await setCategory.change(
      tx,
      { guid: call.guid, category_key: category, updated_at: call.at },
      images,
    );
    await auditArticle(tx, call, 'categorise', { from: earlier, to: category });
  }
}

/**
 * Moves the article to the trash. Idempotent, also after the purge. An admin removes it, even if it
 * is in the trash already: then only a moderator or an admin can restore it.
 * @throws {Ws01Error} `NotFound` when the key was never used, or for a user token when the article
 *   is not its user's; `Forbidden` when the call names another user than the owner.
 */
export async function trashArticle(tx: Kysely<Tables>, call: ArticleCall): Promise<void> {
  const [present, images] = await Promise.all([
    lockArticleState.first(tx, { guid: call.guid }),
    holdLinkedImages(tx, call.guid),
  ]);
  const owner = present === undefined ? await findPurgedOwner(tx, call) : present.owner;
  assertMayWrite(attemptOf(call, 'change', owner));
  await ensureNamedUserExists(tx, call.context.caller, call.userId, call.at);
  if (present === undefined) return;
  const removes = call.context.caller.kind === 'admin' && present.removed_at === null;
  if (!removes && present.deleted_at !== null) return;
  const trash = {
    guid: call.guid,
    deleted_at: present.deleted_at ?? call.at,
    removed_at: removes ? call.at : null,
    updated_at: call.at,
  };
  await setTrash.change(tx, trash, images);
  await auditArticle(tx, call, removes ? 'remove' : 'trash');
}

async function lockLiveArticle(tx: Kysely<Tables>, call: ArticleCall): Promise<ArticleState> {
  const present = await lockArticleState.first(tx, { guid: call.guid });
  if (present === undefined) {
    throw recordNotFound(recordOf(call));
  }
  assertMayWrite(attemptOf(call, 'change', present.owner));
  if (present.deleted_at !== null) {
    throw recordNotFound(recordOf(call));
  }
  return present;
}

/** Returns the owner of a purged article from the ledger, which keeps it. */
async function findPurgedOwner(tx: Kysely<Tables>, call: ArticleCall): Promise<string | null> {
  const posting = await findPosting(tx, 'article', call.guid);
  if (posting === undefined) {
    throw recordNotFound(recordOf(call));
  }
  return posting.userId;
}

function toText(instant: Instant | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

import type { Kysely } from 'kysely';
import type { OperationHandlers, ParamsOf } from '../../contract/service.ts';
import type { Store } from '../../store/store.ts';
import type { ArticleContent, Instant, Tables } from '../../store/tables/tables.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { CallContext, Clock } from '../context.ts';
import { actingUser, originOf } from '../shared/ownership.ts';
import { optionalKey, requiredKey } from '../values/keys.ts';
import { urlOrText } from '../values/web-url.ts';
import type { ArticleCall } from './call.ts';
import { categoriseArticle, pinArticle, trashArticle } from './change.ts';
import type { RevisionLimits } from './content.ts';
import { EMPTY_CONTENT } from './content.ts';
import { assertSaysSomething, type PutCall, putArticle } from './put.ts';

/** Dependencies of the operations on articles. */
export interface ArticleDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly revisionLimits: RevisionLimits;
}

type ArticleOperation =
  | 'InsertArticle'
  | 'UpdateOrInsertArticleById'
  | 'UpdatePinnedTopDueDateByGuid'
  | 'DeleteArticleByGuid'
  | 'UpdateArticleCategory';

/**
 * Operations 1, 4, 8, 15 and 18. Each reads its parameters in the order of the contract, which is
 * the order of their errors, and does its work in one transaction. Each returns the canonical key
 * of the article.
 */
export function articleOperations({
  store,
  clock,
  budgets,
  revisionLimits,
}: ArticleDeps): Pick<OperationHandlers<CallContext>, ArticleOperation> {
  const write = (call: ArticleCall, work: (tx: Kysely<Tables>) => Promise<void>) =>
    store.write(work, { records: [call.guid] });
  return {
    InsertArticle: async (params, { caller: context }) => {
      const call = readInsert(params, context, clock());
      await write(call, (tx) => putArticle(tx, call, budgets, revisionLimits));
      return call.guid;
    },

    UpdateOrInsertArticleById: async (params, { caller: context }) => {
      const call = readUpdateOrInsert(params, context, clock());
      await write(call, (tx) => putArticle(tx, call, budgets, revisionLimits));
      return call.guid;
    },

    UpdatePinnedTopDueDateByGuid: async (params, { caller: context }) => {
      const guid = requiredKey(params.guid, 'guid');
      const until = params.pinnedTopDueDate ?? null;
      const call = changeOf(guid, context, clock());
      await write(call, (tx) => pinArticle(tx, call, until, budgets));
      return guid;
    },

    DeleteArticleByGuid: async (params, { caller: context }) => {
      const named = optionalKey(params.createuserid, 'createuserid');
      const guid = requiredKey(params.guid, 'guid');
      const call = changeOf(guid, context, clock(), named);
      await write(call, (tx) => trashArticle(tx, call));
      return guid;
    },

    UpdateArticleCategory: async (params, { caller: context }) => {
      const guid = requiredKey(params.guid, 'guid');
      const category = optionalKey(params.cateId, 'cateId') ?? null;
      const call = changeOf(guid, context, clock());
      await write(call, (tx) => categoriseArticle(tx, call, category, budgets));
      return guid;
    },
  };
}

/**
 * Reads an insert, which replaces the whole article: absent fields become empty. Only the pin is
 * kept, because .NET proxies always send it, as not given.
 */
function readInsert(params: ParamsOf<'InsertArticle'>, context: CallContext, at: Instant): PutCall {
  const guid = requiredKey(params.guid, 'guid');
  const caption = params.caption ?? '';
  const content = params.content ?? '';
  assertSaysSomething({ caption, content });
  const categoryKey = optionalKey(params.categoryGuid, 'categoryGuid') ?? null;
  const contactPhone = params.contactPhone ?? '';
  const pinnedUntil = params.pinnedTopDueDate ?? null;
  const named = optionalKey(params.CreateUserId, 'CreateUserId');
  const article: ArticleContent = {
    caption,
    content,
    category_key: categoryKey,
    contact_phone: contactPhone,
    pinned_until: pinnedUntil,
    icon_guid: optionalKey(params.IconGuid, 'IconGuid') ?? null,
    status: params.Status,
    from_url: urlOrText(params.fromUrl, 'fromUrl'),
  };
  return {
    context,
    guid,
    keyParameter: 'guid',
    userId: actingUser(context.caller, named, 'CreateUserId'),
    origin: originOf(context, undefined),
    at,
    mostly: 'creates',
    created: article,
    replaced: (present) => ({ ...article, pinned_until: pinnedUntil ?? present.pinned_until }),
  };
}

/**
 * Reads an update, which changes the given fields; other fields are kept, or empty in a new
 * article.
 */
function readUpdateOrInsert(
  params: ParamsOf<'UpdateOrInsertArticleById'>,
  context: CallContext,
  at: Instant,
): PutCall {
  const guid = requiredKey(params.Id, 'Id');
  const { caption, content } = params;
  const categoryKey = readNodeId(params.nodeId);
  const { contactPhone, ip } = params;
  const update = (base: ArticleContent): ArticleContent => ({
    ...base,
    caption: caption ?? base.caption,
    content: content ?? base.content,
    category_key: categoryKey === undefined ? base.category_key : categoryKey,
    contact_phone: contactPhone ?? base.contact_phone,
  });
  return {
    context,
    guid,
    keyParameter: 'Id',
    userId: actingUser(context.caller, undefined, 'CreateUserId'),
    origin: originOf(context, ip),
    at,
    mostly: 'replaces',
    created: update(EMPTY_CONTENT),
    replaced: update,
  };
}

/**
 * @returns the category; `null` for an empty text, which clears it; `undefined` if absent, which
 *   keeps it.
 */
function readNodeId(text: string | undefined): string | null | undefined {
  const key = optionalKey(text, 'nodeId');
  return key ?? (text?.trim() === '' ? null : undefined);
}

/**
 * Returns the call of an operation that needs an existing article. `named` is the user in
 * `createuserid`, if any.
 */
function changeOf(guid: string, context: CallContext, at: Instant, named?: string): ArticleCall {
  return {
    context,
    guid,
    keyParameter: 'guid',
    userId: actingUser(context.caller, named, 'createuserid'),
    origin: originOf(context, undefined),
    at,
  };
}

import { dateOf, formatInstant } from '../../contract/lexical.ts';
import type { OperationHandlers, ParamsOf } from '../../contract/service.ts';
import { textOf } from '../../store/long-text.ts';
import type { Store } from '../../store/store.ts';
import { type Instant, toFlag } from '../../store/tables/tables.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { CallContext, Clock } from '../context.ts';
import { listingJson } from '../shared/list-json.ts';
import { orderOf } from '../shared/list-order.ts';
import { actingUser } from '../shared/ownership.ts';
import { optionalKey, requiredKey } from '../values/keys.ts';
import { pageOf } from '../values/paging.ts';
import { searchWords } from '../values/search-text.ts';
import { optionalHttpUrl } from '../values/web-url.ts';
import { assertPicture, titleOf } from './content.ts';
import { type AdvertCall, createAdvert } from './create.ts';
import { ADVERT_ORDERS, type ListedAdvert, listAdverts } from './list.ts';

/** Returns the public URLs of images by key; keys without an image are left out. */
export type ImageUrls = (
  keys: readonly string[],
  context: CallContext,
) => Promise<ReadonlyMap<string, string>>;

/** Dependencies of the operations on adverts. */
export interface AdvertDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly budgets: Budgets;
  /** IANA time zone of deadlines without a zone. */
  readonly timeZone: string;
  readonly imageUrls: ImageUrls;
}

/**
 * Operations 2 and 9. Parameters are read in the order of the contract, which is the order of their
 * errors.
 */
export function advertOperations(
  deps: AdvertDeps,
): Pick<OperationHandlers<CallContext>, 'addNewAdvert' | 'QueryAdvert'> {
  const { store, budgets } = deps;
  return {
    addNewAdvert: async (params, { caller: context }) => {
      const call = readAdvert(params, context, deps);
      return store.write((tx) => createAdvert(tx, call), {
        records: call.guid === undefined ? [] : [call.guid],
      });
    },

    QueryAdvert: (params, { caller: context }) =>
      budgets.charging('queriesPerAddress', context, async () =>
        queryAdverts(params, deps, context),
      ),
  };
}

async function queryAdverts(
  params: ParamsOf<'QueryAdvert'>,
  { store, clock, imageUrls }: AdvertDeps,
  context: CallContext,
): Promise<string> {
  const owner = requiredKey(params.userId, 'userId');
  const words = searchWords(params.query ?? '');
  const { pagesize, pageindex } = params;
  const page = pageOf(pageindex, pagesize);
  const { order, warnings } = orderOf(ADVERT_ORDERS, params.orderBy, params.sort);
  return listAdverts(store, { owner, words, order, page }, async ({ rows, total }) => {
    const urls = await imageUrls(
      rows.flatMap(({ img_guid }) => img_guid ?? []),
      context,
    );
    const now = clock();
    const items = rows.map((row) => itemOf(row, owner, urls, now));
    return listingJson({ items, page, total, warnings });
  });
}

function readAdvert(
  params: ParamsOf<'addNewAdvert'>,
  context: CallContext,
  deps: AdvertDeps,
): AdvertCall {
  const at = deps.clock();
  const guid = optionalKey(params.guid, 'guid');
  const named = optionalKey(params.CreateUserId, 'CreateUserId');
  const content = {
    title: titleOf(params.title),
    detail: params.detail ?? '',
    link_txt: params.linkTxt ?? '',
    link_url: optionalHttpUrl(params.linkUrl, 'linkUrl') ?? '',
    deadline:
      dateOf(params.showDeadLine, 'showDeadLine', { timeZone: deps.timeZone, now: deps.clock }) ??
      null,
    category_key: optionalKey(params.postAtCategoryGuid, 'postAtCategoryGuid') ?? null,
    is_image: toFlag(params.isImage),
    img_guid: optionalKey(params.imgGuid, 'imgGuid') ?? null,
  };
  assertPicture(content);
  const owner = actingUser(context.caller, named, 'CreateUserId');
  return { context, guid, owner, content, at, budgets: deps.budgets };
}

/** Returns an advert as the list shows it. Absent values are `null`; empty texts stay empty. */
function itemOf(row: ListedAdvert, owner: string, urls: ReadonlyMap<string, string>, now: Instant) {
  const createdAt = formatInstant(row.created_at);
  return {
    guid: row.guid,
    createUserId: owner,
    title: row.title,
    detail: textOf(row.detail),
    linkTxt: row.link_txt,
    linkUrl: row.link_url,
    showDeadLine: row.deadline === null ? null : formatInstant(row.deadline),
    isCurrent: row.deadline === null || now < row.deadline,
    postAtCategoryGuid: row.category_key,
    isImage: row.is_image === 1,
    imgGuid: row.img_guid,
    imageUrl: row.img_guid === null ? null : (urls.get(row.img_guid) ?? null),
    createdAt,
    owner,
    updatedAt: row.updated_at === row.created_at ? createdAt : formatInstant(row.updated_at),
  };
}

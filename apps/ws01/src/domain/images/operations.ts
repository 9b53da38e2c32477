import type { ReceivedFile } from '../../adapters/files/spool.ts';
import { Ws01Error } from '../../contract/errors.ts';
import { formatInstant } from '../../contract/lexical.ts';
import type { OperationHandlers, ParamsOf } from '../../contract/service.ts';
import type { Instant } from '../../store/tables/tables.ts';
import type { AnswerUrl, CallContext } from '../context.ts';
import { listingJson } from '../shared/list-json.ts';
import { orderOf } from '../shared/list-order.ts';
import { originOf } from '../shared/ownership.ts';
import { CONTENT_TYPES, imageUrl, renditionFormat } from '../values/image-url.ts';
import { optionalKey, requiredKey } from '../values/keys.ts';
import { pageOf } from '../values/paging.ts';
import { searchWords } from '../values/search-text.ts';
import { type ListedImage, listImages } from './listing/list.ts';
import { IMAGE_ORDERS } from './listing/query.ts';
import type { PutImageCall } from './put.ts';
import { removeImage } from './remove.ts';
import { discard, receiveImage, type UploadDeps } from './upload.ts';
import { ImageRefusal } from './validation/refusal.ts';

/** Dependencies of the operations on images. */
export interface ImageDeps extends UploadDeps {
  /** Returns `BASE_URL`, or the origin that the client used. */
  readonly baseUrl: AnswerUrl;
  /** Called for each refused file, with the reason. */
  readonly onRefused: (refusal: ImageRefusal, context: CallContext) => void;
}

type ImageOperation = 'InsertArticleImageFile' | 'QueryImgData' | 'DeleImgById';

/**
 * Operations 5, 6 and 17. Parameters are read in the order of the contract, which is the order of
 * their errors.
 */
export function imageOperations(
  deps: ImageDeps,
): Pick<OperationHandlers<CallContext, ReceivedFile>, ImageOperation> {
  const { store, clock, budgets, files } = deps;
  return {
    InsertArticleImageFile: async (params, { caller: context }) => {
      const { call, file } = readInsert(params, context, clock());
      try {
        await receiveImage(deps, call, file);
        return true;
      } catch (error) {
        if (!(error instanceof ImageRefusal)) throw error;
        deps.onRefused(error, context);
        return { result: false, code: error.code };
      }
    },

    QueryImgData: (params, { caller: context }) =>
      budgets.charging('queriesPerAddress', originOf(context, params.ip), async () =>
        queryImages(params, deps, context),
      ),

    DeleImgById: async (params, { caller: context }) => {
      const guid = requiredKey(params.FileGuid, 'FileGuid');
      const linkGuid = optionalKey(params.Link_Guid, 'Link_Guid');
      const origin = originOf(context, params.ip);
      const call = { context, guid, linkGuid, origin, at: clock() };
      const unused = await store.write((tx) => removeImage(tx, call));
      await discard(files.store, unused);
      return guid;
    },
  };
}

function readInsert(
  params: ParamsOf<'InsertArticleImageFile', ReceivedFile>,
  context: CallContext,
  at: Instant,
): { readonly call: Omit<PutImageCall, 'file'>; readonly file: ReceivedFile } {
  const guid = requiredKey(params.FileGuid, 'FileGuid');
  const file = fileOf(params.FileImg);
  const linkGuid = optionalKey(params.Link_Guid, 'Link_Guid');
  const { category = '', IsIcons: isIcon, ip } = params;
  return {
    call: { context, guid, linkGuid, category, isIcon, origin: originOf(context, ip), at },
    file,
  };
}

function fileOf(file: ReceivedFile | undefined): ReceivedFile {
  const parameter = 'FileImg';
  if (file === undefined) {
    throw new Ws01Error('MissingParameter', 'FileImg is required; send the file as base64.', {
      parameter,
    });
  }
  if (file.bytes === 0) {
    throw new Ws01Error('InvalidParameter', 'FileImg holds no bytes; send the file as base64.', {
      parameter,
    });
  }
  return file;
}

async function queryImages(
  params: ParamsOf<'QueryImgData', unknown>,
  { store, baseUrl }: ImageDeps,
  context: CallContext,
): Promise<string> {
  const words = searchWords(params.query ?? '');
  const linkGuid = optionalKey(params.linkGuid, 'linkGuid');
  const iconsOnly = params.ImgIcon;
  const page = pageOf(params.pageindex, params.pagesize);
  const category = optionalKey(params.nodeId, 'nodeId');
  const { order: asked, warnings } = orderOf(IMAGE_ORDERS, params.orderBy);
  const isUnsorted = (params.orderBy ?? '').trim() === '';
  const order = iconsOnly && isUnsorted ? ({ field: 'marked', direction: 'desc' } as const) : asked;
  const query = { words, linkGuid, iconsOnly, category, order, page };
  const { rows, total } = await listImages(store, query);
  const url = baseUrl(context);
  const items = rows.map((row) => itemOf(row, url));
  return listingJson({ items, page, total, warnings });
}

/** Returns an image as the list shows it. Absent values are `null`; empty texts stay empty. */
function itemOf(row: ListedImage, baseUrl: string) {
  const createdAt = formatInstant(row.created_at);
  return {
    fileGuid: row.guid,
    linkGuid: row.link_guid,
    category: row.category,
    isIcon: row.is_icon === 1,
    url: imageUrl(baseUrl, row, 'full'),
    iconUrl: imageUrl(baseUrl, row, 'icon'),
    contentType: CONTENT_TYPES[renditionFormat(row, 'full')],
    width: row.width,
    height: row.height,
    bytes: row.bytes,
    createdAt,
    owner: row.owner,
    updatedAt: row.updated_at === row.created_at ? createdAt : formatInstant(row.updated_at),
  };
}

import type { OperationName, ParamsOf } from '../../../apps/ws01/src/contract/service.ts';
import { ITEMS } from '../load/outgoing-request.ts';
import { ask } from '../sides/http.ts';
import {
  ARTICLE,
  CALLS,
  DISCARDED_ARTICLE,
  DISCARDED_IMAGE,
  GALLERY,
  PUBLISHER,
  RECEIVER,
  REVIEWER_ADDRESS,
  USER,
} from './calls.ts';
import { numbered, requestOf } from './requests.ts';

/** A user with {@link COUNTED_POSTS} posts, and nothing else is ever added. */
export const COUNTED_USER = 'counted';
export const COUNTED_POSTS = 7;

const ADVERTS = 40;
const IMAGES = 20;
const MAILS = 5;
const REVIEWS = 5;
/** Calls at once. */
const WIDTH = 32;

/** Fills an empty service through its front door with what the calls of `calls.ts` are about. */
export async function seed(port: number): Promise<void> {
  const put = putOn(port);
  await put(ITEMS, 'updateUserInfo', {});
  await put(ITEMS, 'InsertArticle', { guid: ARTICLE, CreateUserId: USER });
  await put(ITEMS, 'InsertArticle', { guid: DISCARDED_ARTICLE, CreateUserId: USER });
  await seedCounted(port);
  await put(ADVERTS, 'addNewAdvert', { CreateUserId: PUBLISHER });
  await put(IMAGES, 'InsertArticleImageFile', { Link_Guid: GALLERY });
  await put(1, 'InsertArticleImageFile', { FileGuid: DISCARDED_IMAGE });
  await put(1, 'DeleImgById', {});
  await put(MAILS, 'SendEmail', { receiverEmail: RECEIVER });
  await put(REVIEWS, 'submitReview', { ip: REVIEWER_ADDRESS });
}

/** Adds only what `countUserPosted` is about. */
export async function seedCounted(port: number): Promise<void> {
  await putOn(port)(COUNTED_POSTS, 'InsertArticle', { CreateUserId: COUNTED_USER });
}

function putOn(port: number) {
  return <Name extends OperationName>(
    count: number,
    operation: Name,
    changes: Partial<Record<keyof ParamsOf<Name>, string>>,
  ) => callMany(port, count, operation, { ...CALLS[operation].params, ...changes });
}

/** Numbers that no load will come to. */
let nextSerial = 900_000_000_000;

async function callMany(
  port: number,
  count: number,
  operation: OperationName,
  params: object,
): Promise<void> {
  const request = requestOf('JSON', operation, params as Readonly<Record<string, string>>);
  const end = nextSerial + count;
  const worker = async () => {
    while (nextSerial < end) {
      const answer = await ask(port, numbered(request, nextSerial++));
      if (answer.status !== 200) throw new Error(`${operation}: ${answer.body}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(WIDTH, count) }, worker));
}

import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import type { ErrorCode } from '../../../src/contract/errors.ts';
import { POSTING_KINDS } from '../../../src/store/tables/tables.ts';
import { ANYBODY, OBSERVED, type OperationDesk } from '../../kit/operation-desk.ts';

export interface Given {
  readonly IsPositive?: string;
  readonly Mark?: string;
  readonly ip?: string;
  readonly userId?: string;
}

export async function submit(desk: OperationDesk, id: string, given: Given, address = OBSERVED) {
  return JSON.parse(await desk.call('submitReview', { id, ...given }, ANYBODY, address));
}

/** Sees a review refused. */
export function refuses(desk: OperationDesk, code: ErrorCode, parameter: string, given: object) {
  return desk.refuses(code, parameter, 'submitReview', given, ANYBODY);
}

export function reviews(desk: OperationDesk, subject: string) {
  return desk.store.read((db) =>
    db
      .selectFrom('reviews')
      .select(words('id voter positive rating remark ip claimed_ip created_at updated_at'))
      .where('subject', '=', subject)
      .orderBy('voter')
      .execute(),
  );
}

export function postings(desk: OperationDesk, userId: string) {
  return desk.store.read((db) =>
    db
      .selectFrom('postings')
      .select(['record_key', 'network', 'at'])
      .where('kind', '=', POSTING_KINDS.review)
      .where('user_id', '=', userId)
      .execute(),
  );
}

/** An image as an upload leaves it, as far as reviews look at it. */
export function addImage(desk: OperationDesk, guid: string, owner: string) {
  const at = desk.now;
  const size = { width: 1, height: 1, frames: 1, bytes: 1 };
  const file = { hash: guid, stored_as: guid, format: 'png', ...size } as const;
  const empty = { category: '', category_order: '', search_text: '' };
  const image = { guid, owner, hash: guid, bytes: 1, ...empty, is_icon: 0 } as const;
  return desk.store.write(async (tx) => {
    await tx
      .insertInto('image_files')
      .values({ ...file, stored_at: at })
      .execute();
    await tx
      .insertInto('images')
      .values({ ...image, created_at: at, updated_at: at })
      .execute();
  });
}

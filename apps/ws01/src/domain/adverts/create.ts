import { createHash } from 'node:crypto';
import { HOUR_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { AdvertContent, Instant, Tables } from '../../store/tables/tables.ts';
import { doneByCall, recordAudit } from '../audit/audit.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { CallContext } from '../context.ts';
import { recordPosting } from '../counts/posts.ts';
import { bytesOfTexts } from '../shared/bytes-of-texts.ts';
import { ensureCategoryExists } from '../shared/existing-keys.ts';
import { ensureNamedUserExists } from '../users/users.ts';
import { newKey } from '../values/keys.ts';
import { searchedOf } from './content.ts';
import {
  advertByGuid,
  CONTENT_COLUMNS,
  guidByRetryKey,
  insertAdvert,
  releaseRetryKey,
} from './rows.ts';

/** A call that creates an advert. */
export interface AdvertCall {
  readonly context: CallContext;
  /** The canonical key in the call; `undefined`: the server generates one. */
  readonly guid: string | undefined;
  /** The publisher; `undefined` for none. */
  readonly owner: string | undefined;
  readonly content: AdvertContent;
  readonly at: Instant;
  /** The budgets of user tokens. */
  readonly budgets: Budgets;
}

/**
 * How long a repeated call without a key is recognised; ms. Clients may queue calls until the
 * network is back; after a day someone may publish the same advert again on purpose.
 */
export const RETRY_MS = 12 * HOUR_MS;

/**
 * Creates an advert, idempotently (semantics 5.2). The primary key decides races; for calls without
 * a key, a unique digest of caller, publisher and content.
 *
 * @returns its key.
 * @throws {Ws01Error} `AlreadyExists` when the key is in use with another publisher or other
 *   content; `RateLimited` when a user token has posted too much.
 */
export function createAdvert(tx: Kysely<Tables>, call: AdvertCall): Promise<string> {
  return call.guid === undefined ? createUnnamed(tx, call) : createNamed(tx, call, call.guid);
}

async function createNamed(tx: Kysely<Tables>, call: AdvertCall, guid: string): Promise<string> {
  if (!(await insert(tx, call, guid, null)) && !(await isSameAdvert(tx, call, guid))) {
    throw new Ws01Error(
      'AlreadyExists',
      'The key in guid is in use with other content; send another key, or none, for a new advert.',
      { parameter: 'guid' },
    );
  }
  return guid;
}

async function isSameAdvert(
  tx: Kysely<Tables>,
  { owner, content }: AdvertCall,
  guid: string,
): Promise<boolean> {
  const present = await advertByGuid.first(tx, { guid });
  return (
    present !== undefined &&
    present.owner === (owner ?? null) &&
    CONTENT_COLUMNS.every((column) => present[column] === content[column])
  );
}

async function createUnnamed(tx: Kysely<Tables>, call: AdvertCall): Promise<string> {
  const retryKey = retryKeyOf(call);
  releaseRetryKey.send(tx, { retryKey, before: call.at - RETRY_MS });
  const guid = newKey();
  if (await insert(tx, call, guid, retryKey)) {
    return guid;
  }
  const present = await guidByRetryKey.first(tx, { retryKey });
  if (present === undefined) {
    throw new Ws01Error('Busy', 'The advert is being published by another call; try again.');
  }
  return present.guid;
}

/**
 * Returns the SHA-256 of what identifies a call without a key: the credential, the publisher and
 * all fields.
 */
function retryKeyOf({ context, owner, content }: AdvertCall): Uint8Array {
  const fields = CONTENT_COLUMNS.map((column) => content[column]);
  const text = JSON.stringify([context.caller.tokenId ?? null, owner ?? null, ...fields]);
  return new Uint8Array(createHash('sha256').update(text).digest());
}

/** @returns whether the advert was created; not if one of its keys is in use. */
async function insert(
  tx: Kysely<Tables>,
  { context, owner, content, at, budgets }: AdvertCall,
  guid: string,
  retryKey: Uint8Array | null,
): Promise<boolean> {
  const isNew = await insertAdvert.run(tx, {
    ...content,
    guid,
    owner: owner ?? null,
    created_at: at,
    ...searchedOf(content),
    ip: context.address,
    retry_key: retryKey,
  });
  if (!isNew) {
    return false;
  }
  const textBytes = bytesOfTexts(CONTENT_COLUMNS.map((column) => content[column]));
  await budgets.spendOnChange(tx, context.caller, { posts: 1, textBytes }, at);
  await ensureCategoryExists(tx, content.category_key, at);
  await ensureNamedUserExists(tx, context.caller, owner, at);
  await recordPosting(tx, {
    kind: 'advert',
    key: guid,
    userId: owner,
    address: context.address,
    at,
  });
  await recordAudit(tx, {
    at,
    ...doneByCall(context),
    action: 'advert.create',
    target: { kind: 'advert', key: guid },
  });
  return true;
}

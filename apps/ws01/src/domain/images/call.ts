import type { Kysely } from 'kysely';
import type { ImagesTable, Instant, Tables } from '../../store/tables/tables.ts';
import { type AuditEntry, doneByCall, recordAudit } from '../audit/audit.ts';
import type { CallContext, Caller } from '../context.ts';
import {
  type Origin,
  type RecordName,
  recordNotFound,
  type WriteAttempt,
} from '../shared/ownership.ts';

/** A call that writes an image: caller, key, address, time. */
export interface ImageCall {
  readonly context: CallContext;
  /** The canonical key of the image. */
  readonly guid: string;
  readonly origin: Origin;
  readonly at: Instant;
}

/** How errors name an image. */
export const IMAGE_RECORD: RecordName = { noun: 'image', parameter: 'FileGuid' };

/** Returns the call as an attempt to write an image of `owner`. */
export function attemptOf(
  { context }: Pick<ImageCall, 'context'>,
  intent: WriteAttempt['intent'],
  owner: string | null,
): WriteAttempt {
  return { caller: context.caller, intent, record: IMAGE_RECORD, owner, namedId: undefined };
}

/** Whether a record belongs to another user than the one that the caller is bound to. */
export function isForeignLink({ kind, userId }: Caller, owner: string | null): boolean {
  return kind === 'user' && owner !== null && owner !== userId;
}

/**
 * Checks that an image may be linked: to the caller's own record, to one without an owner, or to a
 * key without a record (semantics 5.5). Service tokens are not restricted, as in every operation
 * that names no user.
 * @throws {Ws01Error} `NotFound` for a user token and another user's record.
 */
export function assertMayLink(caller: Caller, owner: string | null): void {
  if (isForeignLink(caller, owner))
    throw recordNotFound({ noun: 'record', parameter: 'Link_Guid' });
}

/** Records the call's change of its image in the audit trail. */
export async function auditImage(
  tx: Kysely<Tables>,
  { context, guid, at }: ImageCall,
  action: 'create' | 'replace' | 'update' | 'delete',
  details: AuditEntry['details'] = {},
): Promise<void> {
  await recordAudit(tx, {
    at,
    ...doneByCall(context),
    action: `image.${action}`,
    target: { kind: 'image', key: guid },
    details,
  });
}

/** Returns who wrote the content that a call replaces or removes, from where and when. */
export function earlierWriter(
  present: Pick<ImagesTable, 'token_id' | 'ip' | 'updated_at'>,
): AuditEntry['details'] {
  return { writtenBy: present.token_id, writtenFrom: present.ip, writtenAt: present.updated_at };
}

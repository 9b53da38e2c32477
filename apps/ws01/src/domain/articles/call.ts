import type { Kysely } from 'kysely';
import type { ArticleWriter, Instant, Tables } from '../../store/tables/tables.ts';
import { type AuditEntry, doneByCall, recordAudit } from '../audit/audit.ts';
import type { CallContext } from '../context.ts';
import type { Origin, RecordName, WriteAttempt } from '../shared/ownership.ts';

/** A call that writes an article: caller, key, address, time. */
export interface ArticleCall {
  readonly context: CallContext;
  /** The canonical key of the article. */
  readonly guid: string;
  /** The parameter that carries the key: `guid` or `Id`. */
  readonly keyParameter: string;
  /** The user that the call acts for: the bound one, else the named one; `undefined` for none. */
  readonly userId: string | undefined;
  readonly origin: Origin;
  readonly at: Instant;
}

/** Returns how errors name the article. */
export function recordOf(call: ArticleCall): RecordName {
  return { noun: 'article', parameter: call.keyParameter };
}

/** Returns the call as an attempt to write an article of `owner`. */
export function attemptOf(
  call: ArticleCall,
  intent: WriteAttempt['intent'],
  owner: string | null,
): WriteAttempt {
  return {
    caller: call.context.caller,
    intent,
    record: recordOf(call),
    owner,
    namedId: call.userId,
  };
}

/** Returns the call as the writer of a content. */
export function writerOf({ context, origin }: ArticleCall): ArticleWriter {
  return {
    ip: origin.address,
    claimed_ip: origin.claimed ?? null,
    token_id: context.caller.tokenId ?? null,
  };
}

/** Records the call's change of its article in the audit trail. */
export async function auditArticle(
  tx: Kysely<Tables>,
  { context, guid, at }: ArticleCall,
  action: 'create' | 'replace' | 'pin' | 'categorise' | 'trash' | 'remove' | 'restore',
  details: AuditEntry['details'] = {},
): Promise<void> {
  await recordAudit(tx, {
    at,
    ...doneByCall(context),
    action: `article.${action}`,
    target: { kind: 'article', key: guid },
    details,
  });
}

/**
 * Records in the audit trail that the call wrote a content of its article, with the claimed address
 * if it differs.
 */
export async function auditContent(
  tx: Kysely<Tables>,
  call: ArticleCall,
  revision: number,
): Promise<void> {
  const { address, claimed } = call.origin;
  await auditArticle(tx, call, revision === 1 ? 'create' : 'replace', {
    revision,
    ...(address === call.context.address ? {} : { believedAddress: address }),
    ...(claimed === undefined ? {} : { claimedAddress: claimed }),
  });
}

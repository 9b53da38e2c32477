import { DAY_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { operatorName } from '../../adapters/operator.ts';
import { idOf } from '../../store/partitions.ts';
import { columns, prepare } from '../../store/prepared.ts';
import type { AuditTable, Instant, Tables } from '../../store/tables/tables.ts';
import type { CallContext } from '../context.ts';
import { recordEvent } from '../events/record.ts';
import { newKey } from '../values/keys.ts';
import type { AuditAction } from './actions.ts';

/** An entry of the audit trail: who did what to which record, from where and when. */
export interface AuditEntry {
  readonly at: Instant;
  /**
   * The id of the credential, never its text; `undefined` for a call without one and, together with
   * `address`, for an operator on the machine: then the details name the account.
   */
  readonly tokenId: string | undefined;
  readonly action: AuditAction;
  /** The kind and key of the changed record. */
  readonly target: { readonly kind: string; readonly key: string | undefined };
  /** The client address; `undefined` if there is none. */
  readonly address: string | undefined;
  /** The name of the admin who did it in the console; stored in the details. */
  readonly admin?: string | undefined;
  /** The request id; absent if there is none. */
  readonly requestId?: string | undefined;
  /** The reason that the actor gave; stored in the details. */
  readonly reason?: string | undefined;
  /** Other facts, such as a previous value; never a secret, a code, a text or a body. */
  readonly details?: Readonly<Record<string, string | number | boolean | null | undefined>>;
}

/** Who moderates or administers, not by an operation of the contract. */
export interface Actor {
  /** The id of the token; `undefined` for an admin. */
  readonly tokenId: string | undefined;
  /** The name of the admin; `undefined` for a token. */
  readonly admin?: string | undefined;
  /** The client address. */
  readonly address: string;
  /** The request id. */
  readonly requestId?: string | undefined;
  /** Why, in the actor's words. */
  readonly reason?: string | undefined;
}

/**
 * Returns the part of an entry that says who did it; an `undefined` actor is an operator on the
 * machine.
 */
export function doneBy(
  actor: Actor | undefined,
): Pick<AuditEntry, 'tokenId' | 'address' | 'admin' | 'requestId' | 'reason'> {
  const { tokenId, address, admin, requestId, reason } = actor ?? {};
  return { tokenId, address, admin, requestId, reason };
}

/** Returns the part of an entry that says which call of an operation did it. */
export function doneByCall(
  context: CallContext,
): Pick<AuditEntry, 'tokenId' | 'address' | 'admin' | 'requestId'> {
  return {
    tokenId: context.caller.tokenId,
    admin: context.caller.admin,
    address: context.address,
    requestId: context.requestId,
  };
}

/**
 * Adds an entry to the audit trail, and the event for webhooks and streams, in the transaction of
 * the change.
 */
export async function recordAudit(tx: Kysely<Tables>, entry: AuditEntry): Promise<void> {
  const row = rowOf(entry);
  const { id, at, action: type, target_kind: kind, target_key, request_id } = row;
  // For a suppressed address, the key is the address.
  const key = kind === 'address' ? null : target_key;
  insertEntry.send(tx, row);
  await recordEvent(tx, { id, at, type, kind, key, requestId: request_id });
}

/**
 * Records what somebody did otherwise than by an operation of the contract.
 * @param action its first word is the kind of the record. @param key of the record; `undefined` if
 *   there is none.
 * @param by who did it; `undefined` for an operator on the machine.
 */
export function auditAct(
  tx: Kysely<Tables>,
  action: AuditAction,
  key: string | undefined,
  at: Instant,
  by: Actor | undefined,
  details: AuditEntry['details'] = {},
): Promise<void> {
  const kind = action.slice(0, action.indexOf('.'));
  return recordAudit(tx, { at, ...doneBy(by), action, target: { kind, key }, details });
}

/** The newest entry of an action on a record, if there is one. */
export function lastAct(db: Kysely<Tables>, action: AuditAction, key: string) {
  return db
    .selectFrom('audit')
    .select(['details', 'request_id'])
    .where('target_key', '=', key)
    .where('action', '=', action)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * As {@link recordAudit}, for a database of any version: it uses only the first version's columns.
 */
export async function recordInAnyVersion(tx: Kysely<Tables>, entry: AuditEntry): Promise<void> {
  const { id, at, token_id, action, target_kind, target_key, address, details } = rowOf(entry);
  const row = { id, at, token_id, action, target_kind, target_key, address, details };
  await tx.insertInto('audit').values(row).execute();
}

/** Rows of nine values per statement; SQLite allows 32,766 values. */
const BATCH = 500;

/**
 * Records who wrote a record, from where and when, in the transaction that deletes it. The time of
 * the entries is in the past.
 */
export async function recordHistory(
  tx: Kysely<Tables>,
  entries: readonly AuditEntry[],
): Promise<void> {
  for (let start = 0; start < entries.length; start += BATCH) {
    const rows = entries.slice(start, start + BATCH).map(rowOf);
    await tx.insertInto('audit').values(rows).execute();
  }
}

function rowOf({
  at,
  tokenId,
  action,
  target,
  address,
  admin,
  reason,
  details,
  requestId,
}: AuditEntry): AuditTable {
  const isOperator = tokenId === undefined && address === undefined && admin === undefined;
  const who = {
    ...(admin === undefined ? {} : { admin }),
    ...(isOperator ? { operator: operatorName() } : {}),
  };
  const told = { ...details, ...(reason === undefined ? {} : { reason }), ...who };
  return {
    id: newKey(),
    at,
    token_id: tokenId ?? null,
    action,
    target_kind: target.kind,
    target_key: target.key ?? null,
    address: address ?? null,
    details: JSON.stringify(told),
    request_id: requestId ?? null,
  };
}

const insertEntry = prepare((db, row: AuditTable) =>
  db
    .insertInto('audit')
    .values(
      columns(row, 'id at token_id action target_kind target_key address details request_id'),
    ),
);

/** By how much an id may be older than the time of its entry, after a clock was set back; ms. */
export const CLOCK_SLACK_MS = DAY_MS;

/** Returns an id lower than those of all entries about an instant or later. */
export function idBefore(at: Instant): string {
  return idOf(Math.max(0, at - CLOCK_SLACK_MS));
}

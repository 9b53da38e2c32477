import type { Kysely } from 'kysely';
import { operatorName } from '../../adapters/operator.ts';
import { idOf } from '../../store/partitions.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { AuditTable, Instant, Tables } from '../../store/tables/tables.ts';
import { eventOf, insertEvent } from '../events/record.ts';
import { newKey } from '../values/keys.ts';

/** An entry of the audit trail: who did what, on which record, from where and when. */
export interface AuditEntry {
  readonly at: Instant;
  /**
   * The id of the credential, never its text; `undefined` for a call without one and, together with `address`, where an
   * operator acted on the machine itself: then the details name the account.
   */
  readonly tokenId: string | undefined;
  /** `noun.verb`: `article.delete`, `token.revoke`. */
  readonly action: string;
  /** What was changed: the kind of record and its key. */
  readonly target: { readonly kind: string; readonly key: string | undefined };
  /** The observed address of the client; `undefined` where there was none. */
  readonly address: string | undefined;
  /** The name of the person who did it in the console; the details have it. */
  readonly admin?: string | undefined;
  /** What finds the call in the log; absent where there was none. */
  readonly requestId?: string | undefined;
  /** What else is worth knowing, such as an earlier value; never a secret, a code, a text or a body. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Who looks after what others wrote, or after the service: not by an operation of the contract. */
export interface Actor {
  /** The id of the token; `undefined` for a person. */
  readonly tokenId: string | undefined;
  /** The name of the person, by their session; `undefined` for a token. */
  readonly admin?: string | undefined;
  /** The observed address. */
  readonly address: string;
  /** What finds the request in the log. */
  readonly requestId?: string | undefined;
}

/** What an entry says of who did it; `undefined` is an operator on the machine itself. */
export function doneBy(actor: Actor | undefined): Pick<AuditEntry, 'tokenId' | 'address' | 'admin' | 'requestId'> {
  const { tokenId, address, admin, requestId } = actor ?? {};
  return { tokenId, address, admin, requestId };
}

/** Adds an entry to the audit trail, and the event for webhooks and streams, in the transaction of the change. */
export async function recordAudit(tx: Kysely<Tables>, entry: AuditEntry): Promise<void> {
  const row = rowOf(entry);
  const { id, at, action: type, target_kind: kind, target_key, request_id } = row;
  // The key of an address is the address.
  const key = kind === 'address' ? null : target_key;
  const event = eventOf({ id, at, type, kind, key, requestId: request_id });
  insertEntry.send(tx, row);
  insertEvent.send(tx, event);
}

/** As {@link recordAudit}, in a database of any version: with the columns that the trail has had from the first. */
export async function recordInAnyVersion(tx: Kysely<Tables>, entry: AuditEntry): Promise<void> {
  const { id, at, token_id, action, target_kind, target_key, address, details } = rowOf(entry);
  const row = { id, at, token_id, action, target_kind, target_key, address, details };
  await tx.insertInto('audit').values(row).execute();
}

/** Rows of nine values in one statement at most; SQLite takes 32,766 values. */
const BATCH = 500;

/**
 * Adds what a record told itself while it was there, in the transaction that removes it: who wrote it, from where, and
 * when, which is then earlier than now.
 */
export async function recordHistory(tx: Kysely<Tables>, entries: readonly AuditEntry[]): Promise<void> {
  for (let start = 0; start < entries.length; start += BATCH) {
    const rows = entries.slice(start, start + BATCH).map(rowOf);
    await tx.insertInto('audit').values(rows).execute();
  }
}

function rowOf({ at, tokenId, action, target, address, admin, details, requestId }: AuditEntry): AuditTable {
  const isOperator = tokenId === undefined && address === undefined && admin === undefined;
  const who = { ...(admin === undefined ? {} : { admin }), ...(isOperator ? { operator: operatorName() } : {}) };
  const told = { ...details, ...who };
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
  db.insertInto('audit').values({
    id: row.id,
    at: row.at,
    token_id: row.token_id,
    action: row.action,
    target_kind: row.target_kind,
    target_key: row.target_key,
    address: row.address,
    details: row.details,
    request_id: row.request_id,
  }),
);

/** An entry as operators see it. */
export interface AuditRecord extends Required<Omit<AuditEntry, 'admin'>> {
  /** UUIDv7. */
  readonly id: string;
}

/** Filters of entries; absent or `undefined` filters have no effect. */
export interface AuditFilter {
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
  /** A whole action, or the noun that actions begin with. */
  readonly action?: string | undefined;
  readonly targetKey?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly requestId?: string | undefined;
}

/**
 * A page of the trail, the last told first: by {@link recordHistory} things are told later than they were done.
 * @param after the id of the last entry of the page before.
 */
export async function listAudit(
  store: Store,
  { since, until, action, targetKey, tokenId, requestId }: AuditFilter,
  most: number,
  after?: string,
): Promise<AuditRecord[]> {
  const rows = await store.scan((db) =>
    db
      .selectFrom('audit')
      .selectAll()
      .$if(after !== undefined, (query) => query.where('id', '<', after!))
      .$if(since !== undefined, (query) => query.where('id', '>=', idBefore(since!)).where('at', '>=', since!))
      .$if(until !== undefined, (query) => query.where('at', '<=', until!))
      .$if(targetKey !== undefined, (query) => query.where('target_key', '=', targetKey!))
      .$if(tokenId !== undefined, (query) => query.where('token_id', '=', tokenId!))
      .$if(requestId !== undefined, (query) => query.where('request_id', '=', requestId!))
      .$if(action !== undefined, (query) =>
        query.where((eb) =>
          eb.or([
            eb('action', '=', action!),
            // Between "noun." and what sorts next.
            eb.and([eb('action', '>', `${action}.`), eb('action', '<', `${action}/`)]),
          ]),
        ),
      )
      .orderBy('id', 'desc')
      .limit(most)
      .execute(),
  );
  return rows.map(changeOf);
}

/** For how much a clock that was put back may make an id older than what its entry tells of; ms. */
export const CLOCK_SLACK_MS = 24 * 60 * 60 * 1000;

/** An id before those of all entries that tell of an instant or a later one: nothing is told before it is done. */
export function idBefore(at: Instant): string {
  return idOf(Math.max(0, at - CLOCK_SLACK_MS));
}

function changeOf({
  id,
  at,
  token_id,
  action,
  target_kind,
  target_key,
  address,
  details,
  request_id,
}: AuditTable): AuditRecord {
  return {
    id,
    at,
    tokenId: token_id ?? undefined,
    action,
    target: { kind: target_kind, key: target_key ?? undefined },
    address: address ?? undefined,
    details: JSON.parse(details),
    requestId: request_id ?? undefined,
  };
}

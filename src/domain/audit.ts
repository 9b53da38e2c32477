import type { Kysely } from 'kysely';
import { operatorName } from '../outside/operator.ts';
import { prepare } from '../store/prepared.ts';
import type { AuditTable, Instant, Tables } from '../store/tables.ts';
import { newKey } from './values/keys.ts';

/** One change, told so that an operator can answer who did what, on what, from where and when. */
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
  /** What else is worth knowing, such as an earlier value; never a secret, a code, a text or a body. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Adds a row to the audit trail, in the transaction of the change it tells of: neither is there without the other. */
export async function recordAudit(tx: Kysely<Tables>, entry: AuditEntry): Promise<void> {
  await insertEntry.run(tx, rowOf(entry));
}

/** Rows of eight values in one statement at most; SQLite takes 32,766 values. */
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

function rowOf({ at, tokenId, action, target, address, details }: AuditEntry): AuditTable {
  const told = tokenId === undefined && address === undefined ? { ...details, operator: operatorName() } : details;
  return {
    id: newKey(),
    at,
    token_id: tokenId ?? null,
    action,
    target_kind: target.kind,
    target_key: target.key ?? null,
    address: address ?? null,
    details: told === undefined ? '{}' : JSON.stringify(told),
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
  }),
);

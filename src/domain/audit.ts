import type { Kysely } from 'kysely';
import { prepare } from '../store/prepared.ts';
import type { AuditTable, Instant, Tables } from '../store/tables.ts';
import { newKey } from './values/keys.ts';

/** One change, told so that an operator can answer who did what, on what, from where and when. */
export interface AuditEntry {
  readonly at: Instant;
  /** The id of the credential, never its text; `undefined` where an operator acted on the machine itself. */
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
  await insertEntry.run(tx, {
    id: newKey(),
    at: entry.at,
    token_id: entry.tokenId ?? null,
    action: entry.action,
    target_kind: entry.target.kind,
    target_key: entry.target.key ?? null,
    address: entry.address ?? null,
    details: entry.details === undefined ? '{}' : JSON.stringify(entry.details),
  });
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

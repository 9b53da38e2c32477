import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { Scope } from '../../contract/parameters.ts';
import { say } from '../../contract/sentence.ts';
import type { Instant, Tables, TokensTable } from '../../store/tables/tables.ts';
import { type Actor, auditAct, lastAct } from '../audit/audit.ts';
import { canonicalTokenText, hashToken, newTokenText } from './token-text.ts';
import { checkTerms, columnsOf, insertHash, readScopes } from './tokens.ts';

/** The last instant that answers can show. */
const LAST_INSTANT = 253_402_300_799_999;

/** The replacement of a token. */
interface Rotated {
  readonly id: string;
  /** Not stored: show it once. */
  readonly text: string;
  /** When the old one expires. */
  readonly oldUntil: Instant;
}

/**
 * Creates a replacement for a token; the old one stays valid for a while. If the old one expires,
 * the new one gets the same lifetime.
 * @param overlap how long the old one stays valid; ms.
 * @param by who does it; `undefined` for an operator on the machine.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for a token that is no longer valid, or was
 *   replaced.
 */
export async function rotateToken(
  tx: Kysely<Tables>,
  id: string,
  overlap: number,
  at: Instant,
  by: Actor | undefined,
): Promise<Rotated> {
  const text = newTokenText();
  const old = await usable(tx, id, at);
  await assertNotReplaced(tx, old);
  const expiresAt =
    old.expires_at === null
      ? undefined
      : Math.min(at + (old.expires_at - old.created_at), LAST_INSTANT);
  const terms = {
    kind: old.kind,
    scopes: readScopes(old.scopes),
    userId: old.user_id ?? undefined,
    label: old.label,
    expiresAt,
  };
  const hash = hashToken(canonicalTokenText(text));
  const successor = (await insertHash(tx, hash, terms, at, 'token.create', by))!;
  const oldUntil = Math.min(old.expires_at ?? Number.POSITIVE_INFINITY, at + overlap);
  await tx.updateTable('tokens').set({ expires_at: oldUntil }).where('id', '=', id).execute();
  await auditAct(tx, 'token.rotate', id, at, by, {
    successor,
    until: new Date(oldUntil).toISOString(),
  });
  return { id: successor, text, oldUntil };
}

/**
 * Checks that no rotation has set when a token ends: a second one would take that for its
 * lifetime, and a token that was to
 * last for years would make one that ends tomorrow.
 */
async function assertNotReplaced(
  tx: Kysely<Tables>,
  { id, expires_at }: Pick<TokensTable, 'id' | 'expires_at'>,
): Promise<void> {
  if (expires_at === null) return;
  const rotation = await lastAct(tx, 'token.rotate', id);
  const { successor, until } = JSON.parse(rotation?.details ?? '{}');
  if (until !== new Date(expires_at).toISOString()) return;
  const message = say`The token ${{ id }} was replaced by ${{ successor }}; rotate that one, or first change when this one ends.`;
  throw new Ws01Error('InvalidParameter', message, { parameter: 'id' });
}

/** Changes of a token; absent ones are left unchanged. */
export interface TokenEdit {
  readonly scopes?: readonly Scope[] | undefined;
  readonly label?: string | undefined;
  /** `null`: never. */
  readonly expiresAt?: Instant | null | undefined;
}

/**
 * Changes the scopes, expiry or label of a token. Nodes that cache it follow within seconds.
 * @param by who does it; `undefined` for an operator on the machine.
 * @returns whether that changed anything.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for a token that is no longer valid, and for
 *   invalid terms.
 */
export async function editToken(
  tx: Kysely<Tables>,
  id: string,
  edit: TokenEdit,
  at: Instant,
  by: Actor | undefined,
): Promise<boolean> {
  const old = await usable(tx, id, at);
  const { scopes, label = old.label, expiresAt = old.expires_at } = edit;
  const terms = {
    kind: old.kind,
    userId: old.user_id ?? undefined,
    scopes: scopes ?? readScopes(old.scopes),
    label,
    expiresAt: expiresAt ?? undefined,
  };
  checkTerms(terms, at);
  const changed = columnsOf(terms);
  const [before, after] = [termsText(old), termsText(changed)];
  if (before === after) return false;
  await tx.updateTable('tokens').set(changed).where('id', '=', id).execute();
  await auditAct(tx, 'token.edit', id, at, by, { before, after });
  return true;
}

/** What an edit may change, for the audit trail. */
function termsText(row: Pick<TokensTable, 'scopes' | 'expires_at' | 'label'>): string {
  const until = row.expires_at === null ? 'never' : new Date(row.expires_at).toISOString();
  return [row.scopes, row.label, until].join('; ');
}

/** Returns the row of a valid token and locks it until the write ends. */
async function usable(tx: Kysely<Tables>, id: string, at: Instant): Promise<TokensTable> {
  // Two concurrent rotations are resolved here: PostgreSQL locks the row, too.
  await tx.updateTable('tokens').set({ id }).where('id', '=', id).execute();
  const row = await tx.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined)
    throw new Ws01Error('NotFound', say`There is no token with the id ${{ id }}.`, {
      parameter: 'id',
    });
  if (row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= at)) {
    throw new Ws01Error(
      'InvalidParameter',
      say`The token ${{ id }} does not work any more; make a new one.`,
      {
        parameter: 'id',
      },
    );
  }
  return row;
}

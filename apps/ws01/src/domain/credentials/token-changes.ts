import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { Scope } from '../../contract/parameters.ts';
import { say } from '../../contract/sentence.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables, TokensTable } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import { canonicalTokenText, hashToken, newTokenText } from './token-text.ts';
import {
  auditToken,
  checkTerms,
  columnsOf,
  insertHash,
  readScopes,
  summaryOf,
  type TokenSummary,
} from './tokens.ts';

/** The replacement of a token. */
interface Rotated {
  readonly id: string;
  /** Not stored: show it once. */
  readonly text: string;
  /** When the old one expires. */
  readonly oldUntil: Instant;
}

/**
 * Creates a replacement for a token; the old one stays valid for a while. If the old one expires, the new one gets the
 * same lifetime.
 * @param overlap how long the old one stays valid; ms.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for a token that is no longer valid.
 */
export async function rotateToken(
  store: Store,
  id: string,
  overlap: number,
  clock: Clock,
): Promise<Rotated> {
  const text = newTokenText();
  const at = clock();
  return store.write(async (tx) => {
    const old = await usable(tx, id, at);
    const expiresAt = old.expires_at === null ? undefined : at + (old.expires_at - old.created_at);
    const terms = {
      kind: old.kind,
      scopes: readScopes(old.scopes),
      userId: old.user_id ?? undefined,
      label: old.label,
    };
    const hash = hashToken(canonicalTokenText(text));
    const successor = (await insertHash(tx, hash, { ...terms, expiresAt }, at, 'token.create'))!;
    const oldUntil = Math.min(old.expires_at ?? Number.POSITIVE_INFINITY, at + overlap);
    await tx.updateTable('tokens').set({ expires_at: oldUntil }).where('id', '=', id).execute();
    await auditToken(tx, id, 'token.rotate', at, undefined, {
      successor,
      until: new Date(oldUntil).toISOString(),
    });
    return { id: successor, text, oldUntil };
  });
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
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for a token that is no longer valid, and for invalid terms.
 */
export async function editToken(
  store: Store,
  id: string,
  edit: TokenEdit,
  clock: Clock,
): Promise<TokenSummary> {
  const at = clock();
  return store.write(async (tx) => {
    const old = await usable(tx, id, at);
    const terms = {
      kind: old.kind,
      userId: old.user_id ?? undefined,
      scopes: edit.scopes ?? readScopes(old.scopes),
      label: edit.label ?? old.label,
      expiresAt:
        edit.expiresAt === undefined
          ? (old.expires_at ?? undefined)
          : (edit.expiresAt ?? undefined),
    };
    checkTerms(terms, at);
    const changed = columnsOf(terms);
    await tx.updateTable('tokens').set(changed).where('id', '=', id).execute();
    const shown = (row: Pick<TokensTable, 'scopes' | 'expires_at' | 'label'>) =>
      [
        row.scopes,
        row.label,
        row.expires_at === null ? 'never' : new Date(row.expires_at).toISOString(),
      ].join('; ');
    await auditToken(tx, id, 'token.edit', at, undefined, {
      before: shown(old),
      after: shown(changed),
    });
    return summaryOf({ ...old, ...changed });
  });
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

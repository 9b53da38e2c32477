import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { SCOPES, type Scope } from '../../contract/parameters.ts';
import { say } from '../../contract/sentence.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables, TokensTable } from '../../store/tables/tables.ts';
import type { WriteLimits } from '../../store/write-limits.ts';
import type { TokenAction } from '../audit/actions.ts';
import { type Actor, auditAct } from '../audit/audit.ts';
import type { Clock } from '../context.ts';
import { ensureUserExists } from '../users/users.ts';
import { newKey } from '../values/keys.ts';
import { canonicalTokenText, hashToken, newTokenText, oldHashesOf } from './token-text.ts';

/** The terms of a token. */
export interface TokenTerms {
  readonly kind: TokensTable['kind'];
  readonly scopes: readonly Scope[];
  /**
   * Canonical key. The bound user of a `user` token, which must have one; the default sender of the
   * others.
   */
  readonly userId?: string | undefined;
  /** Its name for people; one line, may be empty. */
  readonly label?: string | undefined;
  /** When it expires; absent: never. */
  readonly expiresAt?: Instant | undefined;
}

/** What lists show of a token. Its text is stored nowhere. */
export interface TokenSummary {
  readonly id: string;
  readonly label: string;
  readonly kind: TokensTable['kind'];
  readonly scopes: readonly Scope[];
  readonly userId: string | undefined;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | undefined;
  readonly revokedAt: Instant | undefined;
  /** To the hour. */
  readonly lastUsedAt: Instant | undefined;
}

/** An existing secret with its terms: its text, or its hash, so that nobody sees the secret. */
export type TokenImport = TokenTerms & ({ readonly text: string } | { readonly hash: Buffer });

/** An import of 100,000 tokens is one transaction. */
const IMPORT_LIMITS: WriteLimits = { workTimeout: 600_000 };

/** Maximum length of a label, in code points. */
const LABEL_CHARS = 100;

/**
 * Creates a token.
 * @param options `guid`: as a GUID (122 random bits), for applications that store their credential
 *   in one; `by`: who creates it, `undefined` for an operator on the machine.
 * @returns its id, and its text, which is not stored: show it once.
 * @throws {Ws01Error} `InvalidParameter` or `MissingParameter` for invalid terms.
 */
export async function issueToken(
  store: Store,
  terms: TokenTerms,
  clock: Clock,
  options: { readonly guid?: boolean; readonly by?: Actor } = {},
): Promise<{ readonly id: string; readonly text: string }> {
  const text = options.guid ? randomUUID() : newTokenText();
  const at = clock();
  checkTerms(terms, at);
  const id = await store.write((tx) =>
    insertToken(tx, canonicalTokenText(text), terms, at, 'token.create', options.by),
  );
  return { id: id!, text };
}

/**
 * Imports existing secrets, all or none. An unrevoked token on the same terms is left unchanged, so
 * an import can be repeated.
 * @param options `allowWeak`: allows 4 to 7 characters, which can be guessed.
 * @returns the ids of the tokens, in order, and how many are new.
 * @throws {Ws01Error} `AlreadyExists` for a token that is revoked or has other terms;
 *   `InvalidParameter` or `MissingParameter` for invalid terms.
 * @throws {TokenTextError} when a text cannot be a token.
 */
export async function importTokens(
  store: Store,
  imports: readonly TokenImport[],
  clock: Clock,
  options: { readonly allowWeak?: boolean } = {},
): Promise<{ readonly ids: readonly string[]; readonly added: number }> {
  const at = clock();
  const tokens = imports.map((token) => {
    checkTerms(token, at);
    const hash =
      'hash' in token ? token.hash : hashToken(canonicalTokenText(token.text, options.allowWeak));
    return { terms: token, hash };
  });
  return store.write(async (tx) => {
    const ids: string[] = [];
    let added = 0;
    for (const { terms, hash } of tokens) {
      const inserted = await insertHash(tx, hash, terms, at, 'token.import');
      added += inserted === undefined ? 0 : 1;
      ids.push(inserted ?? (await idOfSame(tx, hash, terms)));
    }
    return { ids, added };
  }, IMPORT_LIMITS);
}

/** Returns the token with a text, in any state; `undefined` if there is none. */
export async function findTokenByText(
  store: Store,
  text: string,
): Promise<TokenSummary | undefined> {
  const hashes = [hashToken(canonicalTokenText(text, true)), ...oldHashesOf(text.trim())];
  const row = await store.read((db) =>
    db.selectFrom('tokens').selectAll().where('hash', 'in', hashes).executeTakeFirst(),
  );
  return row && summaryOf(row);
}

/**
 * Revokes a token permanently. Repeating it has no effect. Nodes that cache it follow within
 * seconds.
 * @throws {Ws01Error} `NotFound` when there is no token with that id.
 */
export async function revokeToken(store: Store, id: string, clock: Clock): Promise<TokenSummary> {
  return store.write(async (tx) => {
    await markRevoked(tx, id, clock(), undefined);
    return summaryOf(
      await tx.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    );
  });
}

/**
 * Marks a token as revoked, inside a write.
 * @param by who did it; `undefined` for an operator on the machine.
 * @returns whether it was not revoked yet.
 * @throws {Ws01Error} `NotFound`
 */
export async function markRevoked(
  tx: Kysely<Tables>,
  id: string,
  at: Instant,
  by: Actor | undefined,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('tokens')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) {
    await auditAct(tx, 'token.revoke', id, at, by);
    return true;
  }
  const row = await tx.selectFrom('tokens').select('id').where('id', '=', id).executeTakeFirst();
  if (row !== undefined) return false;
  throw new Ws01Error('NotFound', say`There is no token with the id ${{ id }}.`, {
    parameter: 'id',
  });
}

/**
 * Inserts a token inside a write, with the user that it names.
 * @returns its id; `undefined` if the text is a token already.
 */
export async function insertToken(
  tx: Kysely<Tables>,
  canonicalText: string,
  terms: TokenTerms,
  at: Instant,
  action: TokenAction,
  by?: Actor,
): Promise<string | undefined> {
  return insertHash(tx, hashToken(canonicalText), terms, at, action, by);
}

/** As {@link insertToken}, by the SHA-256 of the text. */
export async function insertHash(
  tx: Kysely<Tables>,
  hash: Buffer,
  terms: TokenTerms,
  at: Instant,
  action: TokenAction,
  by?: Actor,
): Promise<string | undefined> {
  const id = newKey();
  if (terms.userId !== undefined) {
    await ensureUserExists(tx, terms.userId, at);
  }
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('tokens')
    .values({ id, hash, ...columnsOf(terms), created_at: at })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) {
    return undefined;
  }
  await auditAct(tx, action, id, at, by, { kind: terms.kind, scopes: terms.scopes.join(' ') });
  return id;
}

/** Returns a token's terms as columns. Scopes are in the order of the contract. */
export function columnsOf(
  terms: TokenTerms,
): Pick<TokensTable, 'label' | 'kind' | 'user_id' | 'scopes' | 'expires_at'> {
  return {
    label: terms.label ?? '',
    kind: terms.kind,
    user_id: terms.userId ?? null,
    scopes: SCOPES.filter((scope) => terms.scopes.includes(scope)).join(' '),
    expires_at: terms.expiresAt ?? null,
  };
}

/** Returns the scopes of a stored token, without those of newer code. */
export function readScopes(stored: string): Scope[] {
  const names = stored.split(' ');
  return SCOPES.filter((scope) => names.includes(scope));
}

export function checkTerms(
  { kind, scopes, userId, label = '', expiresAt }: TokenTerms,
  at: Instant,
): void {
  if (kind === 'user' && userId === undefined) {
    throw new Ws01Error('MissingParameter', 'A user token needs the user it is bound to.', {
      parameter: 'user',
    });
  }
  if (scopes.length === 0) {
    throw new Ws01Error(
      'MissingParameter',
      say`A token needs at least one scope of ${{ scopes: SCOPES.join(', ') }}.`,
      {
        parameter: 'scopes',
      },
    );
  }
  if ([...label].length > LABEL_CHARS || /\p{Cc}/u.test(label) || !label.isWellFormed()) {
    throw new Ws01Error(
      'InvalidParameter',
      say`The label must be one line of at most ${{ most: LABEL_CHARS }} characters.`,
      {
        parameter: 'label',
      },
    );
  }
  if (expiresAt !== undefined && expiresAt <= at) {
    throw new Ws01Error('InvalidParameter', 'The expiry must lie in the future.', {
      parameter: 'expiresAt',
    });
  }
}

/** Returns the id of the token that has the text of an import. */
async function idOfSame(tx: Kysely<Tables>, hash: Buffer, terms: TokenTerms): Promise<string> {
  const row = await tx
    .selectFrom('tokens')
    .selectAll()
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow();
  const { kind, scopes, user_id } = columnsOf(terms);
  if (
    row.revoked_at !== null ||
    row.kind !== kind ||
    row.scopes !== scopes ||
    row.user_id !== user_id
  ) {
    const state = row.revoked_at === null ? 'on other terms' : 'and was revoked';
    throw new Ws01Error(
      'AlreadyExists',
      say`The text is a token already, ${{ part: state }}: ${{ id: row.id }}.`,
      {
        parameter: 'text',
      },
    );
  }
  return row.id;
}

export function summaryOf(row: TokensTable): TokenSummary {
  return {
    id: row.id,
    label: row.label,
    kind: row.kind,
    scopes: readScopes(row.scopes),
    userId: row.user_id ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

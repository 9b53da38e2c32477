import { hash } from 'node:crypto';
import type { Scope } from '../../contract/parameters.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { type CacheUse, ShortMemory } from '../../turns/memory.ts';
import type { Caller, Clock } from '../context.ts';
import { assertNotBlocked } from '../users/blocked.ts';
import { assertTokenText, oldHashesOf, TokenTextError } from './token-text.ts';
import { readScopes } from './tokens.ts';

/** The data of a valid token. */
export interface KnownToken {
  readonly caller: Caller;
  /** Its name for people; may be empty. */
  readonly label: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly expiresAt: Instant | undefined;
  /** When its use was last recorded; maintained by `LastUse`. */
  lastUsedAt: Instant;
  /** The address of its last use that `LastUse` has noted, while it is remembered here. */
  notedFrom: string | undefined;
}

/** A revocation elsewhere takes effect within 5 s (semantics 3): this, plus a query in progress. */
const MAX_AGE_MS = 4_000;

const TOKENS = 10_000;

/**
 * A short-lived cache of valid tokens. It holds only hashes, so a memory dump contains no
 * credential, and no comparison leaks its text. Unknown texts are not cached, so a new token works
 * immediately.
 */
export class TokenCache {
  readonly #store: Store;
  readonly #known: ShortMemory<KnownToken>;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#known = new ShortMemory({ ageMs: MAX_AGE_MS, clock, most: TOKENS });
  }

  get use(): CacheUse {
    return this.#known.use;
  }

  /**
   * Returns the unrevoked token with a text; `undefined` if there is none. A promise only if the
   * database is queried; it rejects with `Forbidden` if the token's user is blocked.
   * @param canonicalText as `canonicalKey` returns it.
   * @param sent as it was sent, which is what an old site hashed.
   */
  find(canonicalText: string, sent: string): KnownToken | Promise<KnownToken | undefined> {
    const digest = hash('sha256', canonicalText);
    return this.#known.find(digest, async () => {
      if (!canBeToken(canonicalText)) return undefined;
      const own = Buffer.from(digest, 'hex');
      return (await findToken(this.#store, own)) ?? this.#findOld(own, sent.trim());
    });
  }

  /**
   * Returns the token whose hash an import brought from an old site, and replaces that hash by the
   * service's own.
   */
  async #findOld(own: Buffer, sent: string): Promise<KnownToken | undefined> {
    const rows = await this.#store.read((db) =>
      db
        .selectFrom('tokens')
        .select('hash')
        .where('hash', 'in', [own, ...oldHashesOf(sent)])
        .execute(),
    );
    // One with the own hash is revoked, or was stored meanwhile; it counts, also where its old hash
    // was imported again.
    if (rows.some(({ hash }) => own.equals(hash))) return findToken(this.#store, own);
    const [old] = rows;
    if (old === undefined || (await findToken(this.#store, old.hash)) === undefined)
      return undefined;
    // Where nothing can be written, the next use tries again.
    const upgrade = this.#store.write((tx) =>
      tx.updateTable('tokens').set({ hash: own }).where('hash', '=', old.hash).execute(),
    );
    await upgrade.catch(() => undefined);
    return (await findToken(this.#store, own)) ?? findToken(this.#store, old.hash);
  }

  /** Clears the cache, including queries in progress. */
  forget(): void {
    this.#known.forget();
  }
}

/** Whether a text can be a token; avoids queries for mistyped ones. */
function canBeToken(canonicalText: string): boolean {
  try {
    assertTokenText(canonicalText, true);
    return true;
  } catch (error) {
    if (error instanceof TokenTextError) {
      return false;
    }
    throw error;
  }
}

async function findToken(store: Store, digest: Uint8Array): Promise<KnownToken | undefined> {
  const row = await store.read((db) => usableToken.first(db, { hash: digest }));
  if (row?.kind === 'user') await store.read((db) => assertNotBlocked(db, row.user_id!));
  if (row === undefined) {
    return undefined;
  }
  return {
    caller: Object.freeze({ kind: row.kind, tokenId: row.id, userId: row.user_id ?? undefined }),
    label: row.label,
    scopes: new Set(readScopes(row.scopes)),
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? 0,
    notedFrom: undefined,
  };
}

const usableToken = prepare((db, key: { hash: Uint8Array }) =>
  db
    .selectFrom('tokens')
    .select(['id', 'label', 'kind', 'user_id', 'scopes', 'expires_at', 'last_used_at'])
    .where('hash', '=', key.hash)
    .where('revoked_at', 'is', null),
);

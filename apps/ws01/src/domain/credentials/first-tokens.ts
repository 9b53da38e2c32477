import type { Kysely } from 'kysely';
import { SCOPES } from '../../contract/parameters.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import { upsertRegistered } from '../users/users.ts';
import { canonicalTokenText, hashToken, newTokenText } from './token-text.ts';
import { columnsOf, insertToken, type TokenTerms } from './tokens.ts';

/** The registered user that is the default sender of the first tokens. */
export const FIRST_USER = 'ws01';

const FIRST_TERMS = {
  kind: 'service',
  scopes: SCOPES,
  userId: FIRST_USER,
} as const satisfies TokenTerms;

/**
 * Makes a text a service token with all scopes and a registered default sender (semantics 3,
 * `BOOTSTRAP_TOKEN`), whatever it was before. A token that was revoked stays revoked. Repeating it
 * changes nothing, and any number of nodes may do it at once.
 * @throws {TokenTextError} when the text cannot be a token.
 */
export async function ensureBootstrapToken(
  store: Store,
  text: string,
  clock: Clock,
): Promise<void> {
  const canonical = canonicalTokenText(text);
  const terms = { ...FIRST_TERMS, label: 'BOOTSTRAP_TOKEN' };
  await store.write(async (tx) => {
    const at = clock();
    await registerFirstUser(tx, at);
    const id = await insertToken(tx, canonical, terms, at, 'token.bootstrap');
    if (id === undefined) {
      await tx
        .updateTable('tokens')
        .set(columnsOf(terms))
        .where('hash', '=', hashToken(canonical))
        .where('revoked_at', 'is', null)
        .execute();
    }
  });
}

/**
 * Creates the first token of an installation. If several nodes start at once on an empty database,
 * one creates it.
 * @returns its text, which is not stored: show it once; `undefined` if there are tokens, even
 *   revoked ones.
 */
export async function ensureFirstToken(store: Store, clock: Clock): Promise<string | undefined> {
  if (await store.read(hasTokens)) {
    return undefined;
  }
  const text = newTokenText();
  return store.write(async (tx) => {
    const at = clock();
    // Writing the user's row makes the nodes wait for each other; the second one then finds the
    // first one's token.
    await registerFirstUser(tx, at);
    if (await hasTokens(tx)) {
      return undefined;
    }
    await insertToken(tx, text, { ...FIRST_TERMS, label: 'first token' }, at, 'token.first');
    return text;
  });
}

async function registerFirstUser(tx: Kysely<Tables>, at: Instant): Promise<void> {
  await upsertRegistered(tx, [{ id: FIRST_USER }], at);
}

async function hasTokens(db: Kysely<Tables>): Promise<boolean> {
  return (await db.selectFrom('tokens').select('id').limit(1).executeTakeFirst()) !== undefined;
}

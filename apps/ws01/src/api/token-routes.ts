import { SCOPES, type Scope } from '../contract/parameters.ts';
import { issueToken, markRevoked } from '../domain/credentials/tokens.ts';
import { optionalKey } from '../domain/values/keys.ts';
import { TOKEN_KINDS } from '../records/tokens.ts';
import type { TokensTable } from '../store/tables/tables.ts';
import { itemOf, itemSchema, readRow } from './kind.ts';
import { TOKENS } from './kinds.ts';
import type { Route } from './route.ts';
import { flag, instant, list, nullable, object, text, word } from './schema.ts';
import { actorOf, type Verb, type VerbDeps, verbRoute } from './verbs.ts';

/** Dependencies of the token routes. */
export interface TokenRouteDeps extends VerbDeps {
  /** Clears the credential cache, so that the next call reads the database. */
  readonly forgetTokens: () => void;
}

/** Routes to create, list and revoke tokens. */
export function tokenRoutes(deps: TokenRouteDeps): readonly Route[] {
  const revoke: Verb = {
    name: 'revoke',
    summary: 'Revoke it permanently; every node refuses it within 5 seconds',
    role: 'owner',
    act: (tx, { key, at, by }) => markRevoked(tx, key, at, by),
    done: deps.forgetTokens,
  };
  return [createRoute(deps), verbRoute(TOKENS, revoke, deps)];
}

function createRoute({ store, clock, shown }: TokenRouteDeps): Route {
  return {
    method: 'post',
    path: '/tokens',
    id: 'createToken',
    tag: 'tokens',
    summary: 'Make a token; the answer has its text, which is shown only now',
    role: 'owner',
    confirmed: true,
    body: object(
      {
        kind: word('Whom it may act for.', ...TOKEN_KINDS),
        scopes: list('What it may do.', word('', ...SCOPES), {
          minItems: 1,
          maxItems: SCOPES.length,
        }),
        userId: nullable(text('The bound user of a user token; the default sender of the others.')),
        label: text('What people call it.', { maxLength: 100 }),
        expiresAt: nullable(instant('When it stops working.')),
        guid: flag('Whether its text is to have the form of a GUID.'),
      },
      ['kind', 'userId', 'label', 'expiresAt', 'guid'],
    ),
    result: {
      ...object({ item: itemSchema(TOKENS), token: text('The text of the token: keep it.') }),
      title: 'NewToken',
    },
    status: 201,
    async run(call) {
      const { kind = 'service', scopes, userId, label, expiresAt, guid } = call.body;
      const terms = {
        kind: kind as TokensTable['kind'],
        scopes: scopes as readonly Scope[],
        userId: optionalKey((userId as string | null | undefined) ?? undefined, 'userId'),
        label: label as string | undefined,
        expiresAt: (expiresAt as number | null | undefined) ?? undefined,
      };
      const { id, text: secret } = await issueToken(store, terms, clock, {
        guid: guid === true,
        by: actorOf(call),
      });
      const row = await readRow(store, TOKENS, id);
      return { item: itemOf(TOKENS.fields, row, shown(call), call.principal, true), token: secret };
    },
  };
}

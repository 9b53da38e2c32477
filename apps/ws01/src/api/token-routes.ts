import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { SCOPES, type Scope } from '../contract/parameters.ts';
import { editToken, rotateToken, type TokenEdit } from '../domain/credentials/token-changes.ts';
import { issueToken, markRevoked } from '../domain/credentials/tokens.ts';
import { optionalKey } from '../domain/values/keys.ts';
import { TOKEN_KINDS } from '../records/tokens.ts';
import type { Tables, TokensTable } from '../store/tables/tables.ts';
import { itemOf, readRow } from './kind.ts';
import { itemSchema } from './kind-routes.ts';
import { TOKENS } from './kinds.ts';
import type { Route } from './route.ts';
import { flag, instant, list, nullable, object, text, type Values, word } from './schema.ts';
import {
  actorOf,
  secretRoute,
  type Verb,
  type VerbCall,
  type VerbDeps,
  verbRoute,
} from './verbs.ts';

/** Dependencies of the token routes. */
export interface TokenRouteDeps extends VerbDeps {
  /** Clears the credential cache, so that the next call reads the database. */
  readonly forgetTokens: () => void;
}

/** The terms of a token that an edit may change. */
const TERMS = {
  scopes: list('What it may do.', word('', ...SCOPES), { minItems: 1, maxItems: SCOPES.length }),
  label: nullable(text('What people call it.', { maxLength: 100 })),
  expiresAt: nullable(instant('When it stops working; null: never.')),
};

/** Reads the terms that a body has. */
function termsOf({ scopes, label, expiresAt }: Values): TokenEdit {
  return {
    scopes: scopes as readonly Scope[] | undefined,
    label: label === null ? '' : (label as string | undefined),
    expiresAt: expiresAt as number | null | undefined,
  };
}

/** How long the old token may stay valid after a rotation, as the command line writes it; ms. */
const OVERLAPS = new Map([
  ['0h', 0],
  ['1h', HOUR_MS],
  ['24h', DAY_MS],
  ['7d', 7 * DAY_MS],
  ['30d', 30 * DAY_MS],
]);

/** Routes to create, edit, rotate and revoke tokens. */
export function tokenRoutes(deps: TokenRouteDeps): readonly Route[] {
  const edit: Verb = {
    name: 'edit',
    method: 'patch',
    summary:
      'Change what it may do, until when, and its label; every node follows within 5 seconds',
    role: 'owner',
    confirmed: true,
    body: TERMS,
    act: (tx, { key, at, by, body }) => editToken(tx, key, termsOf(body), at, by),
    done: deps.forgetTokens,
  };
  const revoke: Verb = {
    name: 'revoke',
    summary: 'Revoke it permanently; every node refuses it within 5 seconds',
    role: 'owner',
    act: (tx, { key, at, by }) => markRevoked(tx, key, at, by),
    done: deps.forgetTokens,
  };
  return [
    createRoute(deps),
    verbRoute(TOKENS, edit, deps),
    rotateRoute(deps),
    verbRoute(TOKENS, revoke, deps),
  ];
}

function rotateRoute(deps: TokenRouteDeps): Route {
  const rotate = {
    id: 'rotateToken',
    tail: '/rotate',
    title: 'RotatedToken',
    summary:
      'Make a token in its place, with the same terms; the old one works on for a while, or ends now',
    body: {
      overlap: {
        ...word('How long the old one works on.', ...OVERLAPS.keys()),
        default: '24h',
      },
    },
    tells: {
      token: text('The text of the new token: keep it, it is shown only now.'),
      replacedBy: text('The key of the new token.'),
    },
    async act(tx: Kysely<Tables>, { key, by, at, body }: VerbCall) {
      const { overlap = '24h' } = body;
      const { id, text: token } = await rotateToken(
        tx,
        key,
        OVERLAPS.get(String(overlap))!,
        at,
        by,
      );
      return { token, replacedBy: id };
    },
    done: deps.forgetTokens,
  };
  return secretRoute(TOKENS, rotate, deps);
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
        // What one knows comes first.
        ...{ label: TERMS.label },
        kind: word('Whom it may act for.', ...TOKEN_KINDS),
        userId: nullable(text('The bound user of a user token; the default sender of the others.')),
        ...TERMS,
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
      const { kind = 'service', userId, guid } = call.body;
      const { scopes = [], label, expiresAt } = termsOf(call.body);
      const terms = {
        kind: kind as TokensTable['kind'],
        userId: optionalKey((userId as string | null | undefined) ?? undefined, 'userId'),
        ...{ scopes, label, expiresAt: expiresAt ?? undefined },
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

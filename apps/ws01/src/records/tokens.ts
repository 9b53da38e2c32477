import { sql } from 'kysely';
import { LENGTHS, SCOPES } from '../contract/parameters.ts';
import type { Instant, TokenNetworksTable, TokensTable } from '../store/tables/tables.ts';
import { byText, createdBetweenKeys } from './conditions.ts';
import { tokensOf } from './persons.ts';
import { EMPTY, type Listing, member, REQUIRED, type Travelling, worked } from './record.ts';
import * as types from './types.ts';

export const TOKEN_KINDS = ['service', 'user', 'admin'] as const;

const STATES = ['active', 'revoked', 'expired'] as const;

function stateOf({ revoked_at, expires_at }: TokensTable, now: Instant): (typeof STATES)[number] {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= now ? 'expired' : 'active';
}

const KIND = types.word(...TOKEN_KINDS);

/** Credentials, by their hashes: the text of one is stored nowhere. */
export const TOKENS = {
  table: 'tokens',
  name: 'tokens',
  title: 'Token',
  private: true,
  key: 'id',
  members: {
    id: member('id', types.key, 'The key of the token; its text is nowhere.', REQUIRED),
    hash: member(
      'hash',
      types.hex(16, 20, 32),
      'SHA-256 of its text; of an old site’s secret MD5, SHA-1 or SHA-256, until it is used.',
      { ...REQUIRED, internal: true },
    ),
    label: member('label', types.line(LENGTHS.name), 'What people call it; may be empty.', EMPTY),
    kind: member('kind', KIND, 'Whom it may act for.', { absent: 'service' }),
    scopes: member('scopes', types.words(SCOPES), 'What it may do.', REQUIRED),
    userId: member(
      'user_id',
      types.key,
      'The bound user of a user token; the default sender of the others.',
    ),
    state: worked(types.word(...STATES), 'Whether it works.', (row, { now }) => stateOf(row, now)),
    createdAt: member('created_at', types.instant, 'When it was made.', REQUIRED),
    expiresAt: member('expires_at', types.endOf, 'When it stops working.'),
    revokedAt: member('revoked_at', types.instant, 'Revoked since then.'),
    lastUsedAt: member('last_used_at', types.instant, 'When it was used last, to the hour.', {
      changes: true,
    }),
  },
  layout: {
    columns: ['label', 'kind', 'scopes', 'lastUsedAt', 'revokedAt'],
    called: ['label', 'id'],
  },
  orders: { created: byText('tokens.id') },
  sort: '-created',
  filters: {
    kind: {
      about: 'Only those of this kind.',
      type: KIND,
      exact: 'each',
      condition: (value) => ({ sql: sql<boolean>`tokens.kind = ${value}`, indexed: false }),
    },
    revoked: {
      about: 'Only those that are revoked, or that are not.',
      type: types.flag,
      exact: 'each',
      condition: (value) => ({
        sql:
          value === true
            ? sql<boolean>`tokens.revoked_at is not null`
            : sql<boolean>`tokens.revoked_at is null`,
        indexed: false,
      }),
    },
    ...createdBetweenKeys('tokens.id'),
  },
  searched: ['label', 'id', 'userId'],
  portable: {
    file: 'tokens',
    about: 'Credentials, by their hashes: the text of one is stored nowhere.',
    key: ['id'],
  },
  personal: { of: ({ id }) => sql<boolean>`user_id = ${id}`, fate: 'deleted' },
} as const satisfies Listing<TokensTable> & Travelling<TokensTable>;

/** Networks that tokens were used from. */
export const TOKEN_NETWORKS = {
  table: 'token_networks',
  members: {
    tokenId: member('token_id', types.key, 'Key of the token.', REQUIRED),
    network: member('network', types.line(64), 'IPv4 /24 or IPv6 /48.', REQUIRED),
    usedAt: member('used_at', types.instant, 'Last used, to the day.', {
      ...REQUIRED,
      changes: true,
    }),
  },
  portable: {
    file: 'token-networks',
    about: 'Networks that tokens were used from: guesses from elsewhere do not slow these down.',
    key: ['token_id', 'network'],
  },
  personal: { of: (person) => sql<boolean>`token_id in (${tokensOf(person)})`, fate: 'deleted' },
} as const satisfies Travelling<TokenNetworksTable>;

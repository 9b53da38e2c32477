import { sql } from 'kysely';
import { readScopes } from '../../domain/credentials/tokens.ts';
import { canonicalKey } from '../../domain/values/keys.ts';
import type { TokensTable } from '../../store/tables/tables.ts';
import { at, column, type Fields, type Kind } from '../kind.ts';
import { flag, instant, list, nullable, text, word } from '../schema.ts';
import { createdBetweenKeys } from './shared.ts';

type TokenRow = Omit<TokensTable, 'hash'>;

export const TOKEN_KINDS = ['service', 'user', 'admin'] as const;

const fields: Fields<TokenRow> = {
  id: column(text('The key of the token; its text is nowhere.'), 'id'),
  label: column(text('What people call it; may be empty.'), 'label'),
  kind: column(word('Whom it may act for.', ...TOKEN_KINDS), 'kind'),
  scopes: { schema: list('What it may do.', text('')), of: ({ scopes }) => readScopes(scopes) },
  userId: column(
    nullable(text('The bound user of a user token; the default sender of the others.')),
    'user_id',
  ),
  createdAt: at(instant('When it was made.'), 'created_at'),
  expiresAt: at(nullable(instant('When it stops working.')), 'expires_at'),
  revokedAt: at(nullable(instant('Revoked since then.')), 'revoked_at'),
  lastUsedAt: at(nullable(instant('When it was used last, to the hour.')), 'last_used_at'),
};

export const TOKENS: Kind<TokenRow> = {
  name: 'tokens',
  title: 'Token',
  private: true,
  key: { name: 'id', column: 'tokens.id', canonical: canonicalKey },
  from: 'tokens',
  columns:
    'tokens.id, label, kind, user_id, scopes, created_at, expires_at, revoked_at, last_used_at',
  orders: { created: [{ sql: 'tokens.id', type: 'string' }] },
  sort: '-created',
  filters: {
    kind: {
      schema: word('Only those of this kind.', ...TOKEN_KINDS),
      condition: (value) => ({ sql: sql<boolean>`tokens.kind = ${value}`, indexed: false }),
    },
    revoked: {
      schema: flag('Only those that are revoked, or that are not.'),
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
  search: {
    description: 'Only those with these words in label, key or user.',
    members: {
      label: 'tokens.label',
      id: 'tokens.id',
      userId: 'tokens.user_id',
    },
  },
  fields,
};

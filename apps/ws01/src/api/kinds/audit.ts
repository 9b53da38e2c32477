import { sql } from 'kysely';
import { canonicalKey } from '../../domain/values/keys.ts';
import type { AuditTable } from '../../store/tables/tables.ts';
import { at, column, equals, type Fields, type Kind } from '../kind.ts';
import { instant, map, nullable, text } from '../schema.ts';
import { createdBetweenKeys } from './shared.ts';

/**
 * Frequent actions, which a scan finds quickly without an index. The other actions have a partial index, so its
 * condition is repeated here.
 */
const MANY: ReadonlySet<string> = new Set([
  'article.create',
  'article.replace',
  'advert.create',
  'image.create',
]);
const OF_FEW = sql<boolean>`audit.action not in ('article.create', 'article.replace', 'advert.create', 'image.create')`;

/**
 * What was done to content, and who was blocked. The details of all else tell of persons, accounts and the installation:
 * the earlier name of a user, the phone of a code, a suppressed address.
 */
const OPEN_AUDIT = sql<boolean>`(audit.target_kind in ('article', 'advert', 'image', 'review', 'link')
  or audit.action in ('user.block', 'user.unblock'))`;

const fields: Fields<AuditTable> = {
  id: column(text('The key of the entry.'), 'id'),
  at: at(instant('When it was done.'), 'at'),
  action: column(text('What was done: `article.create`.'), 'action'),
  targetKind: column(text('The kind of what was changed.'), 'target_kind'),
  targetKey: column(nullable(text('The key of what was changed.')), 'target_key'),
  tokenId: {
    ...column<AuditTable>(nullable(text('The token of the call.')), 'token_id'),
    private: true,
  },
  requestId: column(
    nullable(text('Finds the call in the log, and what else it did.')),
    'request_id',
  ),
  address: column(nullable(text('The observed address of the client.')), 'address'),
  details: {
    schema: map('What else is worth knowing: an earlier value, the operator, the admin.', {
      type: ['string', 'null'],
    }),
    of: ({ details }) => textsOf(JSON.parse(details)),
  },
};

/** Returns the values as texts, so that clients need not handle each type. */
function textsOf(details: Record<string, unknown>): Record<string, string | null> {
  const entries = Object.entries(details).map(
    ([name, value]) => [name, value === null ? null : String(value)] as const,
  );
  return Object.fromEntries(entries);
}

export const AUDIT: Kind<AuditTable> = {
  name: 'audit',
  title: 'AuditEntry',
  key: { name: 'id', column: 'audit.id', canonical: canonicalKey },
  from: 'audit',
  columns: 'audit.id, at, token_id, action, target_kind, target_key, address, details, request_id',
  orders: { created: [{ sql: 'audit.id', type: 'string' }] },
  sort: '-created',
  others: [
    { private: true, rows: OPEN_AUDIT },
    { role: 'owner', rows: sql<boolean>`audit.action not in ('user.hold', 'user.release')` },
  ],
  filters: {
    targetKey: equals(
      text('Only what was done to the record with this key.'),
      'audit.target_key',
      canonicalKey,
    ),
    requestId: equals(text('Only what this call did.'), 'audit.request_id'),
    action: {
      schema: text('Only this action.', { maxLength: 64 }),
      condition: (action) => {
        const isIt = sql<boolean>`audit.action = ${action}`;
        return MANY.has(String(action))
          ? { sql: isIt, indexed: false }
          : { sql: sql<boolean>`${OF_FEW} and ${isIt}`, indexed: true };
      },
    },
    tokenId: {
      schema: text('Only what this token did.'),
      condition: (token) => ({
        sql: sql<boolean>`audit.token_id = ${canonicalKey(String(token))}`,
        indexed: false,
      }),
    },
    ...createdBetweenKeys('audit.id'),
  },
  search: {
    description: 'Only those with these words in action, target, token, address or details.',
    members: {
      action: 'audit.action',
      targetKey: 'audit.target_key',
      tokenId: 'audit.token_id',
      address: 'audit.address',
      details: 'audit.details',
    },
  },
  fields,
};

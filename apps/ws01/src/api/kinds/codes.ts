import { sql } from 'kysely';
import { canonicalKey } from '../../domain/values/keys.ts';
import type { AuditTable } from '../../store/tables/tables.ts';
import { at, column, equals, type Fields, type Kind } from '../kind.ts';
import { instant, integer, nullable, text, word } from '../schema.ts';
import { createdBetweenKeys } from './shared.ts';

/** The steps of a verification code, by their actions in the audit trail. */
const CODE_STEPS = {
  'code.create': 'created',
  'code.attempt': 'attempted',
  'code.verify': 'verified',
} as const;

/** Written exactly as in the index. */
const IS_CODE = sql<boolean>`substr(audit.action, 1, 5) = 'code.'`;

const detail = (name: string) => (row: AuditTable) => JSON.parse(row.details)[name] ?? null;

const fields: Fields<AuditTable> = {
  id: column(text('The key of the step.'), 'id'),
  at: at(instant('When it was taken.'), 'at'),
  step: {
    schema: word('What was done.', ...Object.values(CODE_STEPS)),
    of: ({ action }) => CODE_STEPS[action as keyof typeof CODE_STEPS],
  },
  userId: column(
    nullable(text('Whose code; null for one that belongs to its number alone.')),
    'target_key',
  ),
  phone: {
    schema: nullable(text('The number, all but its last digits hidden.')),
    of: detail('phone'),
  },
  attempt: {
    schema: nullable(integer('Which attempt it was; null for the other steps.')),
    of: detail('attempt'),
  },
  tokenId: column(nullable(text('The token of the call.')), 'token_id'),
  address: column(nullable(text('The observed address of the client.')), 'address'),
};

/** Steps of verification codes. The code itself is not stored. */
export const CODES: Kind<AuditTable> = {
  name: 'codes',
  title: 'CodeStep',
  private: true,
  key: { name: 'id', column: 'audit.id', canonical: canonicalKey },
  from: 'audit',
  columns: 'audit.id, at, token_id, action, target_kind, target_key, address, details',
  always: { sql: IS_CODE, indexed: true },
  orders: { created: [{ sql: 'audit.id', type: 'string' }] },
  sort: '-created',
  filters: {
    userId: equals(text('Only those of this user.'), 'audit.target_key', canonicalKey),
    step: {
      schema: word('Only these steps.', ...Object.values(CODE_STEPS)),
      condition: (step) => {
        const [action] = Object.entries(CODE_STEPS).find(([, name]) => name === step)!;
        return { sql: sql<boolean>`audit.action = ${action}`, indexed: false };
      },
    },
    ...createdBetweenKeys('audit.id'),
  },
  fields,
};

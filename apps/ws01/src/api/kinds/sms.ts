import { canonicalKey } from '../../domain/values/keys.ts';
import type { OutboxTable, SmsTable } from '../../store/tables/tables.ts';
import { at, column, equals, type Fields, type Kind } from '../kind.ts';
import { instant, nullable, text } from '../schema.ts';
import { OUTBOX_COLUMNS, outboxFields, stateFilter } from './outbox.ts';
import { createdBetweenKeys } from './shared.ts';

type SmsRow = Omit<SmsTable, 'sealed'> &
  Pick<OutboxTable, 'state' | 'attempts' | 'due_at' | 'finished_at' | 'last_reply'>;

const fields: Fields<SmsRow> = {
  id: column(text('The verification id.'), 'id'),
  userId: {
    schema: nullable(text('Whose code; null for nobody yet.')),
    of: ({ user_id }) => user_id || null,
  },
  phone: column(text('In normal form.'), 'phone'),
  ...outboxFields<SmsRow>(),
  expiresAt: at(instant('When the code in it is worth nothing any more.'), 'expires_at'),
  createdAt: at(instant('When it was asked for.'), 'created_at'),
};

export const SMS: Kind<SmsRow> = {
  name: 'sms',
  title: 'Sms',
  private: true,
  key: { name: 'id', column: 'sms.id', canonical: canonicalKey },
  from: 'sms',
  lookUp: { table: 'outbox', on: 'outbox.id = sms.id' },
  columns: `sms.id, sms.user_id, sms.phone, sms.expires_at, sms.created_at, ${OUTBOX_COLUMNS}`,
  orders: { created: [{ sql: 'sms.id', type: 'string' }] },
  sort: '-created',
  filters: {
    phone: equals(text('Only those to this number, in normal form.'), 'sms.phone'),
    userId: equals(text('Only those of this user.'), 'sms.user_id', canonicalKey),
    status: stateFilter('sms', 'sms'),
    ...createdBetweenKeys('sms.id', 'outbox.id'),
  },
  search: {
    description: 'Only those with these words in number, user or key.',
    members: {
      phone: 'sms.phone',
      userId: 'sms.user_id',
      id: 'sms.id',
    },
  },
  fields,
};

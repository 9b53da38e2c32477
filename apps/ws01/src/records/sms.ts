import { isAssigned, normalizePhone } from '../domain/values/phone.ts';
import type { OutboxTable, SmsTable } from '../store/tables/tables.ts';
import { DELIVERY, deliveryFilter } from './common.ts';
import { byText, createdBetweenKeys } from './conditions.ts';
import { byNumber, LAST_OF_USER } from './persons.ts';
import { type Listing, member, REQUIRED, worked } from './record.ts';
import * as types from './types.ts';

type SmsRow = SmsTable &
  Pick<OutboxTable, 'state' | 'attempts' | 'due_at' | 'finished_at' | 'last_reply'>;

/** A number that is looked for as it is stored; what is no number is looked for as it is. */
const NUMBER = { ...types.text(), canonical: wholeNumber };

function wholeNumber(text: string): string {
  try {
    return normalizePhone(text, 'phone') ?? text;
  } catch {
    return text;
  }
}

/** Text messages with verification codes, without their texts. */
export const SMS = {
  table: 'sms',
  name: 'sms',
  title: 'Sms',
  private: true,
  key: 'id',
  members: {
    id: member('id', types.key, 'The verification id.', REQUIRED),
    userId: member('user_id', types.key, 'Whose code; null for nobody yet.', {
      ...{ absent: '', nullable: true },
      of: ({ user_id }) => user_id || null,
    }),
    phone: member('phone', NUMBER, 'In normal form.', { ...REQUIRED, isPhone: true }),
    isAssigned: worked(
      types.flag,
      'Whether a country has given out numbers like it; any other is sent one message in 30 days.',
      ({ phone }) => isAssigned(phone),
    ),
    ...DELIVERY,
    expiresAt: member(
      'expires_at',
      types.instant,
      'When the code in it is worth nothing any more.',
      REQUIRED,
    ),
    createdAt: member('created_at', types.instant, 'When it was asked for.', REQUIRED),
    requestId: member('request_id', types.text(), 'Finds the call in the log.'),
  },
  lookUp: { table: 'outbox', on: 'outbox.id = sms.id' },
  layout: { columns: ['phone', 'status', 'userId', 'createdAt'], called: ['phone', 'id'] },
  orders: { created: byText('sms.id') },
  sort: '-created',
  filters: {
    phone: 'Only those to this number, in any writing with the code of its country.',
    userId: 'Only those of this user.',
    status: deliveryFilter('sms', 'sms'),
    ...createdBetweenKeys('sms.id', 'outbox.id'),
  },
  searched: ['phone', 'userId', 'id'],
  personal: { of: byNumber, fate: 'deleted', order: LAST_OF_USER },
} as const satisfies Listing<SmsRow>;

import { sql } from 'kysely';
import { addressKey } from '../../domain/mail/rows.ts';
import { canonicalKey } from '../../domain/values/keys.ts';
import type { MailSuppressionsTable, MailsTable, OutboxTable } from '../../store/tables/tables.ts';
import { at, column, equals, type Fields, type Kind } from '../kind.ts';
import { instant, nullable, text, word } from '../schema.ts';
import { OUTBOX_COLUMNS, outboxFields, stateFilter } from './outbox.ts';
import { createdBetweenKeys } from './shared.ts';

type MailRow = MailsTable &
  Pick<OutboxTable, 'state' | 'attempts' | 'due_at' | 'finished_at' | 'last_reply'>;

const fields: Fields<MailRow> = {
  id: column(text('The key, as SendEmail answers it.'), 'id'),
  sender: column(text('The registered user whom it is from.'), 'sender'),
  receiverName: column(text('May be empty.'), 'receiver_name'),
  receiverEmail: column(text(''), 'receiver_email'),
  subject: column(text(''), 'subject'),
  body: { ...column<MailRow>(text('Text or HTML.'), 'body'), detail: true, role: 'owner' },
  replyName: column(nullable(text('The name of the sender at that time.')), 'reply_name'),
  replyTo: column(nullable(text('Where answers go.')), 'reply_to'),
  messageId: column(text('The same each time it is sent.'), 'message_id'),
  ...outboxFields<MailRow>(),
  createdAt: at(instant('When it was asked for.'), 'created_at'),
  tokenId: column(nullable(text('The token that asked for it.')), 'token_id'),
  requestId: column(nullable(text('Finds the call in the log.')), 'request_id'),
  ip: column(text('The observed address of the client that asked for it.'), 'ip'),
};

export const MAILS: Kind<MailRow> = {
  name: 'mails',
  title: 'Mail',
  private: true,
  key: { name: 'id', column: 'mails.id', canonical: canonicalKey },
  from: 'mails',
  lookUp: { table: 'outbox', on: 'outbox.id = mails.id' },
  columns: `mails.id, mails.sender, mails.token_id, mails.ip, mails.receiver_name, mails.receiver_email, mails.subject,
    mails.request_id, mails.reply_name, mails.reply_to, mails.message_id, mails.created_at, ${OUTBOX_COLUMNS}`,
  detailColumns: 'mails.body',
  orders: { created: [{ sql: 'mails.id', type: 'string' }] },
  sort: '-created',
  filters: {
    receiverEmail: equals(text('Only those to this address.'), 'mails.receiver_key', (to) =>
      addressKey(to.trim()),
    ),
    sender: {
      schema: text('Only those from this user.'),
      condition: (value) => ({
        sql: sql<boolean>`mails.sender = ${canonicalKey(String(value))}`,
        indexed: true,
        order: [
          { sql: 'mails.created_at', type: 'number' },
          { sql: 'mails.id', type: 'string' },
        ],
      }),
    },
    status: stateFilter('mail', 'mails'),
    ...createdBetweenKeys('mails.id', 'outbox.id'),
  },
  search: {
    description:
      'Only those with these words in subject, recipient, sender, key, Message-ID or address of the client.',
    members: {
      subject: 'mails.subject',
      receiverName: 'mails.receiver_name',
      receiverEmail: 'mails.receiver_email',
      sender: 'mails.sender',
      id: 'mails.id',
      messageId: 'mails.message_id',
      ip: 'mails.ip',
    },
  },
  fields,
};

export const SUPPRESSIONS: Kind<MailSuppressionsTable> = {
  name: 'suppressions',
  title: 'Suppression',
  private: true,
  key: {
    name: 'address',
    column: 'mail_suppressions.address',
    canonical: (to) => addressKey(to.trim()),
  },
  from: 'mail_suppressions',
  columns: 'mail_suppressions.address, reason, detail, mail_id, created_at',
  orders: { address: [{ sql: 'mail_suppressions.address', type: 'string' }] },
  sort: 'address',
  filters: {},
  search: {
    description: 'Only those with these words in the address or the note.',
    members: {
      address: 'mail_suppressions.address',
      detail: 'mail_suppressions.detail',
    },
  },
  fields: {
    address: column(text('Nothing is sent to it.'), 'address'),
    reason: column(word('Why.', 'bounce', 'manual'), 'reason'),
    detail: column(text("The server's reply, or a note; may be empty."), 'detail'),
    mailId: column(nullable(text('The mail that bounced.')), 'mail_id'),
    createdAt: at(instant('Since when.'), 'created_at'),
  },
};

import { sql } from 'kysely';
import { LENGTHS } from '../contract/parameters.ts';
import { addressKey } from '../domain/values/email-address.ts';
import type {
  MailRepeatsTable,
  MailSuppressionsTable,
  MailsTable,
  OutboxTable,
} from '../store/tables/tables.ts';
import { words } from '../store/words.ts';
import { DELIVERY, deliveryFilter } from './common.ts';
import { byText, createdBetweenKeys, equals } from './conditions.ts';
import { mailsOf, ofMailboxes, textsOf } from './persons.ts';
import { EMPTY, type Listing, MADE, member, REQUIRED, type Travelling } from './record.ts';
import * as types from './types.ts';

type MailRow = MailsTable &
  Pick<OutboxTable, 'state' | 'attempts' | 'due_at' | 'finished_at' | 'last_reply'>;

/** An address of mail; it is compared by its key. */
const ADDRESS: types.MemberType = {
  ...types.line(320),
  canonical: (to) => addressKey(to.trim()),
};

/** Mails, as they were asked for. */
export const MAILS = {
  table: 'mails',
  name: 'mails',
  title: 'Mail',
  private: true,
  key: 'id',
  members: {
    id: member('id', types.key, 'The key, as SendEmail answers it.', REQUIRED),
    sender: member(
      'sender',
      types.key,
      'The registered user whom it is from; of a notice of the service, whom it is to.',
      REQUIRED,
    ),
    receiverName: member('receiver_name', types.line(LENGTHS.name), 'May be empty.', EMPTY),
    receiverEmail: member('receiver_email', types.line(320), 'Address of the recipient.', REQUIRED),
    subject: member('subject', types.line(LENGTHS.subject), 'Subject.', EMPTY),
    body: member('body', types.text(LENGTHS.mailBody), 'Text or HTML.', {
      ...EMPTY,
      detail: true,
      role: 'owner',
    }),
    replyName: member(
      'reply_name',
      types.line(LENGTHS.name),
      'The name of the sender at that time.',
    ),
    replyTo: member('reply_to', types.line(320), 'Where answers go.'),
    messageId: member('message_id', types.line(998), 'The same each time it is sent.', MADE),
    ...DELIVERY,
    createdAt: member('created_at', types.instant, 'When it was asked for.', REQUIRED),
    tokenId: member('token_id', types.key, 'The token that asked for it.'),
    requestId: member('request_id', types.text(), 'Finds the call in the log.', {
      portable: false,
    }),
    ip: member('ip', types.address, 'The observed address of the client that asked for it.', EMPTY),
    noticeKey: member('notice_key', types.line(64), 'By which a report of it is believed.', {
      internal: true,
    }),
  },
  lookUp: { table: 'outbox', on: 'outbox.id = mails.id' },
  layout: {
    columns: ['subject', 'status', 'receiverEmail', 'sender', 'createdAt'],
    called: ['subject', 'id'],
  },
  orders: { created: byText('mails.id') },
  sort: '-created',
  filters: {
    receiverEmail: equals('Only those to this address.', 'mails.receiver_key', ADDRESS.canonical),
    sender: 'Only those from this user.',
    status: deliveryFilter('mail', 'mails'),
    ...createdBetweenKeys('mails.id', 'outbox.id'),
  },
  searched: ['subject', 'receiverName', 'receiverEmail', 'sender', 'id', 'messageId', 'ip'],
  portable: {
    file: 'mails',
    about: 'Mails as they were asked for. `messageId` has angle brackets.',
    key: ['id'],
  },
  personal: {
    of: ({ id, emails }) =>
      sql<boolean>`(sender = ${id} or ${ofMailboxes('receiver_key', emails)})`,
    fate: 'deleted',
  },
} as const satisfies Listing<MailRow> & Travelling<MailRow>;

/** How far mails are, for the portable format; answers have it with the mail. */
export const DELIVERIES = {
  table: 'outbox',
  members: {
    id: member('id', types.key, 'Key of the mail.', REQUIRED),
    status: member(
      'state',
      types.word(...words('queued sent deferred bounced failed cancelled suppressed kept')),
      'The state; a mail that is being sent is `queued`.',
      { ...REQUIRED, portable: 'state' },
    ),
    attempts: member('attempts', types.count, 'How often it was tried.', { absent: 0 }),
    deferrals: member('deferrals', types.count, 'How often it was put off.', { absent: 0 }),
    createdAt: member('created_at', types.instant, 'When it was asked for.', REQUIRED),
    nextAttemptAt: member('due_at', types.instant, 'When it is to be tried.', {
      portable: 'dueAt',
    }),
    giveUpAt: member('give_up_at', types.instant, 'Given up then.', MADE),
    lastReply: member('last_reply', types.text(), 'What the server said last.'),
    finishedAt: member('finished_at', types.instant, 'When it was over.'),
  },
  portable: {
    file: 'deliveries',
    about: 'The states of mails. Without this file, mails count as sent at their request.',
    key: ['id'],
  },
  personal: {
    of: (person) => sql<boolean>`(id in (${mailsOf(person)}) or id in (${textsOf(person)}))`,
    fate: 'deleted',
  },
} as const satisfies Travelling<OutboxTable>;

/** Calls that are recognised when they come again. */
export const MAIL_REPEATS = {
  table: 'mail_repeats',
  members: {
    hash: member('hash', types.hex(32), 'Over all that the call said.', REQUIRED),
    mailId: member('mail_id', types.key, 'Key of the mail.', REQUIRED),
    until: member('until', types.instant, 'Recognised until then.', REQUIRED),
  },
  portable: {
    file: 'mail-repeats',
    about: 'Calls that are recognised when they come again.',
    key: ['hash'],
  },
  personal: {
    of: (person) => sql<boolean>`mail_id in (${mailsOf(person)})`,
    found: false,
    fate: 'deleted',
    given: false,
  },
} as const satisfies Travelling<MailRepeatsTable>;

/** Addresses that nothing is sent to. */
export const SUPPRESSIONS = {
  table: 'mail_suppressions',
  name: 'suppressions',
  title: 'Suppression',
  private: true,
  key: 'address',
  members: {
    address: member('address', ADDRESS, 'Nothing is sent to it.', REQUIRED),
    reason: member(
      'reason',
      types.word('bounce', 'complaint', 'unsubscribed', 'manual'),
      'Why: a bounce, a complaint of its reader, by its reader, or by an operator.',
      { absent: 'manual' },
    ),
    detail: member('detail', types.text(), "The server's reply, or a note; may be empty.", EMPTY),
    mailId: member('mail_id', types.key, 'The mail that it is about.'),
    createdAt: member('created_at', types.instant, 'Since when.', REQUIRED),
  },
  layout: { columns: ['address', 'reason', 'detail', 'createdAt'], called: ['address'] },
  orders: { address: byText('mail_suppressions.address') },
  sort: 'address',
  filters: {},
  searched: ['address', 'detail'],
  portable: {
    file: 'suppressions',
    about: 'Addresses that nothing is sent to.',
    key: ['address'],
  },
  personal: {
    of: (person) =>
      sql<boolean>`(${ofMailboxes('address', person.emails)} or mail_id in (${mailsOf(person)}))`,
    found: ({ emails }) => ofMailboxes('address', emails),
    fate: 'deleted',
    given: ({ emails }) => ofMailboxes('address', emails),
  },
} as const satisfies Listing<MailSuppressionsTable> & Travelling<MailSuppressionsTable>;

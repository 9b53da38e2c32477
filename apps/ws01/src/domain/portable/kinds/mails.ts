import { LENGTHS } from '../../../contract/parameters.ts';
import * as forms from '../fields.ts';
import { created, EMPTY, field, type Kind, REQUIRED } from './kind.ts';

/** Mails and their delivery. */
export const MAILS = [
  {
    name: 'mails',
    table: 'mails',
    key: ['id'],
    about: 'Mails as they were asked for.',
    fields: [
      field('id', 'id', forms.key, 'Key of the mail.', REQUIRED),
      field('sender', 'sender', forms.key, 'The user whom it is from.', REQUIRED),
      field('tokenId', 'token_id', forms.key, 'The id of its token.'),
      field('ip', 'ip', forms.address, 'Where it was sent from.', EMPTY),
      field(
        'receiverName',
        'receiver_name',
        forms.line(LENGTHS.name),
        'Name of the recipient.',
        EMPTY,
      ),
      field(
        'receiverEmail',
        'receiver_email',
        forms.line(320),
        'Address of the recipient.',
        REQUIRED,
      ),
      field('subject', 'subject', forms.line(LENGTHS.subject), 'Subject.', EMPTY),
      field('body', 'body', forms.text(LENGTHS.mailBody), 'Text or HTML.', EMPTY),
      field('replyName', 'reply_name', forms.line(LENGTHS.name), "The sender's name then."),
      field('replyTo', 'reply_to', forms.line(320), "The sender's address then."),
      field(
        'messageId',
        'message_id',
        forms.line(998),
        'With its angle brackets; made when absent.',
      ),
      created('When it was asked for.'),
    ],
  },
  {
    name: 'deliveries',
    table: 'outbox',
    key: ['id'],
    about: 'The states of mails. Without this file, mails count as sent at their request.',
    fields: [
      field('id', 'id', forms.key, 'Key of the mail.', REQUIRED),
      field(
        'state',
        'state',
        forms.word(
          'queued',
          'sent',
          'deferred',
          'bounced',
          'failed',
          'cancelled',
          'suppressed',
          'kept',
        ),
        'The state; a mail that is being sent is `queued`.',
        REQUIRED,
      ),
      field('attempts', 'attempts', forms.count, 'How often it was tried.', { absent: 0 }),
      field('deferrals', 'deferrals', forms.count, 'How often it was put off.', { absent: 0 }),
      created('When it was asked for.'),
      field('dueAt', 'due_at', forms.instant, 'When it is to be tried.'),
      field('giveUpAt', 'give_up_at', forms.instant, 'Given up then; `createdAt` when absent.'),
      field('lastReply', 'last_reply', forms.text(), 'What the server said last.'),
      field('finishedAt', 'finished_at', forms.instant, 'When it was over.'),
    ],
  },
  {
    name: 'mail-repeats',
    table: 'mail_repeats',
    key: ['hash'],
    about: 'Calls that are recognised when they come again.',
    fields: [
      field('hash', 'hash', forms.hex(32), 'Over all that the call said.', REQUIRED),
      field('mailId', 'mail_id', forms.key, 'Key of the mail.', REQUIRED),
      field('until', 'until', forms.instant, 'Recognised until then.', REQUIRED),
    ],
  },
  {
    name: 'suppressions',
    table: 'mail_suppressions',
    key: ['address'],
    about: 'Addresses that nothing is sent to.',
    fields: [
      field('address', 'address', forms.line(320), 'In lower case.', REQUIRED),
      field('reason', 'reason', forms.word('bounce', 'manual'), 'Why.', { absent: 'manual' }),
      field('detail', 'detail', forms.text(), "The server's reply, or a note.", EMPTY),
      field('mailId', 'mail_id', forms.key, 'The mail that bounced.'),
      created('Since when.'),
    ],
  },
] as const satisfies readonly Kind[];

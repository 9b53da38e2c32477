import { operation, string } from '@ws01/asmx/contract';
import { LENGTHS, line, text, tokenFor } from './parameters.ts';

/** Operation 7. */
export const SendEmail = operation({
  summary: 'Send an e-mail (for guest board, registered users etc.)',
  help: {
    purpose:
      'Sends one mail to one recipient, for the registered user of the credential. It is ' +
      'retried for 24 hours; queryEmailsent shows its state.',
    answer: 'The id of the mail.',
    example: '019a9f3e-5d5e-7c1a-9a43-0242ac120002',
    required: ['authorizationUserId', 'receiverEmail'],
    errors: {
      MissingParameter: 'There is no address, or neither subject nor body.',
      InvalidParameter: 'The address cannot be read, or a text is too long.',
      NotRegistered: 'The sender is not registered: ws01 user add.',
      MassMailNotAllowed: 'There is more than one recipient, or the same text went to too many.',
      RateLimited: 'The sender’s or the recipient’s budget is used up.',
      MailUnavailable: 'No mail can be taken now; nothing was done.',
    },
  },
  input: {
    authorizationUserId: tokenFor('mail'),
    receiverName: line('Name of the recipient.', 'Grace Hopper', LENGTHS.name),
    receiverEmail: text('Address of the one recipient.', 'grace@example.com'),
    subject: line('Subject of the mail.', 'Your advert', LENGTHS.subject),
    body: text('Text or HTML.', 'Somebody answered your advert.', LENGTHS.mailBody),
  },
  result: string,
});

/** Operation 19. */
export const queryEmailsent = operation({
  summary: 'E-mail sending report: list the sending status of e-mails',
  help: {
    purpose:
      'Lists the mails of the credential’s sender with their states, newest first, at most 200.',
    answer: 'A list of mails as JSON.',
    example: JSON.stringify({
      items: [
        {
          id: '019a9f3e-5d5e-7c1a-9a43-0242ac120002',
          receiverEmail: 'grace@example.com',
          receiverName: 'Grace Hopper',
          subject: 'Your advert',
          status: 'sent',
          attempts: 1,
          createdAt: '2026-11-21T09:30:00.000Z',
          nextAttemptAt: null,
          finishedAt: '2026-11-21T09:30:02.000Z',
          lastReply: '250 2.0.0 Ok: queued',
        },
      ],
      truncated: false,
    }),
    required: ['authorizationUserId'],
    errors: {
      InvalidParameter: 'The address cannot be read.',
      NotRegistered: 'The sender is not registered.',
    },
  },
  readOnly: true,
  input: {
    authorizationUserId: tokenFor('mail'),
    receiverEmail: text('Only mails to this address; empty for all.', ''),
  },
  result: string,
});

import { HELP } from './help.ts';
import { credential, LENGTHS, line, text } from './parameters.ts';

/** Operation 7. */
export const SendEmail = {
  name: 'SendEmail',
  documentation: 'Send an e-mail (for guest board, registered users etc.)',
  help: HELP.SendEmail,
  access: { credential: 'authorizationUserId', scope: 'mail' },
  writes: true,
  parameters: [
    credential('authorizationUserId', 'mail'),
    line('receiverName', 'Name of the recipient.', 'Grace Hopper', LENGTHS.name),
    text('receiverEmail', 'Address of the one recipient.', 'grace@example.com'),
    line('subject', 'Subject of the mail.', 'Your advert', LENGTHS.subject),
    text('body', 'Text or HTML.', 'Somebody answered your advert.', LENGTHS.mailBody),
  ],
  result: 'string',
} as const;

/** Operation 19. */
export const queryEmailsent = {
  name: 'queryEmailsent',
  documentation: 'E-mail sending report: list the sending status of e-mails',
  help: HELP.queryEmailsent,
  access: { credential: 'authorizationUserId', scope: 'mail' },
  writes: false,
  parameters: [
    credential('authorizationUserId', 'mail'),
    text('receiverEmail', 'Only mails to this address; empty for all.', ''),
  ],
  result: 'string',
} as const;

import { operation, string } from '@ws01/asmx/contract';
import { HELP } from './help.ts';
import { LENGTHS, line, text, tokenFor } from './parameters.ts';

/** Operation 7. */
export const SendEmail = operation({
  summary: 'Send an e-mail (for guest board, registered users etc.)',
  help: HELP.SendEmail,
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
  help: HELP.queryEmailsent,
  readOnly: true,
  input: {
    authorizationUserId: tokenFor('mail'),
    receiverEmail: text('Only mails to this address; empty for all.', ''),
  },
  result: string,
});

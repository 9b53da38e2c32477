import * as forms from '../forms.ts';
import * as mailForms from '../mail-forms.ts';
import { type Setting, setting } from '../setting.ts';

export const MAIL = {
  smtpServer: setting({
    variable: 'SMTP_URL',
    changes: true,
    form: mailForms.smtpServer,
    without: 'none: mails are stored and shown, not sent',
    secret: 'url',
    documentation:
      'The mail server: `smtp://user:password@host:587` or `smtps://…`, with the options of [mail](operations/mail.md).',
  }),
  mailFrom: setting({
    variable: 'MAIL_FROM',
    changes: true,
    form: forms.mailbox,
    without: '`ws01@` and the host of `BASE_URL`',
    documentation: 'The sender of mails: `news@example.com` or `Example <news@example.com>`.',
  }),
  mailDkimKey: setting({
    variable: 'MAIL_DKIM_KEY',
    form: mailForms.dkimKey,
    without: 'none: mails are not signed here',
    secret: 'whole',
    documentation:
      'RSA private key that signs mails for the domain of `MAIL_FROM`: PEM text, or the path of a file.',
  }),
  mailDkimSelector: setting({
    variable: 'MAIL_DKIM_SELECTOR',
    form: mailForms.dkimSelector,
    fallback: 'ws01',
    documentation: 'Selector of the DKIM public key in DNS: `{selector}._domainkey.{domain}`.',
  }),
  mailNotices: setting({
    variable: 'MAIL_BOUNCES',
    form: mailForms.mailNotices,
    without: 'none: what bounces later is not read',
    secret: 'whole',
    documentation:
      'Where bounces come from: a mailbox, `imaps://…`, or a relay; see [mail](operations/mail.md).',
  }),
  mailUnsubscribe: setting({
    variable: 'MAIL_UNSUBSCRIBE',
    form: forms.toggle,
    fallback: 'off',
    documentation:
      '`on`: readers of mails of `SendEmail` ask for no more by one click (RFC 8058); `BASE_URL` must be https.',
  }),
  mailRefused: setting({
    variable: 'MAIL_REFUSED',
    changes: true,
    form: mailForms.refusedMail,
    without: 'a text in English, or in Chinese where the reason is',
    documentation:
      'The mail about a rejection, its subject first; it has `{reason}`, `{title}` and `{name}`, and `\\n` begins a line.',
  }),
  mailKeptDays: setting({
    variable: 'MAIL_KEPT_DAYS',
    changes: true,
    form: forms.integer(1, 36_500),
    fallback: '90',
    documentation:
      'Days that a mail is kept after it was sent or failed. Then it is deleted with its body.',
  }),
} as const satisfies Record<string, Setting>;

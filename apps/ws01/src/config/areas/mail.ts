import * as forms from '../forms.ts';
import * as mailForms from '../mail-forms.ts';
import { type Setting, setting } from '../setting.ts';

export const MAIL = {
  smtpServer: setting({
    variable: 'SMTP_URL',
    form: mailForms.smtpServer,
    without: 'none: mails are kept and shown, not sent',
    secret: 'url',
    documentation:
      'The mail server: `smtp://user:password@host:587` or `smtps://…`, with the options of [mail](operations/mail.md).',
  }),
  mailFrom: setting({
    variable: 'MAIL_FROM',
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
      'RSA private key, PEM or the path of its file, that mails are signed with for the domain of `MAIL_FROM`.',
  }),
  mailDkimSelector: setting({
    variable: 'MAIL_DKIM_SELECTOR',
    form: mailForms.dkimSelector,
    fallback: 'ws01',
    documentation: 'Under which name in DNS the public key is published: `{selector}._domainkey.{domain}`.',
  }),
  mailPace: setting({
    variable: 'MAIL_PACE',
    form: forms.rates,
    fallback: 'off',
    documentation: 'Mails to one domain of recipients, evenly spaced, from each node; such as `60/min`.',
  }),
  mailKeptDays: setting({
    variable: 'MAIL_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '90',
    documentation: 'Days after its end that a mail can be looked at; then it is removed with its body.',
  }),
  unsentMailsKeptDays: setting({
    variable: 'UNSENT_MAILS_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '365',
    documentation: 'Days that a mail waits for a mail server to be configured; then it is cancelled.',
  }),
} as const satisfies Record<string, Setting>;

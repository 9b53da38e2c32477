import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import { between, pairs, type Sides } from './sides.ts';

const SMTP = {
  host: 'mail.example.com',
  port: undefined,
  secure: false,
  user: undefined,
  password: undefined,
  startTls: 'auto',
  verify: true,
  connections: 5,
  name: undefined,
};

const PEM = { type: 'pkcs8', format: 'pem' } as const;
const RSA_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export(PEM)
  .toString();
const ED25519_KEY = generateKeyPairSync('ed25519').privateKey.export(PEM).toString();

const keys = mkdtempSync(join(tmpdir(), 'ws01-keys-'));
after(() => rmSync(keys, { recursive: true }));

function keyFile(name: string, content: string): string {
  writeFileSync(join(keys, name), content);
  return join(keys, name);
}

/** How mail goes out. */
const MAILBOX = {
  ...{ kind: 'imap', host: 'mail.example.com', port: 993, secure: true, requireTls: false },
  ...{ verify: true, user: 'board@example.com', password: 'p:w', folder: 'INBOX' },
};
const SENDGRID_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ format: 'der', type: 'spki' })
  .toString('base64');

export const MAIL = {
  SMTP_URL: {
    property: 'smtpServer',
    takes: [
      [
        'smtp://u:p%40@mail.example.com:587',
        { ...SMTP, user: 'u', password: 'p@', port: 587, startTls: 'required' },
      ],
      ['smtps://mail.example.com/', { ...SMTP, secure: true }],
      ['smtp://u:p@127.0.0.1', { ...SMTP, host: '127.0.0.1', user: 'u', password: 'p' }],
      ['smtp://u@[::1]:25', { ...SMTP, host: '::1', user: 'u', password: '', port: 25 }],
      [
        'smtp://mail.example.com?tls=off&verify=off&connections=100&name=ws01.example.com',
        { ...SMTP, startTls: 'off', verify: false, connections: 100, name: 'ws01.example.com' },
      ],
    ],
    refuses: words(
      'mail.example.com https://mail.example.com smtp:// smtp://u:hush@h:port smtp://h/path',
      'smtp://h?tls=maybe smtp://h?verify=no smtp://h?connections=0 smtp://h?connections=1.5',
      'smtp://h?connections=101 smtp://h?name=a%0d%0ab smtp://h?pool=true smtp://h#x',
      'smtp://u:%zz@h',
    ),
  },
  MAIL_FROM: {
    property: 'mailFrom',
    takes: pairs({
      'news@example.com': { name: '', address: 'news@example.com' },
      '留言板 <news@example.com>': { name: '留言板', address: 'news@example.com' },
      '"News, daily" <news@EXAMPLE.com>': { name: 'News, daily', address: 'news@example.com' },
      'ws01@localhost': { name: '', address: 'ws01@localhost' },
    }),
    refuses: [
      'news',
      'a@b.co, c@d.co',
      'News <news>',
      'News <a@b.co',
      'a\nb <a@b.co>',
      '<x> <a@b.co>',
    ],
  },
  MAIL_DKIM_KEY: {
    property: 'mailDkimKey',
    takes: [
      [RSA_KEY, RSA_KEY],
      [RSA_KEY.replaceAll('\n', '\\n'), RSA_KEY],
      [keyFile('rsa.pem', RSA_KEY), RSA_KEY],
    ],
    refuses: [
      '/nowhere/hush.pem',
      '-----BEGIN PRIVATE KEY-----hush',
      ED25519_KEY,
      keyFile('empty.pem', ''),
    ],
  },
  MAIL_DKIM_SELECTOR: {
    property: 'mailDkimSelector',
    takes: pairs({ 'S2026.mail': 's2026.mail', x: 'x' }),
    refuses: ['-a', 'a.', 'a b', '名', 'x'.repeat(64)],
  },
  MAIL_BOUNCES: {
    property: 'mailNotices',
    takes: [
      [`postmark:${'s'.repeat(16)}`, { kind: 'postmark', secret: 's'.repeat(16) }],
      [`ses:${'s'.repeat(40)}`, { kind: 'ses', secret: 's'.repeat(40) }],
      [`mailgun:${'k'.repeat(32)}`, { kind: 'mailgun', key: 'k'.repeat(32) }],
      [`sendgrid:${SENDGRID_KEY}`, { kind: 'sendgrid', key: SENDGRID_KEY }],
      ['imaps://board%40example.com:p%3Aw@mail.example.com', MAILBOX],
      [
        'imap://u:p@127.0.0.1:1143/Bounces?verify=off',
        {
          ...{ kind: 'imap', host: '127.0.0.1', port: 1143, secure: false, requireTls: false },
          ...{ verify: false, user: 'u', password: 'p', folder: 'Bounces' },
        },
      ],
    ],
    refuses: words(
      'postmark:short sparkpost:ssssssssssssssssssssssss sendgrid:ssssssssssssssssssssssss',
      'imaps://mail.example.com imap://u:p@host/INBOX?tls=off https://example.com',
    ),
  },
  MAIL_UNSUBSCRIBE: {
    property: 'mailUnsubscribe',
    takes: pairs({ on: true, off: false }),
    refuses: ['maybe'],
    with: { BASE_URL: 'https://example.com' },
  },
  MAIL_REFUSED: {
    property: 'mailRefused',
    takes: [
      [
        'No: {title}\\nHello {name}, {reason}',
        { subject: 'No: {title}', body: 'Hello {name}, {reason}\n' },
      ],
      ['No\r\n\r\n{reason}\r\n', { subject: 'No', body: '{reason}\n' }],
      [
        `No\n{reason}${'x'.repeat(1_989)}`,
        { subject: 'No', body: `{reason}${'x'.repeat(1_989)}\n` },
      ],
    ],
    refuses: [
      'No',
      '{reason}',
      'No\nbecause',
      `No\n{reason}${'x'.repeat(1_990)}`,
      `${'x'.repeat(201)}\n{reason}`,
      'No\t\n{reason}',
    ],
  },
  MAIL_KEPT_DAYS: between('mailKeptDays', 1, 36_500, 'for ever'),
} satisfies Readonly<Record<string, Sides>>;

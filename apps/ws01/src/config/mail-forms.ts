import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { MailboxSource } from '../adapters/mail/notices/mailbox.ts';
import type { RelaySource } from '../adapters/mail/notices/relays.ts';
import type { SmtpServer } from '../adapters/mail/smtp-session.ts';
import { urlOf } from './address-forms.ts';
import { form } from './forms.ts';

const START_TLS = ['auto', 'required', 'off'] as const;
const SMTP_OPTIONS = ['tls', 'verify', 'connections', 'name'];
const CONNECTIONS = { default: 5, most: 100 };
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** An SMTP server: `smtp://user:password@host:587?tls=required`. */
export const smtpServer = form<SmtpServer>(
  'a URL such as smtp://user:password@host:587 or smtps://host, with at most the options tls=auto|required|off, verify=on|off, connections=1…100 and name=…',
  (text) => {
    const url = urlOf(text, ['smtp:', 'smtps:']);
    if (!url?.hostname || !/^\/?$/.test(url.pathname) || url.hash !== '') return undefined;
    const options = url.searchParams;
    if ([...options.keys()].some((key) => !SMTP_OPTIONS.includes(key))) return undefined;
    const user = url.username === '' ? undefined : decodeURIComponent(url.username);
    const startTls = START_TLS.find(
      (value) => value === (options.get('tls') ?? defaultTls(url, user)),
    );
    const verify = { on: true, off: false }[options.get('verify') ?? 'on'];
    const connections = Number(options.get('connections') ?? CONNECTIONS.default);
    const name = options.get('name') ?? undefined;
    if (startTls === undefined || verify === undefined) return undefined;
    if (!Number.isInteger(connections) || connections < 1 || connections > CONNECTIONS.most)
      return undefined;
    if (name !== undefined && !/^[A-Za-z0-9.:[\]-]{1,253}$/.test(name)) return undefined;
    return Object.freeze({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? undefined : Number(url.port),
      secure: url.protocol === 'smtps:',
      user,
      password: user === undefined ? undefined : decodeURIComponent(url.password),
      startTls,
      verify,
      connections,
      name,
    });
  },
);

/**
 * A password is never sent unencrypted, even if an attacker on the network strips the server's
 * offer of STARTTLS.
 */
function defaultTls(url: URL, user: string | undefined): (typeof START_TLS)[number] {
  return user !== undefined && url.protocol === 'smtp:' && !LOOPBACK.test(url.hostname)
    ? 'required'
    : 'auto';
}

/** Writes a mail server as {@link smtpServer} reads it. */
export function smtpUrlOf(server: SmtpServer): string {
  const { host, port, secure, user, password, startTls, verify, connections, name } = server;
  const place = `${host.includes(':') ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`;
  const credentials = [user, password].map((text) => text && encodeURIComponent(text));
  const who = user === undefined ? '' : `${credentials.filter(Boolean).join(':')}@`;
  const options = new URLSearchParams({
    ...(secure ? {} : { tls: startTls }),
    ...(verify ? {} : { verify: 'off' }),
    ...(connections === CONNECTIONS.default ? {} : { connections: String(connections) }),
    ...(name === undefined ? {} : { name }),
  }).toString();
  const scheme = secure ? 'smtps' : 'smtp';
  return `${scheme}://${who}${place}${options === '' ? '' : `?${options}`}`;
}

/**
 * The mail to the author of a rejected record: the first line is the subject. `\n` is a line break,
 * as in `SMS_TEXT`.
 */
export const refusedMail = form(
  'a text of at most 2000 characters: the subject, and from the second line on the text, with {reason} in it',
  (given) => {
    const text = given.replaceAll(/\r\n|\\n/g, '\n').trim();
    const isText = [...text].length <= 2_000 && !/[^\P{Cc}\n]/u.test(text) && text.isWellFormed();
    const [subject = '', ...lines] = text.split('\n');
    const body = lines.join('\n').trim();
    const isMail = [...subject].length <= 200 && body.includes('{reason}');
    return isText && isMail ? { subject: subject.trim(), body: `${body}\n` } : undefined;
  },
);

/** Where reports of mails come from: a mailbox, or the calls of a relay. */
export type MailNoticeSource = MailboxSource | RelaySource;

const RELAY_SECRETS = /^(postmark|ses|mailgun|sendgrid):(\S{16,1024})$/;
const IMAP_PORTS: Readonly<Record<string, number>> = { 'imap:': 143, 'imaps:': 993 };

/** `imaps://user:password@host/INBOX`, or the name of a relay and what its calls are known by. */
export const mailNotices = form<MailNoticeSource>(
  'imaps://user:password@host/INBOX, or postmark:, ses:, mailgun: or sendgrid: with its secret or key',
  (text) => {
    const [, relay, secret = ''] = RELAY_SECRETS.exec(text) ?? [];
    switch (relay) {
      case 'postmark':
      case 'ses':
        return { kind: relay, secret };
      case 'mailgun':
        return { kind: relay, key: secret };
      case 'sendgrid':
        // It throws for anything else.
        createPublicKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'spki' });
        return { kind: relay, key: secret };
      default:
        return mailbox(text);
    }
  },
);

function mailbox(text: string): MailboxSource | undefined {
  const url = urlOf(text, Object.keys(IMAP_PORTS));
  const options = url?.searchParams;
  const verify = { on: true, off: false }[options?.get('verify') ?? 'on'];
  const isPlain = [...(options?.keys() ?? [])].every((key) => key === 'verify');
  if (!isPlain || verify === undefined) return undefined;
  if (!url?.hostname || !url.username || url.hash !== '') return undefined;
  return Object.freeze({
    kind: 'imap',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? IMAP_PORTS[url.protocol]! : Number(url.port),
    secure: url.protocol === 'imaps:',
    // As with SMTP: a password is never sent unencrypted, but on the machine itself.
    requireTls: url.protocol === 'imap:' && !LOOPBACK.test(url.hostname),
    verify,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    folder: decodeURIComponent(url.pathname.slice(1)) || 'INBOX',
  });
}

/**
 * An RSA private key for DKIM: PEM text, with `\n` allowed for line breaks, or the path of a PEM
 * file.
 */
export const dkimKey = form(
  'an RSA private key in PEM form, or the path of a file that holds one',
  (text) => {
    const pem = text.includes('-----BEGIN')
      ? text.replaceAll('\\n', '\n')
      : readFileSync(text, 'utf8');
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa'
      ? key.export({ type: 'pkcs8', format: 'pem' }).toString()
      : undefined;
  },
);

/** The name under which a DKIM key is published: `{selector}._domainkey.{domain}`. */
export const dkimSelector = form('the name of a DNS record, such as ws01 or s2026.mail', (text) =>
  /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/.test(text) ? text.toLowerCase() : undefined,
);

import type { SmtpServer } from '../adapters/mail/smtp-session.ts';
import type { MailServer, MailServerDeps, MailServerEdit } from '../api/mail-server-routes.ts';
import { assertVersion, etagOf } from '../api/versions.ts';
import { smtpServer as smtpForm, smtpUrlOf } from '../config/mail-forms.ts';
import { Ws01Error } from '../contract/errors.ts';
import type { Addresses } from './addresses.ts';
import type { FollowedSettings } from './live-settings.ts';
import { sendTestMail } from './mail-trial.ts';

/** What there is without a mail server, for the first one. */
const NONE: SmtpServer = {
  host: '',
  port: undefined,
  secure: false,
  user: undefined,
  password: undefined,
  startTls: 'required',
  verify: true,
  connections: 5,
  name: undefined,
};

const SECURITY = {
  required: 'starttls',
  auto: 'offered',
  off: 'unencrypted',
} as const satisfies Record<SmtpServer['startTls'], MailServer['security']>;

/**
 * The mail server in parts, of the settings `SMTP_URL` and `MAIL_FROM`, which stay the only ones.
 */
export function createMailServer(
  settings: FollowedSettings,
  addresses: Pick<Addresses, 'baseUrl'>,
): MailServerDeps['mailServer'] {
  const { config } = settings;
  const one = (variable: string) => settings.shown().find((found) => found.variable === variable)!;
  const shown: MailServerDeps['mailServer']['shown'] = () => {
    const { smtpServer: server = NONE } = config;
    return {
      host: server.host === '' ? null : server.host,
      port: server.port ?? null,
      security: server.secure ? 'tls' : SECURITY[server.startTls],
      verify: server.verify,
      user: server.user ?? null,
      sender: one('MAIL_FROM').value,
      hasPassword: Boolean(server.password),
      isFixed: one('SMTP_URL').isFixed,
      isSenderFixed: one('MAIL_FROM').isFixed,
    };
  };
  // The password is no part of it: who has a hash of it can try words. The time of a change stands
  // for it.
  const version = () =>
    etagOf([shown(), one('SMTP_URL').change?.changedAt, one('MAIL_FROM').change?.changedAt]);
  return {
    shown,
    version,
    change: ({ sender, ...edit }, by, { ifMatch, isPreview }) =>
      settings.change({
        ...{ by, isPreview },
        changes() {
          assertVersion(ifMatch, version());
          const isOfServer = Object.values(edit).some((value) => value !== undefined);
          const url = isOfServer ? urlAfter(config.smtpServer ?? NONE, edit) : undefined;
          const from = sender === undefined ? undefined : sender?.trim() || null;
          return [
            ...(url === undefined ? [] : [{ variable: 'SMTP_URL', value: url, parameter: 'host' }]),
            ...(from === undefined
              ? []
              : [{ variable: 'MAIL_FROM', value: from, parameter: 'sender' }]),
          ];
        },
      }),
    test: (to) => sendTestMail(config, addresses.baseUrl, to),
  };
}

/**
 * Returns the URL of a server after a change of some parts; `null` for none.
 * @throws {Ws01Error} `InvalidParameter` with the member that is wrong.
 */
function urlAfter(old: SmtpServer, edit: MailServerEdit): string | null {
  const host = edit.host === undefined ? old.host : (edit.host ?? '').trim();
  if (host === '') return null;
  const user = edit.user === undefined ? old.user : edit.user || undefined;
  const isTheSame = host === old.host && user === old.user;
  // Whoever may change the host only must not have the password sent there.
  if (!isTheSame && old.password && !edit.password && user !== undefined)
    throw wrong(
      'password',
      'Give the password again: the one that is stored is for the other host or user.',
    );
  const password =
    edit.password === undefined || edit.password === '' ? old.password : edit.password;
  if (user === undefined && edit.password) throw wrong('user', 'A password needs a user.');
  const server = {
    ...old,
    ...{ host: host.replace(/^\[|\]$/g, ''), user },
    password: user === undefined ? undefined : (password ?? ''),
    port: edit.port === undefined ? old.port : (edit.port ?? undefined),
    verify: edit.verify ?? old.verify,
    ...securityOf(edit.security, old),
  };
  const url = smtpUrlOf(server);
  const read = smtpForm.read(url);
  if (read?.host.toLowerCase() !== server.host.toLowerCase())
    throw wrong('host', 'The host must be a name such as mail.example.com, or an IP address.');
  return url;
}

function securityOf(
  security: MailServer['security'] | undefined,
  { secure, startTls }: SmtpServer,
): Pick<SmtpServer, 'secure' | 'startTls'> {
  if (security === undefined) return { secure, startTls };
  if (security === 'tls') return { secure: true, startTls: 'auto' };
  const [found] = Object.entries(SECURITY).find(([, word]) => word === security)!;
  return { secure: false, startTls: found as SmtpServer['startTls'] };
}

const wrong = (parameter: string, message: string) =>
  new Ws01Error('InvalidParameter', message, { parameter });

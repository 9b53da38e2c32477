import { Ws01Error } from '../contract/errors.ts';
import { type Actor, auditAct } from '../domain/audit/audit.ts';
import { toldOfTrial } from '../domain/mail/trial.ts';
import { parseAddress } from '../domain/values/email-address.ts';
import { invalid } from './problem.ts';
import type { Route } from './route.ts';
import {
  flag,
  integer,
  list,
  nullable,
  object,
  type Schema,
  text,
  type Values,
  word,
} from './schema.ts';
import { actorOf, type VerbDeps } from './verbs.ts';
import { withVersion } from './versions.ts';

/** How the connection to a mail server is encrypted. */
const SECURITY = ['tls', 'starttls', 'offered', 'unencrypted'] as const;

/** The mail server as people set it up: `SMTP_URL` in parts, and `MAIL_FROM`. */
export interface MailServer {
  /** `null` without a mail server. */
  readonly host: string | null;
  readonly port: number | null;
  readonly security: (typeof SECURITY)[number];
  readonly verify: boolean;
  readonly user: string | null;
  /** As `MAIL_FROM` has it; `null`: the default. */
  readonly sender: string | null;
}

/**
 * A change of the mail server; absent members stay. The password stays for the same host and user.
 */
export type MailServerEdit = Partial<MailServer> & { readonly password?: string | null };

/** What the settings have of the mail server, without the password. */
interface ShownMailServer extends MailServer {
  readonly hasPassword: boolean;
  /** Whether the environment fixes the server. */
  readonly isFixed: boolean;
  /** Whether the environment fixes the sender. */
  readonly isSenderFixed: boolean;
}

/** What came of a test mail. */
export interface MailTrial {
  readonly isSent: boolean;
  /** The last reply of the server, or why there was none. */
  readonly reply: string;
  /** The dialogue with the server, `>` by the service and `<` by it, with credentials masked. */
  readonly dialogue: readonly string[];
}

export interface MailServerDeps extends Pick<VerbDeps, 'store' | 'clock'> {
  readonly mailServer: {
    readonly shown: () => ShownMailServer;
    /** The `ETag` of what is shown. */
    readonly version: () => string;
    /**
     * Changes all of it or nothing.
     * @param asked the version that it is changed from, absent: any; and whether it is only checked.
     * @returns whether that changed anything.
     * @throws {Ws01Error} `InvalidParameter` with the member; `Forbidden` for what the environment
     *   fixes; as {@link assertVersion}.
     */
    readonly change: (
      edit: MailServerEdit,
      by: Actor,
      asked: { readonly ifMatch: string | undefined; readonly isPreview: boolean },
    ) => Promise<boolean>;
    readonly test: (to: string) => Promise<MailTrial>;
  };
}

/** The members that people set, besides the password. */
export const MAIL_SERVER: Readonly<Record<keyof MailServer, Schema>> = {
  host: nullable(
    text('The name or address of the mail server; null: mails are stored, not sent.', {
      maxLength: 253,
    }),
  ),
  security: word('How the connection is encrypted.', ...SECURITY),
  port: nullable(
    integer('The port; null: 465 for TLS from the start, else 587.', {
      minimum: 1,
      maximum: 65_535,
    }),
  ),
  verify: flag('Whether the certificate of the server must be right.'),
  user: nullable(text('Who signs in; null: the server asks for none.', { maxLength: 320 })),
  sender: nullable(
    text('`news@example.com` or `Example <news@example.com>`; null: the default.', {
      maxLength: 400,
    }),
  ),
};

/** To whom a test mail goes. */
export const TRIAL_TO: Schema = text('To whom the test mail goes.', { maxLength: 320 });

/** What is never shown. */
const MAIL_PASSWORD: Schema = nullable(
  text('Stays when absent, for the same host and user.', { maxLength: 1_024 }),
);

/**
 * What needs a mail server is refused without one.
 * @param parameter the member that has it sent.
 */
export function noMailServer(parameter?: string): Ws01Error {
  const parts = parameter === undefined ? {} : { parameter };
  return new Ws01Error('InvalidParameter', 'There is no mail server yet.', parts);
}

const SHOWN = {
  ...object({
    ...MAIL_SERVER,
    hasPassword: flag('Whether there is a password.'),
    isFixed: flag('Whether the server can only be changed in the environment (`SMTP_URL`).'),
    isSenderFixed: flag('Whether the sender can only be changed there (`MAIL_FROM`).'),
  }),
  title: 'MailServer',
};

/** Routes of the mail server: in parts, where `SMTP_URL` is one text, and with a test. */
export function mailServerRoutes(deps: MailServerDeps): readonly Route[] {
  return [readRoute(deps), changeRoute(deps), testRoute(deps)];
}

function readRoute({ mailServer }: MailServerDeps): Route {
  return {
    method: 'get',
    path: '/mail-server',
    id: 'getMailServer',
    tag: 'settings',
    summary: 'The mail server and the sender of mails, without the password',
    role: 'owner',
    result: SHOWN,
    run: async () => withVersion(mailServer.shown(), mailServer.version()),
  };
}

function changeRoute({ mailServer }: MailServerDeps): Route {
  const body = { ...MAIL_SERVER, password: MAIL_PASSWORD };
  return {
    method: 'patch',
    path: '/mail-server',
    id: 'changeMailServer',
    tag: 'settings',
    summary:
      'Change `SMTP_URL` and `MAIL_FROM` in parts, while the service runs; what is not given stays',
    role: 'owner',
    confirmed: true,
    query: { preview: { ...flag('Only check it.'), default: false } },
    body: object(body, Object.keys(body)),
    result: object({ changed: flag('Whether it was another before.'), item: SHOWN }),
    async run(call) {
      const edit = call.body as Values & MailServerEdit;
      const changed = await mailServer.change(edit, actorOf(call), {
        ifMatch: call.ifMatch,
        isPreview: call.query.preview === true,
      });
      return withVersion({ changed, item: mailServer.shown() }, mailServer.version());
    },
  };
}

function testRoute({ mailServer, store, clock }: MailServerDeps): Route {
  return {
    method: 'post',
    path: '/mail-server/test',
    id: 'testMailServer',
    tag: 'settings',
    summary: 'Send a test mail past the queue, and tell what the mail server said',
    role: 'owner',
    body: object({ to: TRIAL_TO }),
    result: object({
      isSent: flag('Whether the server took the mail.'),
      reply: text('Its last reply, or why there was none.'),
      dialogue: list('What was said: `>` by the service, `<` by the server.', text('')),
    }),
    errors: ['Busy'],
    async run(call) {
      const to = parseAddress(call.body.to as string);
      if (to.kind !== 'address') throw invalid('to', 'to must be one e-mail address.');
      if (mailServer.shown().host === null) throw noMailServer('to');
      const trial = await mailServer.test(to.address);
      await store.write((tx) =>
        auditAct(
          tx,
          'mail.test',
          undefined,
          clock(),
          actorOf(call),
          toldOfTrial(trial, to.address),
        ),
      );
      return trial;
    },
  };
}

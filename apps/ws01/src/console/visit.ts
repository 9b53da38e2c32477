import type { HttpBindings } from '@hono/node-server';
import type { Logger } from 'pino';
import type { OutgoingMail } from '../adapters/mail/transport.ts';
import type { ApiBindings } from '../api/api.ts';
import type { Admin } from '../domain/admins/admins.ts';
import type { ChallengeKeys } from '../domain/admins/challenges.ts';
import type { Clock } from '../domain/context.ts';
import type { GuessBrake } from '../domain/credentials/guess-brake.ts';
import type { Store } from '../store/store.ts';
import type { ReceivedRequest } from '../web/received-request.ts';
import type { CallReport } from '../web/recent-calls.ts';
import type { Language, Say } from './language.ts';

/** What the console is made of. */
export interface ConsoleDeps {
  /** For accounts and sessions alone; everything else goes through `api`. */
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Slows down who guesses passwords. */
  readonly brake: GuessBrake | undefined;
  /** What challenges of passkeys are sealed with. */
  readonly challengeKeys: ChallengeKeys;
  /** The API, in process. */
  readonly api: ConsoleApi;
  /** Where a browser reached the console: scheme, host and port. */
  readonly origin: (request: ReceivedRequest) => string | undefined;
  /** The observed address of who asks. */
  readonly clientAddress: (request: ReceivedRequest) => string;
  /** Where the pages of the operations are, for links. */
  readonly servicePath: string;
  /** The calls of the last hour, of every process of this machine. */
  readonly calls: { report(): Promise<CallReport> };
  /** Whether mails and text messages leave at all; else they are kept to be looked at. */
  readonly gateways: { readonly mail: boolean; readonly sms: boolean };
  /** A mail as it goes out, headers and all, but for its signature. */
  readonly composeMail: (mail: Omit<OutgoingMail, 'from'>) => Promise<string>;
  /** Whether the body of a mail counts as HTML. */
  readonly isHtml: (body: string) => Promise<boolean>;
}

/** Answers requests of `/api/v1/…` in the name of a principal. */
export interface ConsoleApi {
  fetch(request: Request, env: ApiBindings): Response | Promise<Response>;
}

/** One request of the console, as its pages see it. */
export interface Visit {
  readonly say: Say;
  readonly language: Language;
  /** Where the browser is: scheme, host and port. */
  readonly origin: string;
  /** Whether the way to it is encrypted. */
  readonly secure: boolean;
  readonly address: string;
  readonly agent: string;
  /** The path that was asked for, with its query. */
  readonly path: string;
  readonly htmx: boolean;
}

/** What Hono keeps of a request. */
export interface ConsoleEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: { visit: Visit; admin: Admin };
}

/** Where the console is. */
export const HOME = '/console';

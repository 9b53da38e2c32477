import type { HttpBindings } from '@hono/node-server';
import type { Logger } from 'pino';
import type { OutgoingMail } from '../adapters/mail/transport.ts';
import type { ApiBindings } from '../api/api.ts';
import type { ChallengeKeys } from '../domain/admins/challenges.ts';
import type { SignedInAdmin } from '../domain/admins/sessions.ts';
import type { Clock } from '../domain/context.ts';
import type { GuessThrottle } from '../domain/credentials/guess-throttle.ts';
import type { LiveStreams } from '../domain/events/live-streams.ts';
import type { Media } from '../domain/images/serving/media.ts';
import type { Store } from '../store/store.ts';
import type { Instant } from '../store/tables/tables.ts';
import type { PictureAnswers } from '../web/image-answers.ts';
import type { Language } from '../web/language.ts';
import { CONSOLE_PATH } from '../web/own-paths.ts';
import type { ReceivedRequest } from '../web/received-request.ts';
import type { Translate } from './language.ts';

/** Dependencies of the console. */
export interface ConsoleDeps {
  /** For accounts and sessions only; everything else uses `api`. */
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Delays networks that guess passwords. */
  readonly brake: GuessThrottle | undefined;
  /** The keys that seal passkey challenges. */
  readonly challengeKeys: ChallengeKeys;
  /** The API, in process. */
  readonly api: ConsoleApi;
  /** Returns the origin that the browser used: scheme, host and port. */
  readonly origin: (request: ReceivedRequest) => string | undefined;
  /**
   * Returns the origin that addresses of the service begin with, for who came by it; `undefined`
   * where none depends on it.
   */
  readonly reachedAt: (request: ReceivedRequest) => string | undefined;
  /** Returns the client address of a request. */
  readonly clientAddress: (request: ReceivedRequest) => string;
  /** Returns the path of the base URL that a request came by; `''` for none. */
  readonly basePath: (request: ReceivedRequest) => string;
  /** The path of the operations' pages. */
  readonly servicePath: string;
  /** What the site is called now. */
  readonly siteName: () => string;
  /** How one types the service's command on its machine. */
  readonly command: string;
  /** The time zone of the service. */
  readonly timeZone: string;
  /**
   * Returns how many commits the database has lost, until somebody accepts it; `undefined` if none.
   */
  readonly lostCommits: () => Promise<
    { readonly commits: number; readonly since: Instant } | undefined
  >;
  /** Maximum number of rows in a CSV export. */
  readonly exportRows: number;
  /** Maximum length of a picture; bytes. */
  readonly maxImageBytes: number;
  /** Images, also those that visitors do not get. */
  readonly media: Pick<Media, 'findByKey'>;
  readonly pictures: PictureAnswers;
  /** The live streams of this process. */
  readonly streams: Pick<LiveStreams, 'open'>;
  /** Numbers whose code is fixed, and that nothing is sent to. */
  readonly testNumbers: readonly string[];
  /** Whether nothing is sent to the URL of a webhook, because it is in a private network. */
  readonly refusesWebhook: (url: string) => Promise<boolean>;
  /** Whether mails and text messages are sent; if not, they are only stored. */
  readonly gateways: { readonly mail: boolean; readonly sms: boolean };
  /** Whether there is a place where backups can be made. */
  readonly hasBackupPlace: boolean;
  /** Returns the source of a mail, headers included, without its signature. */
  readonly composeMail: (mail: Omit<OutgoingMail, 'from'>) => Promise<string>;
  /** Whether the body of a mail counts as HTML. */
  readonly isHtml: (body: string) => Promise<boolean>;
}

/** Answers requests to `/api/v1/…` on behalf of a principal. */
export interface ConsoleApi {
  fetch(request: Request, env: ApiBindings): Response | Promise<Response>;
}

/**
 * What a person chooses of how pages look and behave, kept by their browser; the first of each at
 * first.
 */
export const CHOICES = {
  theme: ['auto', 'light', 'dark'],
  /** How much room rows have. */
  density: ['wide', 'dense'],
  /** Whether single keys act: who speaks to the machine presses many (WCAG 2.1.4). */
  keys: ['on', 'off'],
} as const;
export type Choice = keyof typeof CHOICES;
export type Choices = { readonly [Name in Choice]: (typeof CHOICES)[Name][number] };

/** One request to the console. */
export interface Visit {
  readonly translate: Translate;
  readonly language: Language;
  readonly choices: Choices;
  /** What the site is called. */
  readonly site: string;
  /** How one types the service's command on its machine. */
  readonly command: string;
  /** The path of the operations' pages. */
  readonly servicePath: string;
  /** The origin that the browser used: scheme, host and port. */
  readonly origin: string;
  /**
   * What addresses of the service begin with; `undefined` where they do not depend on the visit.
   */
  readonly reachedAt: string | undefined;
  /** Whether the connection to it is encrypted. */
  readonly secure: boolean;
  readonly address: string;
  readonly agent: string;
  /** The requested path with its query. */
  readonly path: string;
  readonly htmx: boolean;
  /** Whether there is a mail server. */
  readonly sendsMail: boolean;
  /**
   * Whether the screen is as narrow as that of a phone, as the script of an earlier page told it.
   */
  readonly isNarrow: boolean;
  /** The time zone of the browser; until its script has told it, that of the service. */
  readonly timeZone: string;
}

/** The values that Hono keeps for a request. */
export interface ConsoleEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: { visit: Visit; admin: SignedInAdmin };
}

/** The path of the console. */
export const HOME = CONSOLE_PATH;

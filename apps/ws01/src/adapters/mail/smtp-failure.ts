import { DependencyError, type FailureKind, type RefusalReason } from '../../failure/dependency-error.ts';

/** What the SMTP library throws. */
export type SmtpError = Error & {
  readonly code?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
  readonly command?: string | undefined;
};

/** How far a session had come when it failed. */
export type SmtpStage =
  /** Before it could take a mail, or when it was given up. */
  | 'opening'
  /** The sender and recipient had been sent. */
  | 'envelope'
  /** The message itself had begun to travel. */
  | 'message';

/** A mail server did not do what it was asked. The message is its reply, or why there was none. */
export class SmtpFailure extends DependencyError {
  /** The code of the reply; `undefined` when there was none. */
  readonly code: number | undefined;
  readonly #stage: SmtpStage;

  constructor(error: SmtpError, stage: SmtpStage) {
    const { kind, reason } = meaningOf(error, stage);
    super('mail', kind, error.response ?? error.message, { cause: error, reason });
    this.name = 'SmtpFailure';
    this.code = error.responseCode;
    this.#stage = stage;
  }

  /** Whether the session had ended before anything was said in it, as an idle one may: a new one may do. */
  get isStale(): boolean {
    return this.#stage === 'envelope' && this.code === undefined && this.kind === 'busy';
  }
}

/** Replies by which a server refuses us, not the mail: signing in or TLS is required, or the sign-in was not taken. */
const REFUSES_US: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/** Replies to a recipient that mean the mailbox, where no enhanced code says more (RFC 5321 4.2.2). */
const MAILBOX_CODES: ReadonlySet<number> = new Set([550, 551, 553]);

/** The library has not even tried: the mail is too large for this server, for example. */
const NOT_TRIED: ReadonlySet<unknown> = new Set(['EMESSAGE', 'EENVELOPE']);

interface Meaning {
  readonly kind: FailureKind;
  readonly reason?: RefusalReason;
}

/**
 * What a failure means for the mail (semantics 5.7): within a session 5xx is final, whatever else is not. A session that
 * broke off says nothing about the mail, however often it does.
 */
function meaningOf(
  { responseCode: code, code: name, response = '', command = '' }: SmtpError,
  stage: SmtpStage,
): Meaning {
  if (stage === 'opening') return { kind: 'unavailable' };
  if (code === undefined) {
    if (NOT_TRIED.has(name)) return { kind: 'refused', reason: 'unsendable' };
    return { kind: stage === 'message' ? 'outcomeUnknown' : 'busy' };
  }
  if (REFUSES_US.has(code)) return { kind: 'unavailable' };
  // 503 means that the session was out of step; another one will not be.
  if (code < 500 || code === 503) return { kind: 'busy' };
  return command === 'RCPT TO' && meansMailbox(code, response)
    ? { kind: 'refused', reason: 'recipient' }
    : { kind: 'refused' };
}

/** Whether a refusal is due to the address: 5.1.x or 5.2.1 (RFC 3463), or a plain 550, 551, 553. */
function meansMailbox(code: number, reply: string): boolean {
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(reply)?.[1];
  return enhanced === undefined ? MAILBOX_CODES.has(code) : enhanced.startsWith('5.1.') || enhanced === '5.2.1';
}

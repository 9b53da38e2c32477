import { certificateProblem } from '../../failure/certificate.ts';
import {
  DependencyError,
  type FailureKind,
  type RefusalReason,
} from '../../failure/dependency-error.ts';

/** Errors of the SMTP library. */
export type SmtpError = Error & {
  readonly code?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
  readonly command?: string | undefined;
};

/** The stage of a session at its failure. */
export type SmtpStage =
  /** Before the first mail, or after it was given up. */
  | 'opening'
  /** Sender and recipient were sent. */
  | 'envelope'
  /** The message was being sent. */
  | 'message';

/** A mail server failed or refused. The message is its reply, or the reason if there was none. */
export class SmtpFailure extends DependencyError {
  /** The reply code; `undefined` without a reply. */
  readonly code: number | undefined;
  readonly #stage: SmtpStage;

  constructor(error: SmtpError, stage: SmtpStage) {
    const { kind, reason } = meaningOf(error, stage);
    super('mail', kind, error.response ?? certificateProblem(error) ?? error.message, {
      cause: error,
      reason,
    });
    this.name = 'SmtpFailure';
    this.code = error.responseCode;
    this.#stage = stage;
  }

  /**
   * Whether the session had ended before its first command, as an idle one may. A new session may
   * work.
   */
  get isStale(): boolean {
    return this.#stage === 'envelope' && this.code === undefined && this.kind === 'busy';
  }
}

/**
 * Replies that refuse this client, not the mail: they require a sign-in or TLS, or reject the
 * sign-in.
 */
const REFUSES_US: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/**
 * Replies to a recipient that concern the mailbox, if no enhanced code is more specific (RFC 5321
 * 4.2.2).
 */
const MAILBOX_CODES: ReadonlySet<number> = new Set([550, 551, 553]);

/**
 * Errors of the library before it sends anything, unless they have a reply: for example, the mail
 * is too large for this server.
 */
const NOT_TRIED: ReadonlySet<unknown> = new Set(['EMESSAGE', 'EENVELOPE']);

interface Meaning {
  readonly kind: FailureKind;
  readonly reason?: RefusalReason;
}

/**
 * Returns the kind of a failure (semantics 5.7): within a session 5xx is final, and everything else
 * is not. A broken connection says nothing about the mail, however often it happens, and neither
 * does what is no reply of a mail server.
 */
function meaningOf(
  { responseCode: code, code: name, response = '', command = '' }: SmtpError,
  stage: SmtpStage,
): Meaning {
  if (stage === 'opening') return { kind: 'unavailable' };
  if (code === undefined) {
    if (NOT_TRIED.has(name) && response === '') return { kind: 'refused', reason: 'unsendable' };
    return { kind: stage === 'message' ? 'outcomeUnknown' : 'busy' };
  }
  if (REFUSES_US.has(code)) return { kind: 'unavailable' };
  // 503 means that this session was out of sequence; another one will not be. Above 5xx there are
  // no replies.
  if (code < 500 || code === 503 || code > 599) return { kind: 'busy' };
  return command === 'RCPT TO' && meansMailbox(code, response)
    ? { kind: 'refused', reason: 'recipient' }
    : { kind: 'refused' };
}

/** Whether the address is refused: 5.1.x or 5.2.1 (RFC 3463), or a plain 550, 551 or 553. */
function meansMailbox(code: number, reply: string): boolean {
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(reply)?.[1];
  return enhanced === undefined ? MAILBOX_CODES.has(code) : refusesMailbox(enhanced);
}

/**
 * Whether an enhanced status code says that there is no such mailbox; 5.1.7 and 5.1.8 are about the
 * sender.
 */
export function refusesMailbox(status: string): boolean {
  return /^5\.(?:1\.(?![78]$)\d{1,3}|2\.1)$/.test(status);
}

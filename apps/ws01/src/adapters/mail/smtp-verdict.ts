import type { SmtpFailure } from './smtp-session.ts';
import type { MailVerdict } from './transport.ts';

/** Replies by which a server refuses us, not the mail: signing in or TLS is required, or the sign-in was not taken. */
const REFUSES_US: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/** Replies to a recipient that mean the mailbox, where no enhanced code says more (RFC 5321 4.2.2). */
const MAILBOX_CODES: ReadonlySet<number> = new Set([550, 551, 553]);

/**
 * What a failure within a session means for the mail (semantics 5.7): 5xx is final, whatever else is not. A session that
 * broke off says nothing about the mail, however often it does.
 */
export function verdictOf(failure: SmtpFailure): MailVerdict {
  const { code, reply, command } = failure;
  if (code === undefined) {
    return failure.hopeless ? { kind: 'unsendable', reply } : { kind: 'deferred', reply };
  }
  if (REFUSES_US.has(code)) return { kind: 'unreachable', reply };
  // 503 means that the session was out of step; another one will not be.
  if (code < 500 || code === 503) return { kind: 'deferred', reply };
  return { kind: 'refused', reply, unknownRecipient: command === 'RCPT TO' && meansMailbox(code, reply) };
}

/** Whether a refusal is due to the address: 5.1.x or 5.2.1 (RFC 3463), or a plain 550, 551, 553. */
function meansMailbox(code: number, reply: string): boolean {
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(reply)?.[1];
  return enhanced === undefined ? MAILBOX_CODES.has(code) : enhanced.startsWith('5.1.') || enhanced === '5.2.1';
}

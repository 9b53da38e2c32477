import { DependencyError } from '../../failure/dependency-error.ts';
import { type ComposeMessage, isAscii } from './message.ts';
import { SmtpFailure } from './smtp-failure.ts';
import { type SmtpServer, SmtpSession, type SmtpTimeouts, TIMEOUTS } from './smtp-session.ts';
import type { MailTransport, OutgoingMail } from './transport.ts';

/** How long a session stays open without a mail; ms. */
const IDLE_MS = 10_000;

/** Maximum number of mails over one session; some servers accept no more. */
const MAILS_A_SESSION = 100;

/** Sends mails by SMTP over a few sessions, which are reused. */
export class SmtpTransport implements MailTransport {
  readonly connections: number;
  readonly #server: SmtpServer;
  readonly #compose: ComposeMessage;
  readonly #timeouts: SmtpTimeouts;
  readonly #idle = new Map<SmtpSession, NodeJS.Timeout>();
  #closed = false;

  constructor(server: SmtpServer, compose: ComposeMessage, timeouts: SmtpTimeouts = TIMEOUTS) {
    this.#server = server;
    this.#compose = compose;
    this.#timeouts = timeouts;
    this.connections = server.connections;
  }

  async send(mail: OutgoingMail, signal: AbortSignal, mayLeave: () => boolean): Promise<string> {
    const kept = this.#takeIdle();
    if (kept !== undefined) {
      try {
        return await this.#sendOver(kept, mail, signal, mayLeave);
      } catch (error) {
        // The server had ended the session before any part of the mail was sent.
        if (!(error instanceof SmtpFailure && error.isStale)) throw error;
      }
    }
    const session = await SmtpSession.open(this.#server, this.#timeouts, signal);
    return this.#sendOver(session, mail, signal, mayLeave);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const [session, timer] of this.#idle) {
      clearTimeout(timer);
      session.quit();
    }
    this.#idle.clear();
  }

  async #sendOver(
    session: SmtpSession,
    mail: OutgoingMail,
    signal: AbortSignal,
    mayLeave: () => boolean,
  ): Promise<string> {
    try {
      const international = !isAscii(mail.to.address) || !isAscii(mail.from.address);
      if (international && !session.smtpUtf8) {
        const reply = `The mail server takes no addresses like ${mail.to.address}: it does not offer SMTPUTF8.`;
        throw new DependencyError('mail', 'refused', reply, { reason: 'unsendable' });
      }
      const message = await this.#compose(mail, international);
      return await session.send(
        { from: mail.from.address, to: mail.to.address, message },
        signal,
        mayLeave,
      );
    } finally {
      this.#release(session);
    }
  }

  #takeIdle(): SmtpSession | undefined {
    for (const [session, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(session);
      if (session.open) return session;
    }
    return undefined;
  }

  #release(session: SmtpSession): void {
    if (!session.open) return;
    if (this.#closed || session.sent >= MAILS_A_SESSION) {
      session.quit();
      return;
    }
    const timer = setTimeout(() => {
      this.#idle.delete(session);
      session.quit();
    }, IDLE_MS).unref();
    this.#idle.set(session, timer);
  }
}

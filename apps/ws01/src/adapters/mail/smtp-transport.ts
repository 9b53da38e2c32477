import { type ComposeMessage, isAscii } from './message.ts';
import { PATIENCE, SmtpFailure, type SmtpPatience, type SmtpServer, SmtpSession } from './smtp-session.ts';
import { verdictOf } from './smtp-verdict.ts';
import type { MailTransport, MailVerdict, OutgoingMail } from './transport.ts';

/** How long a session may wait for its next mail; ms. */
const IDLE_MS = 10_000;

/** Mails over one session at most; some servers take no more. */
const MAILS_A_SESSION = 100;

/** Sends by SMTP, over a few sessions that are kept for the next mails. */
export class SmtpTransport implements MailTransport {
  readonly connections: number;
  readonly #server: SmtpServer;
  readonly #compose: ComposeMessage;
  readonly #patience: SmtpPatience;
  readonly #idle = new Map<SmtpSession, NodeJS.Timeout>();
  #closed = false;

  constructor(server: SmtpServer, compose: ComposeMessage, patience: SmtpPatience = PATIENCE) {
    this.#server = server;
    this.#compose = compose;
    this.#patience = patience;
    this.connections = server.connections;
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<MailVerdict> {
    const kept = this.#takeIdle();
    if (kept !== undefined) {
      const verdict = await this.#sendOver(kept, mail, signal);
      // The server had ended the session, and nothing of the mail was on its way.
      if (verdict !== 'stale') return verdict;
    }
    const session = await SmtpSession.open(this.#server, this.#patience, signal).catch((error: SmtpFailure) => error);
    if (session instanceof Error) return { kind: 'unreachable', reply: session.reply ?? session.message };
    const verdict = await this.#sendOver(session, mail, signal);
    return verdict === 'stale'
      ? { kind: 'deferred', reply: 'The mail server ended the session without a reply' }
      : verdict;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const [session, timer] of this.#idle) {
      clearTimeout(timer);
      session.quit();
    }
    this.#idle.clear();
  }

  async #sendOver(session: SmtpSession, mail: OutgoingMail, signal: AbortSignal): Promise<MailVerdict | 'stale'> {
    const international = !isAscii(mail.to.address) || !isAscii(mail.from.address);
    if (international && !session.smtpUtf8) {
      this.#release(session);
      return {
        kind: 'unsendable',
        reply: `The mail server takes no addresses like ${mail.to.address}: it does not offer SMTPUTF8.`,
      };
    }
    try {
      const message = await this.#compose(mail, international);
      const reply = await session.send(mail.from.address, mail.to.address, message, signal);
      return { kind: 'accepted', reply };
    } catch (error) {
      if (!(error instanceof SmtpFailure)) throw error;
      if (signal.aborted) return { kind: 'unreachable', reply: error.reply };
      return error.code === undefined && !error.messageBegun && !error.hopeless ? 'stale' : verdictOf(error);
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

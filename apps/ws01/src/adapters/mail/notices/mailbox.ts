import { ImapFlow } from 'imapflow';
import type { MailNotice } from './notice.ts';
import { readReturnedMessage } from './returned-message.ts';

/** A mailbox that reports of mails come to, which is read by IMAP. */
export interface MailboxSource {
  readonly kind: 'imap';
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. */
  readonly secure: boolean;
  /** Whether STARTTLS must be offered. */
  readonly requireTls: boolean;
  /** Whether the certificate must be valid. */
  readonly verify: boolean;
  readonly user: string;
  readonly password: string;
  /** Its folder. */
  readonly folder: string;
}

/**
 * Largest part of a message that is read: the headers of the returned mail stand before its body;
 * bytes.
 */
const MOST_BYTES = 256 * 1024;

/** Longest wait for the server's next answer; ms. */
const SILENCE_MS = 30_000;

/**
 * Reads the reports in a mailbox. It marks them as seen; other messages are left as they are, and
 * read once.
 */
export class NoticeMailbox {
  readonly #source: MailboxSource;
  /** The folder's UIDVALIDITY, and the highest UID that was looked at. */
  #seen = { validity: 0n, uid: 0 };

  constructor(source: MailboxSource) {
    this.#source = source;
  }

  /**
   * Looks at what has come since the last time.
   * @param take called with each report; it is marked as seen when that has succeeded.
   * @throws when the mailbox cannot be read, or `take` does.
   */
  async look(take: (notice: MailNotice) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { host, port, secure, requireTls, verify, user, password: pass, folder } = this.#source;
    const client = new ImapFlow({
      ...{ host, port, secure, logger: false, auth: { user, pass } },
      ...(requireTls ? { doSTARTTLS: true } : {}),
      tls: { rejectUnauthorized: verify },
      ...{ connectionTimeout: SILENCE_MS, greetingTimeout: SILENCE_MS, socketTimeout: SILENCE_MS },
    });
    // What breaks a command rejects it as well.
    client.on('error', () => {});
    const stop = () => client.close();
    signal.addEventListener('abort', stop);
    try {
      await client.connect();
      const { uidValidity } = await client.mailboxOpen(folder);
      if (uidValidity !== this.#seen.validity) this.#seen = { validity: uidValidity, uid: 0 };
      const found = (await client.search({ seen: false }, { uid: true })) || [];
      for (const uid of found.filter((one) => one > this.#seen.uid).toSorted((a, b) => a - b)) {
        const message = await client.fetchOne(
          String(uid),
          { source: { maxLength: MOST_BYTES } },
          { uid: true },
        );
        const source = message === false ? undefined : message.source;
        const notice = source && (await readReturnedMessage(source).catch(() => undefined));
        if (notice) {
          await take(notice);
          await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true });
        }
        this.#seen.uid = uid;
      }
      await client.logout();
    } finally {
      signal.removeEventListener('abort', stop);
      client.close();
    }
  }
}

/** What a mail server, a relay or a reader's provider tells of a mail after it was accepted. */
export interface MailNotice {
  /** The mail did not arrive; or its reader calls it spam, or wants no further mail. */
  readonly kind: 'bounce' | 'complaint' | 'unsubscribe';
  /** Whether the address gets no more mail: a bounce that names the mailbox, and all else. */
  readonly isForGood: boolean;
  /** What stands in the header {@link REFERENCE_HEADER} of the mail: its id, a dot, its secret. */
  readonly reference?: string | undefined;
  /** The Message-ID of the mail, with its angle brackets. */
  readonly messageId?: string | undefined;
  /** The id by which the relay accepted the mail, as in its reply to the message. */
  readonly relayId?: string | undefined;
  /** The recipient; believed only of a relay that has shown its secret. */
  readonly address?: string | undefined;
  /** The server's words, for people. */
  readonly detail: string;
}

/**
 * The header by which a returned mail is known. Its secret stands in the mail alone. The sender
 * does not know it, and an answer does not quote it. So only the recipient and the servers on the
 * way can report the mail.
 */
export const REFERENCE_HEADER = 'X-Mail-Reference';

/** A name, which may be empty, and an address. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/**
 * A mail to send. Headers contain only these values, each encoded by its own rules; nothing is
 * concatenated.
 */
export interface OutgoingMail {
  /** With its angle brackets. */
  readonly messageId: string;
  /** ms since 1970-01-01T00:00:00Z. */
  readonly date: number;
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly replyTo: Mailbox | undefined;
  readonly subject: string;
  /** Plain text, or HTML if it contains a tag. */
  readonly body: string;
  /** The request id of the call; sent as the header `X-Request-Id`. */
  readonly requestId?: string | undefined;
  /** By what a report of it is known and believed; sent as the header `X-Mail-Reference`. */
  readonly reference?: string | undefined;
  /** The address where its reader unsubscribes: https, by one POST (RFC 8058). */
  readonly unsubscribeAt?: string | undefined;
}

/** Sends mails to a mail server. */
export interface MailTransport {
  /** Number of mails that can be sent at once. */
  readonly connections: number;
  /**
   * Sends a mail.
   * @param signal cancels: `unavailable`, or `outcomeUnknown` once the message is being sent.
   * @param mayLeave called just before the message is sent; `false` cancels as the signal does.
   * @returns the server's reply when it has accepted the mail.
   * @throws {DependencyError} `unavailable`: the server cannot be reached or refuses this client;
   *   `busy`: not now; `outcomeUnknown`: the connection broke during the message; `refused`: never,
   *   with the reason `recipient` or `unsendable` if it is one of these. The message is the last
   *   reply, or why there was none.
   */
  send(mail: OutgoingMail, signal: AbortSignal, mayLeave: () => boolean): Promise<string>;
  /** Closes the sessions. Further calls have no effect. */
  close(): Promise<void>;
}

/** A name, which may be empty, and an address. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** A mail to send. Only this is put into headers, each part by its own rules of encoding; nothing is concatenated. */
export interface OutgoingMail {
  /** With its angle brackets. */
  readonly messageId: string;
  /** ms since 1970-01-01T00:00:00Z. */
  readonly date: number;
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly replyTo: Mailbox | undefined;
  readonly subject: string;
  /** Text, or HTML where it holds a tag. */
  readonly body: string;
  /** What the call that asked for it was known by; told by the header `X-Request-Id`. */
  readonly requestId?: string | undefined;
}

/** Hands mails over to a mail server. */
export interface MailTransport {
  /** Mails that can be handed over at once. */
  readonly connections: number;
  /**
   * @param signal ends the attempt: as `unavailable`, or `outcomeUnknown` once the message has begun to travel.
   * @param mayLeave asked in the last moment before the message travels; `false` ends the attempt as the signal does.
   * @returns the server's reply, once it has taken the mail over.
   * @throws {DependencyError} `unavailable`: the server cannot be reached or will not talk with us, nothing that the mail
   *   has done; `busy`: not now; `outcomeUnknown`: it broke off while it had the mail; `refused`: never, with the reason
   *   `recipient` or `unsendable` where it is one. The message is the last reply, or why there was none.
   */
  send(mail: OutgoingMail, signal: AbortSignal, mayLeave: () => boolean): Promise<string>;
  /** Takes leave of the server. Harmless when repeated. */
  close(): Promise<void>;
}

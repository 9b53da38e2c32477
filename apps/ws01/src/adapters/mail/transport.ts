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

/** What a mail server made of a mail. `reply` is its last reply, or why there was none. */
export type MailVerdict =
  /** Taken over, and its business from now on. */
  | { readonly kind: 'accepted'; readonly reply: string }
  /** Refused for good. `unknownRecipient`: because of the address, whatever the mail says. */
  | { readonly kind: 'refused'; readonly reply: string; readonly unknownRecipient: boolean }
  /** No server like this one can be sent the mail. */
  | { readonly kind: 'unsendable'; readonly reply: string }
  /** Not now. */
  | { readonly kind: 'deferred'; readonly reply: string }
  /** The server cannot be reached, or will not talk with us; nothing that the mail has done. */
  | { readonly kind: 'unreachable'; readonly reply: string };

/** Hands mails over to a mail server. */
export interface MailTransport {
  /** Mails that can be handed over at once. */
  readonly connections: number;
  /** Rejects only where a mail cannot be put into a message. @param signal ends the attempt, with the verdict `unreachable`. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<MailVerdict>;
  /** Takes leave of the server. Harmless when repeated. */
  close(): Promise<void>;
}

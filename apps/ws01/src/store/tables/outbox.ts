import type { Instant } from './values.ts';

/** What goes out by the outbox. */
export type OutboxKind = 'mail' | 'sms' | 'webhook';

/**
 * How far a message is (semantics 5.19). `queued`, `deferred` and `sending` are on their way;
 * `kept` waits for somebody to ask for it; the others are final.
 */
export type OutboxState =
  | 'queued'
  | 'sending'
  | 'sent'
  | 'deferred'
  | 'bounced'
  | 'failed'
  | 'cancelled'
  | 'suppressed'
  | 'kept';

/**
 * Work that goes out of the process, committed with the row that asked for it. What goes out is in
 * its own table.
 */
export interface OutboxTable {
  /** The key of the mail, the text message or the delivery to a webhook. */
  id: string;
  kind: OutboxKind;
  state: OutboxState;
  /** How often it was tried, the attempt in progress included. */
  attempts: number;
  /**
   * How often it was put off for its own sake, which lengthens the waits; an unreachable server
   * does not count.
   */
  deferrals: number;
  created_at: Instant;
  /**
   * When it is to be tried; `null` when it is not to be. While `sending`, when the lease ends by
   * the clock of its holder: others only look whether it changes.
   */
  due_at: Instant | null;
  /** An attempt that fails from then on is the last. */
  give_up_at: Instant;
  /** The key of the lease that it is being sent under. */
  lease: string | null;
  /** The last reply of the server or gateway, or why there was none. */
  last_reply: string | null;
  finished_at: Instant | null;
  /** Of a delivery its webhook; `null` for one that is over since before 0.3.0. */
  queue: string | null;
}

/** Mails, as they were asked for. */
export interface MailsTable {
  /** UUIDv7. */
  id: string;
  /** The registered user whom the mail is from. */
  sender: string;
  token_id: string | null;
  /** The observed address of the client. */
  ip: string;
  /** May be empty. */
  receiver_name: string;
  receiver_email: string;
  /** The address in lower case, as it is compared. */
  receiver_key: string;
  subject: string;
  /** Text or HTML. */
  body: string;
  /** The sender's name and address at that time. */
  reply_name: string | null;
  reply_to: string | null;
  /** With its angle brackets; the same each time the mail is sent. */
  message_id: string;
  created_at: Instant;
  /** What finds the call in the log. */
  request_id: string | null;
  /**
   * A secret that the mail carries, by which a report of it is believed; `null` for those of
   * earlier releases.
   */
  notice_key: string | null;
}

/** Calls that are recognised when they come again. */
export interface MailRepeatsTable {
  /** SHA-256 over all that a call says: 32 bytes. */
  hash: Uint8Array;
  mail_id: string;
  until: Instant;
}

/** Addresses that nothing is sent to. */
export interface MailSuppressionsTable {
  /** In lower case. */
  address: string;
  reason: 'bounce' | 'complaint' | 'unsubscribed' | 'manual';
  /** The server's reply, or an operator's note. */
  detail: string;
  /** The mail that it was about. */
  mail_id: string | null;
  created_at: Instant;
}

/** Verification codes on their way to phones. */
export interface SmsTable {
  /** The verification id. */
  id: string;
  user_id: string;
  /** Normal form. */
  phone: string;
  /** The key that {@link SmsTable.sealed} is encrypted with. */
  key_id: number;
  /** The code, encrypted; `null` as soon as nobody needs it. */
  sealed: Uint8Array | null;
  expires_at: Instant;
  created_at: Instant;
  /** What finds the call in the log. */
  request_id: string | null;
  /** The trace that the call belongs to (W3C Trace Context). */
  traceparent: string | null;
}

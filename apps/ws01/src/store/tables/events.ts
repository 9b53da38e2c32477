import type { Instant } from './values.ts';

/**
 * What happened: a change, the state of a message, the outcome of a code, a visit. Written with
 * what it tells of.
 */
export interface EventsTable {
  /** UUIDv7. */
  id: string;
  /**
   * Its number in the order of delivery; on PostgreSQL `null` until it gets one, soon after its
   * commit.
   */
  seq: number | null;
  at: Instant;
  /** `noun.verb`: `article.create`, `mail.bounced`. */
  type: string;
  /** The kind of record and its key. */
  kind: string;
  key: string | null;
  /** A JSON object with further details; never a text, an address, a number or a code. */
  data: string;
  /** The id of the request in the log. */
  request_id: string | null;
}

/**
 * The number of the last event that was taken for webhooks: one row, which is locked to take and
 * number events.
 */
interface EventSequenceTable {
  id: number;
  last: number;
}

/** Servers that receive events. */
export interface WebhooksTable {
  /** UUIDv7. */
  id: string;
  url: string;
  label: string;
  /** A JSON list of types, `article.*` and `*`. */
  types: string;
  /** A JSON list of what calls are signed with, the newest first: `{"secret", "until"}`. */
  secrets: string;
  created_at: Instant;
  disabled_at: Instant | null;
  disabled_reason: string | null;
  /** When somebody last asked to try it at once, whatever wait there is. */
  retried_at: Instant | null;
}

/** Events on their way to a webhook; how far they are is in the outbox. */
export interface WebhookDeliveriesTable {
  /** Of the outbox, too. */
  id: string;
  webhook_id: string;
  event_id: string;
  /** A JSON list of the latest attempts, the newest first (`DeliveryTry`); `null` before one. */
  tries: string | null;
}

/** The tables of events. */
export interface EventTables {
  events: EventsTable;
  event_sequence: EventSequenceTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
}

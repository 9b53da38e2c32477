import { sql } from 'kysely';
import { canonicalKey } from '../../domain/values/keys.ts';
import type { EventsTable, Instant, WebhooksTable } from '../../store/tables/tables.ts';
import { at, column, type Fields, type Filter, type Kind, shownInstant } from '../kind.ts';
import { instant, integer, list, map, nullable, type Schema, text, word } from '../schema.ts';
import { createdBetweenKeys } from './shared.ts';

const events: Fields<EventsTable> = {
  id: column(text('The `webhook-id` of its calls, and of nothing else.'), 'id'),
  seq: {
    schema: nullable(integer('Its number in the order of delivery; null for a moment.')),
    of: ({ seq }) => (seq === null ? null : Number(seq)),
  },
  at: at(instant('When it happened.'), 'at'),
  type: column(text('What happened: `article.create`, `mail.bounced`.'), 'type'),
  kind: column(text('The kind of record.'), 'kind'),
  key: column(nullable(text('The key of the record.')), 'key'),
  data: {
    schema: map('Numbers and words of ours.', text('')),
    of: ({ data }) => textsOf(JSON.parse(data)),
  },
  requestId: column(nullable(text('What finds the call in the log.')), 'request_id'),
};

function textsOf(data: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, String(value)]));
}

const narrows = (schema: Schema, named: string): Filter => ({
  schema,
  condition: (value) => ({ sql: sql<boolean>`${sql.raw(named)} = ${value}`, indexed: false }),
});

/** Events of the service. */
export const EVENTS: Kind<EventsTable> = {
  name: 'events',
  title: 'Event',
  key: { name: 'id', column: 'events.id', canonical: canonicalKey },
  from: 'events',
  columns: 'events.id, seq, at, type, kind, key, data, request_id',
  orders: { created: [{ sql: 'events.id', type: 'string' }] },
  sort: '-created',
  filters: {
    type: narrows(text('Only those of this type.'), 'events.type'),
    kind: narrows(text('Only those about this kind of record.'), 'events.kind'),
    key: narrows(text('Only those about this record.'), 'events.key'),
    ...createdBetweenKeys('events.id'),
  },
  fields: events,
};

/** An event that waits for longer is late; ms. */
const LATE_MS = 5 * 60_000;

type WebhookRow = Omit<WebhooksTable, 'secrets' | 'retried_at'> & {
  readonly waiting: number | string;
  readonly failed: number | string;
  readonly last_reply: string | null;
  readonly waiting_since: number | string | null;
};

const STATES = ['active', 'late', 'disabled'] as const;

/** Returns whether a webhook gets events, and whether they reach it in time. */
function stateOf(
  { disabled_at, failed, waiting_since }: WebhookRow,
  now: Instant,
): (typeof STATES)[number] {
  if (disabled_at !== null) return 'disabled';
  const isLate = waiting_since !== null && Number(waiting_since) < now - LATE_MS;
  return Number(failed) > 0 || isLate ? 'late' : 'active';
}

const webhooks: Fields<WebhookRow> = {
  id: column(text('The key of the webhook.'), 'id'),
  label: column(text('What people call it; may be empty.'), 'label'),
  host: { schema: text('The host that is called.'), of: ({ url }) => new URL(url).host },
  url: { ...column<WebhookRow>(text('What is called.'), 'url'), role: 'owner' },
  types: {
    schema: list('The types of events that it gets.', text('')),
    of: ({ types }) => JSON.parse(types),
  },
  state: {
    schema: word('Late: an event was given up, or waits for more than five minutes.', ...STATES),
    of: (row, { now }) => stateOf(row, now),
  },
  waiting: { schema: integer('Events on their way to it.'), of: ({ waiting }) => Number(waiting) },
  waitingSince: {
    schema: nullable(instant('When the oldest of them was recorded.')),
    of: ({ waiting_since }) => shownInstant(waiting_since === null ? null : Number(waiting_since)),
  },
  failed: { schema: integer('Events that were given up.'), of: ({ failed }) => Number(failed) },
  lastReply: column(
    nullable(text('What it answered to the newest event that is waiting or failed.')),
    'last_reply',
  ),
  createdAt: at(instant('When it was made.'), 'created_at'),
  disabledAt: at(nullable(instant('Told of nothing since then.')), 'disabled_at'),
  disabledReason: column(nullable(text('Why, where nobody asked for it.')), 'disabled_reason'),
};

/** Of a webhook, those in these states. The index of states finds them among all that were ever delivered. */
const deliveries = (states: string) =>
  `outbox where outbox.kind = 'webhook' and outbox.state in (${states})
    and (select d.webhook_id from webhook_deliveries d where d.id = outbox.id) = webhooks.id`;

const WAITING = "'queued', 'deferred', 'sending'";
const FAILED = "'failed', 'bounced'";

/** The condition that {@link stateOf} is this one. */
function inState(state: (typeof STATES)[number], now: Instant) {
  if (state === 'disabled') return sql<boolean>`webhooks.disabled_at is not null`;
  const failed = sql`exists (select 1 from ${sql.raw(deliveries(FAILED))})`;
  const waits = sql`exists (select 1 from ${sql.raw(deliveries(WAITING))} and outbox.created_at < ${now - LATE_MS})`;
  const isLate = sql`(${failed} or ${waits})`;
  return sql<boolean>`webhooks.disabled_at is null and ${state === 'late' ? isLate : sql`not ${isLate}`}`;
}

/** Webhooks, which receive events. */
export const WEBHOOKS: Kind<WebhookRow> = {
  name: 'webhooks',
  title: 'Webhook',
  key: { name: 'id', column: 'webhooks.id', canonical: canonicalKey },
  from: 'webhooks',
  columns: `webhooks.id, url, label, types, created_at, disabled_at, disabled_reason,
    (select count(*) from ${deliveries(WAITING)}) as waiting,
    (select min(outbox.created_at) from ${deliveries(WAITING)}) as waiting_since, (select count(*) from ${deliveries(FAILED)}) as failed,
    (select newest.last_reply from outbox newest
      where newest.id = (select max(outbox.id) from ${deliveries(`${WAITING}, ${FAILED}`)})) as last_reply`,
  orders: { created: [{ sql: 'webhooks.id', type: 'string' }] },
  sort: '-created',
  filters: {
    state: {
      schema: word('Only those in this state.', ...STATES),
      condition: (state, now) => ({
        sql: inState(state as (typeof STATES)[number], now),
        indexed: false,
      }),
    },
    ...createdBetweenKeys('webhooks.id'),
  },
  search: {
    description: 'Only those with these words in label or, for owners, address.',
    members: {
      label: 'webhooks.label',
      url: 'webhooks.url',
    },
  },
  fields: webhooks,
};

import { MINUTE_MS } from '@ws01/asmx/time';
import { sql } from 'kysely';
import type {
  EventsTable,
  Instant,
  OutboxState,
  OutboxTable,
  WebhookDeliveriesTable,
  WebhooksTable,
} from '../store/tables/tables.ts';
import { DELIVERY, deliveryFilter } from './common.ts';
import { byText, createdBetweenKeys } from './conditions.ts';
import { publicEvent } from './events.ts';
import { COUNTED } from './list.ts';
import { type Listing, member, REQUIRED, worked } from './record.ts';
import * as types from './types.ts';

/** An event that waits for longer is late; ms. */
const LATE_MS = 5 * MINUTE_MS;

type WebhookRow = WebhooksTable & {
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

const WAITING = ['queued', 'deferred', 'sending'] as const satisfies readonly OutboxState[];
const FAILED = ['failed', 'bounced'] as const satisfies readonly OutboxState[];
/** States of deliveries that have been tried, so that there is a reply, or a reason. */
const TRIED = ['deferred', ...FAILED] as const;
type Counted = (typeof WAITING)[number] | (typeof FAILED)[number];

const OF_WEBHOOK = 'from outbox where outbox.queue = webhooks.id and outbox.state';

const inStates = (states: readonly Counted[]) =>
  `${OF_WEBHOOK} in (${states.map((state) => `'${state}'`).join(', ')})`;

const countOf = (states: readonly Counted[]) =>
  `(select count(*) from (select 1 ${inStates(states)} limit ${COUNTED}) counted)`;

/**
 * What a column has of the oldest or newest delivery in some states: of each state the index has
 * it.
 */
function endOf(column: string, end: 'min' | 'max', states: readonly Counted[]): string {
  const ends = states.map((state) => `select ${end}(outbox.id) as id ${OF_WEBHOOK} = '${state}'`);
  return `(select found.${column} from outbox found
    where found.id = (select ${end}(ends.id) from (${ends.join(' union all ')}) ends))`;
}

const WAITING_SINCE = endOf('created_at', 'min', WAITING);

/** The last one may be tried again just now, or was asked for again. */
const LAST_REPLY = `coalesce(${[TRIED, ['sending'] as const, WAITING]
  .map((states) => endOf('last_reply', 'max', states))
  .join(', ')})`;

/** The condition that {@link stateOf} is this one. */
function inState(state: (typeof STATES)[number], now: Instant) {
  if (state === 'disabled') return sql<boolean>`webhooks.disabled_at is not null`;
  const failed = sql`exists (select 1 ${sql.raw(inStates(FAILED))})`;
  const waits = sql`coalesce(${sql.raw(WAITING_SINCE)} < ${now - LATE_MS}, ${sql.lit(false)})`;
  const isLate = sql`(${failed} or ${waits})`;
  return sql<boolean>`webhooks.disabled_at is null and ${state === 'late' ? isLate : sql`not ${isLate}`}`;
}

/** Servers that receive events. */
export const WEBHOOKS = {
  table: 'webhooks',
  name: 'webhooks',
  title: 'Webhook',
  key: 'id',
  members: {
    id: member('id', types.key, 'The key of the webhook.', REQUIRED),
    label: member('label', types.text(), 'What people call it; may be empty.', REQUIRED),
    host: worked(types.text(), 'The host that is called.', ({ url }) => new URL(url).host),
    url: member('url', types.text(), 'What is called.', { ...REQUIRED, role: 'owner' }),
    types: member('types', types.list, 'The types of events that it gets.', REQUIRED),
    state: worked(
      types.word(...STATES),
      'Late: an event was given up, or waits for more than five minutes.',
      (row, { now }) => stateOf(row, now),
    ),
    waiting: worked(
      types.count,
      `Events on their way to it; ${COUNTED} stands for as many or more.`,
      ({ waiting }) => Number(waiting),
    ),
    waitingSince: worked(
      types.instant,
      'When the oldest of them was recorded.',
      ({ waiting_since }) =>
        waiting_since === null ? null : types.instant.write(Number(waiting_since)),
      { absent: null },
    ),
    failed: worked(
      types.count,
      `Events that were given up; ${COUNTED} stands for as many or more.`,
      ({ failed }) => Number(failed),
    ),
    lastReply: worked(
      types.text(),
      'What it answered to the newest event that failed, also for now; without an answer why.',
      ({ last_reply }) => last_reply,
      { absent: null },
    ),
    createdAt: member('created_at', types.instant, 'When it was made.', REQUIRED),
    disabledAt: member('disabled_at', types.instant, 'Told of nothing since then.'),
    disabledReason: member('disabled_reason', types.text(), 'Why, where nobody asked for it.'),
  },
  reads: `${countOf(WAITING)} as waiting, ${WAITING_SINCE} as waiting_since, ${countOf(FAILED)} as failed,
    ${LAST_REPLY} as last_reply`,
  layout: {
    columns: ['label', 'state', 'lastReply', 'host', 'types', 'waiting', 'failed'],
    called: ['label', 'host'],
  },
  orders: { created: byText('webhooks.id') },
  sort: '-created',
  filters: {
    state: {
      about: 'Only those in this state.',
      type: types.word(...STATES),
      condition: (state, now) => ({
        sql: inState(state as (typeof STATES)[number], now),
        indexed: false,
      }),
    },
    ...createdBetweenKeys('webhooks.id'),
  },
  searched: ['label', 'url'],
} as const satisfies Listing<WebhookRow>;

type DeliveryRow = WebhookDeliveriesTable &
  Pick<
    OutboxTable,
    'state' | 'attempts' | 'due_at' | 'finished_at' | 'last_reply' | 'created_at'
  > & {
    readonly event_type: string | null;
    readonly event_kind: string | null;
    readonly event_key: string | null;
    readonly label: string | null;
  } & Partial<EventColumns>;

/** What is read of an event where its delivery is shown alone. */
type EventColumns = {
  readonly [Name in 'seq' | 'at' | 'data' | 'request_id' as `event_${Name}`]:
    | EventsTable[Name]
    | null;
};

/** The body of the calls; `null` once the event is gone. */
function bodyOf(row: DeliveryRow): string | null {
  const { event_type: type, event_kind: kind, event_key: key, event_seq: seq = null } = row;
  const { event_at: at, event_data: data, event_request_id: request_id = null } = row;
  if (at == null || data == null || type === null || kind === null) return null;
  return JSON.stringify(publicEvent({ seq, at, type, kind, key, data, request_id }));
}

/** An attempt to deliver an event, as it is stored with the delivery. */
export interface DeliveryTry {
  readonly at: Instant;
  /** `null` without an answer. */
  readonly status: number | null;
  readonly reply: string;
  /** The beginning of the answer's body. */
  readonly answer: string;
  readonly ms: number;
}

const triesOf = ({ tries }: DeliveryRow): readonly DeliveryTry[] =>
  tries === null ? [] : JSON.parse(tries);

/** What came of an attempt; how long it took is of interest where there was an answer. */
function triedText({ status, reply, answer, ms }: DeliveryTry): string {
  if (status === null) return reply;
  return [`${reply} (${ms} ms)`, answer].filter((text) => text !== '').join(': ');
}

const event = (column: string) =>
  `(select events.${column} from events where events.id = webhook_deliveries.event_id) as event_${column}`;

/** Events on their way to webhooks, and those that got there. */
export const WEBHOOK_DELIVERIES = {
  table: 'webhook_deliveries',
  name: 'deliveries',
  title: 'Delivery',
  key: 'id',
  members: {
    id: member('id', types.key, 'The key.', REQUIRED),
    webhookId: member('webhook_id', types.key, 'The webhook.', REQUIRED),
    webhook: worked(
      types.text(),
      'What people call the webhook; null for one that was removed.',
      ({ label }) => label,
      { absent: null },
    ),
    eventId: member(
      'event_id',
      types.key,
      'The event, and the `webhook-id` of the calls.',
      REQUIRED,
    ),
    type: worked(types.text(), 'What happened: `article.create`.', (row) => row.event_type, {
      absent: null,
    }),
    targetKind: worked(types.text(), 'The kind of record.', (row) => row.event_kind, {
      absent: null,
    }),
    targetKey: worked(types.text(), 'The key of the record.', (row) => row.event_key, {
      absent: null,
    }),
    ...DELIVERY,
    createdAt: member('created_at', types.instant, 'When it was queued.', {
      table: 'outbox',
      ...REQUIRED,
    }),
    answerStatus: worked(
      types.count,
      'The HTTP status of the last attempt; null without an answer.',
      (row) => triesOf(row)[0]?.status ?? null,
      { absent: null },
    ),
    tries: worked(
      types.texts,
      'The last attempts, the newest first: by time, the status, how long it took, and the beginning of the answer.',
      (row) =>
        Object.fromEntries(
          triesOf(row).map((tried) => [types.instant.write(tried.at), triedText(tried)]),
        ),
      { detail: true, role: 'owner' },
    ),
    body: worked(types.text(), 'What is sent; null once the event is gone.', bodyOf, {
      ...{ absent: null, detail: true, role: 'owner' },
    }),
  },
  readsInDetail: ['seq', 'at', 'data', 'request_id'].map(event).join(', '),
  reads: `webhook_deliveries.tries, ${event('type')}, ${event('kind')}, ${event('key')},
    (select webhooks.label from webhooks where webhooks.id = webhook_deliveries.webhook_id) as label`,
  lookUp: { table: 'outbox', on: 'outbox.id = webhook_deliveries.id' },
  layout: {
    columns: ['type', 'status', 'lastReply', 'targetKey', 'webhook', 'attempts', 'createdAt'],
    called: ['type', 'id'],
    folded: ['id', 'eventId', 'targetKind'],
  },
  orders: { created: byText('webhook_deliveries.id') },
  sort: '-created',
  filters: {
    webhookId: 'Only those to this webhook.',
    status: deliveryFilter('webhook', 'webhook_deliveries'),
    ...createdBetweenKeys('webhook_deliveries.id', 'outbox.id'),
  },
} as const satisfies Listing<DeliveryRow>;

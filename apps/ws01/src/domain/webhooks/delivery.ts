import { HOUR_MS } from '@ws01/asmx/time';
import { type Kysely, sql } from 'kysely';
import type { WebhookClient } from '../../adapters/webhooks/client.ts';
import { publicEvent } from '../../records/events.ts';
import { sendable } from '../../records/types.ts';
import type { DeliveryTry } from '../../records/webhooks.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import type { AttemptOutcome, Delivery, OutboxMessage } from '../outbox/delivery.ts';
import { beginningOf } from '../values/shown-text.ts';
import { secondsOf, signatureOf, webhookHeaders } from './signature.ts';
import { disableWebhook, isRetried, lockWebhook, wasRetried } from './webhooks.ts';

/** Largest number of concurrent calls of one webhook, so that a slow one does not block others. */
const PER_WEBHOOK = 3;

/** Interval for checking whether a busy webhook is free again; ms. */
const CROWDED_MS = 1_000;

/** Backoff of a failing webhook: doubles from the first to the longest wait, ±20 %; ms. */
const WAITS = { first: 5_000, longest: HOUR_MS } as const;

interface WebhookDeliveryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly client: WebhookClient;
  readonly waits?: Delivery['waits'];
}

/** The state of a webhook in this process. */
interface Standing {
  underWay: number;
  /** When the attempt began that failed last. */
  failedAt: Instant;
  failures: number;
  /** While it fails, the instant of the next attempt, which is a single call. */
  until: Instant;
}

/** Delivery of events to webhooks. A failing webhook delays neither the others nor the outbox. */
export class WebhookDelivery implements Delivery {
  readonly kind = 'webhook';
  readonly slots = 10;
  readonly waits: Delivery['waits'];
  readonly #deps: WebhookDeliveryDeps;
  readonly #standings = new Map<string, Standing>();

  constructor(deps: WebhookDeliveryDeps) {
    this.#deps = deps;
    this.waits = deps.waits ?? WAITS;
  }

  async deliver(
    { id }: OutboxMessage,
    signal: AbortSignal,
    isHeld: () => boolean,
  ): Promise<AttemptOutcome> {
    const { store, clock, client } = this.#deps;
    const delivery = await store.read((db) => deliveryById.first(db, { id }));
    if (delivery === undefined)
      return { kind: 'cancelled', reply: 'The webhook was removed, or the event is gone.' };
    const { webhook_id, url, secrets, disabled_at, retried_at, event_id, tries, ...event } =
      delivery;
    if (disabled_at !== null) return { kind: 'cancelled', reply: 'The webhook is disabled.' };
    const standing = this.#standingOf(webhook_id);
    const now = clock();
    if (isRetried(retried_at, standing.failedAt, now)) standing.until = 0;
    const fails = standing.failures > 0;
    if (fails && now < standing.until) return { kind: 'later', at: standing.until };
    if (standing.underWay >= (fails ? 1 : PER_WEBHOOK))
      return { kind: 'later', at: now + CROWDED_MS };
    if (!isHeld()) return { kind: 'later', at: now };
    standing.underWay++;
    try {
      const body = JSON.stringify(publicEvent(event));
      // Receivers compare it with their own clock.
      const timestamp = secondsOf(Date.now());
      const signed = { id: event_id, timestamp, body };
      const signature = signatureOf(JSON.parse(secrets), now, signed);
      const headers = webhookHeaders(event_id, timestamp, signature);
      const began = performance.now();
      const { status, reply, answer } = await client.post(url, headers, body, signal);
      const ms = Math.round(performance.now() - began);
      const outcome = await this.#judge(delivery, standing, { status, reply, began: now }, signal);
      const tried = { at: now, status: status ?? null, reply, answer: shortened(answer), ms };
      if (outcome.kind === 'later') return outcome;
      if (outcome.kind !== 'deferred') return alsoRecording(id, tried, tries, outcome);
      const also = async (tx: Kysely<Tables>) => {
        const at = clock();
        if (await wasRetried(tx, webhook_id, now, at)) await dueOnceMore.run(tx, { id, at });
      };
      return alsoRecording(id, tried, tries, { ...outcome, also });
    } finally {
      standing.underWay--;
    }
  }

  async close(): Promise<void> {}

  async #judge(
    { webhook_id: id }: { readonly webhook_id: string },
    standing: Standing,
    { status, reply, began }: Attempt,
    signal: AbortSignal,
  ): Promise<AttemptOutcome> {
    const { store, clock } = this.#deps;
    // This service aborted the call, for example at a stop; the webhook is not at fault.
    if (signal.aborted && status === undefined) return { kind: 'later', at: clock() };
    if (status === 410) {
      const also = async (tx: Kysely<Tables>) => {
        await disableWebhook(tx, id, clock(), undefined, 'It answered 410 Gone.');
      };
      return { kind: 'bounced', reply: 'HTTP 410: the webhook is disabled', also };
    }
    if (status !== undefined && status >= 200 && status < 300) {
      if (standing.failures > 0) await store.write((tx) => dueFrom(tx, id, clock()));
      standing.failures = 0;
      return { kind: 'sent', reply };
    }
    const { first, longest } = this.waits;
    const wait = Math.min(longest, first * 2 ** Math.min(standing.failures, 30));
    standing.failures++;
    standing.failedAt = began;
    standing.until = clock() + Math.round(wait * (0.8 + 0.4 * Math.random()));
    // One statement postpones the other deliveries of this webhook, too; those of a retry meanwhile
    // it does not.
    await store.write(async (tx) => {
      await lockWebhook(tx, id);
      if (!(await wasRetried(tx, id, began, clock()))) await dueFrom(tx, id, standing.until);
    });
    return { kind: 'deferred', reply };
  }

  #standingOf(id: string): Standing {
    const present = this.#standings.get(id) ?? { underWay: 0, failures: 0, failedAt: 0, until: 0 };
    this.#standings.set(id, present);
    return present;
  }
}

/** An attempt that was made. */
interface Attempt {
  /** `undefined` without an answer. */
  readonly status: number | undefined;
  readonly reply: string;
  readonly began: Instant;
}

/** Attempts of a delivery that are kept; the newest. */
const TRIES_KEPT = 10;

/** Longest beginning of an answer that is kept; UTF-16 code units. */
const ANSWER_MOST = 500;

const shortened = (answer: string): string =>
  beginningOf(sendable(answer.toWellFormed()).trim(), ANSWER_MOST);

/** Has the transaction that stores an outcome record the attempt as well. */
function alsoRecording(
  id: string,
  tried: DeliveryTry,
  earlier: string | null,
  outcome: Exclude<AttemptOutcome, { kind: 'later' }>,
): AttemptOutcome {
  const all = [tried, ...(earlier === null ? [] : JSON.parse(earlier))].slice(0, TRIES_KEPT);
  const also = async (tx: Kysely<Tables>) => {
    await setTries.run(tx, { id, tries: JSON.stringify(all) });
    if ('also' in outcome) await outcome.also?.(tx);
  };
  return { ...outcome, also } as AttemptOutcome;
}

const setTries = prepare((db, { id, tries }: { id: string; tries: string }) =>
  db.updateTable('webhook_deliveries').set({ tries }).where('id', '=', id),
);

/** Has a delivery tried at once that has just failed, also where its attempts were over. */
const dueOnceMore = prepare((db, { id, at }: { id: string; at: Instant }) =>
  db
    .updateTable('outbox')
    .set({ state: 'deferred', due_at: at, finished_at: null })
    .where('id', '=', id)
    .where('state', 'in', ['deferred', 'failed']),
);

/**
 * Computes the next attempt for a webhook; never later than its end of retries. Deliveries that a
 * node of 0.2.0 has queued get their webhook here.
 */
async function dueFrom(tx: Kysely<Tables>, webhookId: string, at: Instant): Promise<void> {
  await sql`update outbox set due_at = case when give_up_at < ${at} then give_up_at else ${at} end,
      queue = ${webhookId}
    where kind = 'webhook' and state in ('queued', 'deferred')
      and id in (select id from webhook_deliveries where webhook_id = ${webhookId})`.execute(tx);
}

const deliveryById = prepare((db, { id }: { id: string }) =>
  db
    .selectFrom('webhook_deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
    .innerJoin('events', 'events.id', 'webhook_deliveries.event_id')
    .select([
      ...([
        'webhook_id',
        'event_id',
        'tries',
        'url',
        'secrets',
        'disabled_at',
        'retried_at',
        'events.request_id',
      ] as const),
      ...([
        'events.seq',
        'events.at',
        'events.type',
        'events.kind',
        'events.key',
        'events.data',
      ] as const),
    ])
    .where('webhook_deliveries.id', '=', id),
);

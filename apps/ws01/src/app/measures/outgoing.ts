import { countMessages, oldestInState } from '../../domain/outbox/rows.ts';
import type { Store } from '../../store/store.ts';
import type { OutboxKind } from '../../store/tables/tables.ts';
import type { AskedMetric } from '../../web/metrics/metrics.ts';
import type { ResourceDeps, Resources } from '../resources.ts';
import { type Once, sparingly } from './asking.ts';

const KINDS: readonly OutboxKind[] = ['mail', 'sms', 'webhook'];

/** What is in the outbox. */
export function outboxMetrics({ store, clock }: ResourceDeps, once: Once): AskedMetric[] {
  const count = sparingly(() => store.scan((db) => countMessages(db)));
  return [
    {
      name: 'ws01_outbox_messages',
      help: 'Messages in the database by what has become of them; queued, deferred and sending are on their way.',
      type: 'gauge',
      labels: ['kind', 'state'],
      merge: 'max',
      ask: once(async () => {
        const counts = await count();
        const found = counts.map(
          ({ kind, state, count: messages }) => [{ kind, state }, messages] as const,
        );
        // An empty queue is reported as 0, not left out.
        const empty = KINDS.flatMap((kind) => WAITING.map((state) => ({ kind, state }))).filter(
          (one) => !counts.some(({ kind, state }) => kind === one.kind && state === one.state),
        );
        return [...found, ...empty.map((labels) => [labels, 0] as const)];
      }),
    },
    {
      name: 'ws01_outbox_oldest_seconds',
      help: 'Age of the oldest message that is on its way; 0 when there is none.',
      type: 'gauge',
      labels: ['kind'],
      merge: 'max',
      ask: once(async () => {
        const ages: [{ kind: string }, number][] = [];
        for (const kind of KINDS)
          ages.push([{ kind }, (await oldestAge(store, kind, clock())) / 1_000]);
        return ages;
      }),
    },
  ];
}

const WAITING = ['queued', 'deferred', 'sending'] as const;

/** Age of the oldest message, in ms; 0 if there is none. */
async function oldestAge(store: Store, kind: OutboxKind, now: number): Promise<number> {
  let oldest = now;
  for (const state of WAITING) {
    const row = await store.read((db) => oldestInState.first(db, { kind, state }));
    if (row !== undefined) oldest = Math.min(oldest, row.created_at);
  }
  return now - oldest;
}

/** What has become of attempts to send, and of verification codes. */
export function sendingMetrics({ outgoing, codes }: Resources): AskedMetric[] {
  return [
    {
      name: 'ws01_outbox_attempts_total',
      help: 'Attempts to send, by what they have come to.',
      type: 'counter',
      labels: ['kind', 'outcome'],
      ask: () =>
        KINDS.flatMap((kind) =>
          [...outgoing.outcomes[kind]].map(
            ([outcome, attempts]) => [{ kind, outcome }, attempts] as const,
          ),
        ),
    },
    {
      name: 'ws01_outbox_unreachable',
      help: '1 while the mail server or the SMS gateway cannot be reached.',
      type: 'gauge',
      labels: ['kind'],
      merge: 'max',
      ask: async () => {
        const states: [{ kind: string }, number][] = [];
        for (const { name, check } of outgoing.reachable) {
          const isReached = await check().then(
            () => true,
            () => false,
          );
          states.push([{ kind: name }, isReached ? 0 : 1]);
        }
        return states;
      },
    },
    {
      name: 'ws01_phone_codes_total',
      help: 'Verification codes: created, verified, answered wrongly, too late (expired) or too often (locked); of those with an SMS gateway, sent (it took the message) and undeliverable.',
      type: 'counter',
      labels: ['event'],
      ask: () => {
        const attempts = outgoing.outcomes.sms;
        const undeliverable = (attempts.get('bounced') ?? 0) + (attempts.get('failed') ?? 0);
        return Object.entries({
          ...codes.events,
          sent: attempts.get('sent') ?? 0,
          undeliverable,
        }).map(([event, count]) => [{ event }, count] as const);
      },
    },
  ];
}

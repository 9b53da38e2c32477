import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { EventsTable, Instant, Tables } from '../../store/tables/tables.ts';
import { newKey } from '../values/keys.ts';

/** The type of a test event, sent only to the webhook in its key. */
export const TEST = 'webhook.test';

/** Largest number of rows in one statement. */
const BATCH = 500;

/**
 * Queues events for the webhooks that subscribe to them, in the transaction that takes the events.
 * @returns how many deliveries were queued.
 */
export async function queueDeliveries(
  tx: Kysely<Tables>,
  events: readonly Pick<EventsTable, 'id' | 'type' | 'key'>[],
  now: Instant,
  giveUpAfter: number,
): Promise<number> {
  const webhooks = await enabled.all(tx, {});
  const wanted = webhooks.map(({ id, types }) => ({ id, wants: wants(JSON.parse(types)) }));
  const deliveries = events.flatMap((event) =>
    wanted
      .filter(({ id, wants }) => (event.type === TEST ? event.key === id : wants(event.type)))
      .map(({ id }) => ({ webhook: id, event: event.id })),
  );
  await insertDeliveries(tx, deliveries, now, giveUpAfter);
  return deliveries.length;
}

async function insertDeliveries(
  tx: Kysely<Tables>,
  deliveries: readonly { readonly webhook: string; readonly event: string }[],
  now: Instant,
  giveUpAfter: number,
): Promise<void> {
  for (let start = 0; start < deliveries.length; start += BATCH) {
    const rows = deliveries
      .slice(start, start + BATCH)
      .map(({ webhook, event }) => ({ id: newKey(), webhook_id: webhook, event_id: event }));
    await tx.insertInto('webhook_deliveries').values(rows).execute();
    const work = rows.map(({ id, webhook_id }) => ({
      ...{ id, kind: 'webhook' as const, state: 'queued' as const, attempts: 0, deferrals: 0 },
      ...{ created_at: now, due_at: now, give_up_at: now + giveUpAfter },
      ...{ lease: null, last_reply: null, finished_at: null, queue: webhook_id },
    }));
    await tx.insertInto('outbox').values(work).execute();
  }
}

/**
 * Returns a function that checks whether a webhook subscribes to a type: by `*`, `article.*` or the
 * type itself.
 */
function wants(types: readonly string[]): (type: string) => boolean {
  const named = new Set(types);
  return (type) =>
    named.has('*') || named.has(type) || named.has(`${type.slice(0, type.indexOf('.'))}.*`);
}

const enabled = prepare((db) =>
  db.selectFrom('webhooks').select(['id', 'types']).where('disabled_at', 'is', null).orderBy('id'),
);

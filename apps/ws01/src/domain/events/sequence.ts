import { type Kysely, sql } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { EventsTable, Instant, Tables } from '../../store/tables/tables.ts';
import { queueDeliveries } from '../webhooks/queue.ts';

/** Maximum number of events that are numbered in one transaction. */
const PAGE = 200;

/** How many events were numbered, and how many deliveries to webhooks that queued. */
interface Sequenced {
  readonly events: number;
  readonly deliveries: number;
}

/**
 * Numbers the events, and queues them for webhooks. Events are numbered after their commit, one transaction at a time,
 * so a reader who has seen a number has missed no lower one. Any number of processes may do it.
 * @param giveUpAfter how long a delivery is retried; ms.
 */
export async function sequenceEvents(store: Store, now: Instant, giveUpAfter: number): Promise<Sequenced> {
  let [events, deliveries] = [0, 0];
  while ((await store.read((db) => waiting.first(db, {}))) !== undefined) {
    const page = await store.write((tx) => sequencePage(tx, now, giveUpAfter));
    events += page.events;
    deliveries += page.deliveries;
    if (page.events < PAGE) break;
  }
  return { events, deliveries };
}

async function sequencePage(tx: Kysely<Tables>, now: Instant, giveUpAfter: number): Promise<Sequenced> {
  // The row is locked until the commit.
  const { last } = (await lockSequence.first(tx, {}))!;
  const { rows } = await sql<Pick<EventsTable, 'id' | 'type' | 'key'>>`
    update events set seq = placed.place + ${Number(last)}
    from (select id as placed_id, row_number() over (order by id) as place
      from events where seq is null order by id limit ${PAGE}) as placed
    where events.id = placed.placed_id
    returning events.id, events.type, events.key`.execute(tx);
  if (rows.length === 0) return { events: 0, deliveries: 0 };
  await advance.run(tx, { last: Number(last) + rows.length });
  return { events: rows.length, deliveries: await queueDeliveries(tx, rows, now, giveUpAfter) };
}

const waiting = prepare((db) => db.selectFrom('events').select('id').where('seq', 'is', null).limit(1));

const lockSequence = prepare((db) =>
  db
    .updateTable('event_sequence')
    .set((eb) => ({ last: eb.ref('last') }))
    .where('id', '=', 1)
    .returning('last'),
);

const advance = prepare((db, { last }: { last: number }) =>
  db.updateTable('event_sequence').set({ last }).where('id', '=', 1),
);

/** Returns the position of the newest event. */
export const lastPosition = prepare((db) => db.selectFrom('event_sequence').select('last').where('id', '=', 1));

/** Returns the events after a position, in order. */
export const eventsAfter = prepare((db, { after, most }: { after: number; most: number }) =>
  db.selectFrom('events').selectAll().where('seq', '>', after).orderBy('seq').limit(most),
);

/** Returns an event as it is sent: without texts, addresses, numbers and codes, but with the key of the record. */
export function publicEvent({ seq, at, type, kind, key, data, request_id }: Omit<EventsTable, 'id'>) {
  return {
    type,
    timestamp: new Date(at).toISOString(),
    data: { seq, kind, key, ...JSON.parse(data), requestId: request_id },
  };
}

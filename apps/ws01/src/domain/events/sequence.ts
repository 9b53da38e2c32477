import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../../store/engine-of.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { EventsTable, Instant, Tables } from '../../store/tables/tables.ts';
import { queueDeliveries } from '../webhooks/queue.ts';

/** Maximum number of events that are taken in one transaction. */
const PAGE = 200;

/** What is known once no event waits. */
interface Sequenced {
  /** The number of the last event that was taken. */
  readonly last: number;
  /** How many deliveries to webhooks were queued. */
  readonly deliveries: number;
}

/**
 * Queues new events for webhooks. On PostgreSQL it numbers them before: after their commit, one
 * transaction at a time, so a reader who has seen a number has missed no lower one. On SQLite they
 * have their numbers, unless release 0.2.0 wrote them, and without a webhook they were taken as
 * they were written. Any number of processes may do it.
 * @param giveUpAfter how long a delivery is retried; ms.
 */
export async function sequenceEvents(
  store: Store,
  now: Instant,
  giveUpAfter: number,
): Promise<Sequenced> {
  let deliveries = 0;
  for (;;) {
    const [one, position] = await store.read((db) =>
      Promise.all([waiting.first(db, {}), lastPosition.first(db, {})]),
    );
    if (one === undefined) return { last: Number(position?.last ?? 0), deliveries };
    deliveries += await store.write((tx) => sequencePage(tx, now, giveUpAfter));
  }
}

/** @returns how many deliveries were queued. */
async function sequencePage(
  tx: Kysely<Tables>,
  now: Instant,
  giveUpAfter: number,
): Promise<number> {
  // The row is locked until the commit.
  const { last } = (await lockSequence.first(tx, {}))!;
  const events = isPostgres(tx)
    ? await numberWaiting(tx, Number(last))
    : await numbered(tx, Number(last));
  if (events.length === 0) return 0;
  await advance.run(tx, { last: Math.max(...events.map(({ seq }) => Number(seq))) });
  return queueDeliveries(tx, events, now, giveUpAfter);
}

type Taken = Pick<EventsTable, 'id' | 'seq' | 'type' | 'key'>;

/** Returns the events of SQLite after the last that was taken. */
async function numbered(tx: Kysely<Tables>, last: number): Promise<readonly Taken[]> {
  const highest = await highestNumber.first(tx, {});
  await numberWaiting(tx, Math.max(last, Number(highest?.seq ?? 0)));
  return eventsAfter.all(tx, { after: last, most: PAGE });
}

/** @param last the last number given. */
async function numberWaiting(tx: Kysely<Tables>, last: number): Promise<readonly Taken[]> {
  const { rows } = await sql<Taken>`
    update events set seq = placed.place + ${last}
    from (select id as placed_id, row_number() over (order by id) as place
      from events where seq is null order by id limit ${PAGE}) as placed
    where events.id = placed.placed_id
    returning events.id, events.seq, events.type, events.key`.execute(tx);
  return rows;
}

const waiting = prepare((db) => {
  const events = db.selectFrom('events').select('id').limit(1);
  if (isPostgres(db)) return events.where('seq', 'is', null);
  return events.where((eb) =>
    eb.or([
      eb('seq', 'is', null),
      eb(
        'seq',
        '>',
        eb.selectFrom('event_sequence').select('last').where('event_sequence.id', '=', 1),
      ),
    ]),
  );
});

const highestNumber = prepare((db) =>
  db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1),
);

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

/** Returns the number of the last event that was taken. */
export const lastPosition = prepare((db) =>
  db.selectFrom('event_sequence').select('last').where('id', '=', 1),
);

/** Returns the events after a position, in order. */
export const eventsAfter = prepare((db, { after, most }: { after: number; most: number }) =>
  db.selectFrom('events').selectAll().where('seq', '>', after).orderBy('seq').limit(most),
);

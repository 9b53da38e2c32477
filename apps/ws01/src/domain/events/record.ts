import { channel } from 'node:diagnostics_channel';
import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../../store/engine-of.ts';
import { columns, prepare } from '../../store/prepared.ts';
import { afterCommit } from '../../store/scope.ts';
import type { EventsTable, Instant, Tables } from '../../store/tables/tables.ts';
import { newKey } from '../values/keys.ts';

/**
 * Published when this process has committed events, so that webhooks and streams get them at once.
 */
export const EVENTS_COMMITTED = channel('ws01:events-committed');

const publishCommit = () => EVENTS_COMMITTED.publish(undefined);

/** An event for webhooks and streams. */
export interface NewEvent {
  readonly id?: string;
  readonly at: Instant;
  /** `noun.verb`. */
  readonly type: string;
  readonly kind: string;
  /** The key of the record; never an address or a number. */
  readonly key: string | null | undefined;
  /** Only numbers and words of this service, nothing that a person wrote. */
  readonly data?: Readonly<Record<string, number | string>>;
  readonly requestId?: string | null | undefined;
}

/** Returns the row of an event without a number. */
function eventOf({ id, at, type, kind, key, data, requestId }: NewEvent): Omit<EventsTable, 'seq'> {
  return {
    id: id ?? newKey(),
    at,
    type,
    kind,
    key: key ?? null,
    data: JSON.stringify(data ?? {}),
    request_id: requestId ?? null,
  };
}

/** Writes an event, in the transaction of its change. */
export async function recordEvent(tx: Kysely<Tables>, event: NewEvent): Promise<void> {
  await recordEvents(tx, [event]);
}

/** Events per statement. */
const BATCH = 500;

/** As {@link recordEvent}, for many events. */
export async function recordEvents(tx: Kysely<Tables>, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  afterCommit(tx, publishCommit);
  if (!isPostgres(tx)) {
    for (const event of events) insertEvent.send(tx, eventOf(event));
    passOverEvents.send(tx, {});
    return;
  }
  if (events.length === 1) {
    insertEvent.send(tx, eventOf(events[0]!));
    return;
  }
  for (let start = 0; start < events.length; start += BATCH) {
    await tx
      .insertInto('events')
      .values(events.slice(start, start + BATCH).map((event) => ({ ...eventOf(event), seq: null })))
      .execute();
  }
}

/**
 * On SQLite, where one transaction is written after the other, an event has its number from the
 * start. On PostgreSQL it gets it after the commit (see `sequence.ts`), since a transaction with a
 * lower number could commit later.
 */
const insertEvent = prepare((db, row: Omit<EventsTable, 'seq'>) =>
  db.insertInto('events').values({
    id: row.id,
    seq: isPostgres(db) ? null : nextNumber,
    ...columns(row, 'at type kind key data request_id'),
  }),
);

/**
 * Marks the events of SQLite as taken where no webhook wants them, in the transaction of their
 * change, so that a write is one transaction. Where there is a webhook, `sequence.ts` takes them.
 */
const passOverEvents = prepare((db) =>
  db
    .updateTable('event_sequence')
    .set((eb) => ({
      last: eb.selectFrom('events').select((events) => events.fn.max<number>('seq').as('seq')),
    }))
    .where('id', '=', 1)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('webhooks').select('id').where('disabled_at', 'is', null))),
    ),
);

/**
 * One more than the last number given: an event may have been purged, but not before `last` has
 * passed it.
 */
const nextNumber = sql<number>`(select max(last, coalesce((select max(seq) from events), 0)) + 1
  from event_sequence where id = 1)`;

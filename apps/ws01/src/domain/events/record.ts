import { channel } from 'node:diagnostics_channel';
import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import { afterCommit } from '../../store/scope.ts';
import type { EventsTable, Instant, Tables } from '../../store/tables/tables.ts';
import { newKey } from '../values/keys.ts';

/** Published when this process has committed events, so that they are numbered at once. */
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

/** Returns the row of an event without a position. */
function eventOf({ id, at, type, kind, key, data, requestId }: NewEvent): EventsTable {
  return {
    id: id ?? newKey(),
    seq: null,
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
  insertEvent.send(tx, eventOf(event));
  afterCommit(tx, publishCommit);
}

/** Events per statement; SQLite allows 32,766 values. */
const BATCH = 500;

/** As {@link recordEvent}, for many events. */
export async function recordEvents(tx: Kysely<Tables>, events: readonly NewEvent[]): Promise<void> {
  for (let start = 0; start < events.length; start += BATCH) {
    await tx
      .insertInto('events')
      .values(events.slice(start, start + BATCH).map(eventOf))
      .execute();
  }
  if (events.length > 0) afterCommit(tx, publishCommit);
}

const insertEvent = prepare((db, row: EventsTable) =>
  db.insertInto('events').values({
    id: row.id,
    seq: row.seq,
    at: row.at,
    type: row.type,
    kind: row.kind,
    key: row.key,
    data: row.data,
    request_id: row.request_id,
  }),
);

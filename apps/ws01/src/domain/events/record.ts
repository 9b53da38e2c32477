import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { EventsTable, Instant, Tables } from '../../store/tables/tables.ts';
import { newKey } from '../values/keys.ts';

/** Something that happened, as webhooks and streams are told. */
export interface NewEvent {
  readonly id?: string;
  readonly at: Instant;
  /** `noun.verb`. */
  readonly type: string;
  readonly kind: string;
  /** The key of the record; never an address or a number. */
  readonly key: string | null | undefined;
  /** Numbers and words of our own alone: nothing that a person wrote. */
  readonly data?: Readonly<Record<string, number | string>>;
  readonly requestId?: string | null | undefined;
}

/** An event that has no place yet. */
export function eventOf({ id, at, type, kind, key, data, requestId }: NewEvent): EventsTable {
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
}

/** Events of one statement at most; SQLite takes 32,766 values. */
const BATCH = 500;

/** As {@link recordEvent}, many at once. */
export async function recordEvents(tx: Kysely<Tables>, events: readonly NewEvent[]): Promise<void> {
  for (let start = 0; start < events.length; start += BATCH) {
    await tx
      .insertInto('events')
      .values(events.slice(start, start + BATCH).map(eventOf))
      .execute();
  }
}

export const insertEvent = prepare((db, row: EventsTable) =>
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

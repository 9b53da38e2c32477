import type { Kysely } from 'kysely';
import { columns, prepare } from '../../store/prepared.ts';
import { lockFreeRows } from '../../store/row-lock.ts';
import type {
  Instant,
  OutboxKind,
  OutboxState,
  OutboxTable,
  Tables,
} from '../../store/tables/tables.ts';
import { recordEvent } from '../events/record.ts';
import type { OutboxMessage } from './delivery.ts';
import { isSame, type SeenLease } from './lease-watch.ts';
import type { Settlement } from './schedule.ts';

/** The queries of the outbox. */

/** A new message: `queued`, `kept` until someone requests it, or already settled. */
interface NewMessage {
  readonly id: string;
  readonly kind: OutboxKind;
  readonly state: Extract<OutboxState, 'queued' | 'kept' | 'suppressed'>;
  readonly createdAt: Instant;
  readonly giveUpAt: Instant;
  /** Why it is settled. */
  readonly reply?: string;
}

/** Adds a message to the outbox, in the transaction of its record. */
export async function enqueue(tx: Kysely<Tables>, message: NewMessage): Promise<void> {
  const { id, kind, state, createdAt, giveUpAt, reply } = message;
  insertMessage.send(tx, {
    id,
    kind,
    state,
    created_at: createdAt,
    due_at: state === 'queued' ? createdAt : null,
    give_up_at: giveUpAt,
    last_reply: reply ?? null,
    finished_at: state === 'suppressed' ? createdAt : null,
  });
  await recordStateEvent(tx, kind, id, state, createdAt);
}

/** Records an event for the state of a message, except for messages that deliver events. */
export async function recordStateEvent(
  tx: Kysely<Tables>,
  kind: OutboxKind,
  id: string,
  state: OutboxState,
  at: Instant,
): Promise<void> {
  if (kind !== 'webhook') await recordEvent(tx, { at, type: `${kind}.${state}`, kind, key: id });
}

const insertMessage = prepare(
  (db, row: Omit<OutboxTable, 'attempts' | 'deferrals' | 'lease' | 'queue'>) =>
    db.insertInto('outbox').values({
      attempts: 0,
      deferrals: 0,
      lease: null,
      ...columns(row, 'id kind state created_at due_at give_up_at last_reply finished_at'),
    }),
);

/** Of which kind, and when. */
interface Due {
  readonly kind: OutboxKind;
  readonly now: Instant;
}

function dueAt(db: Kysely<Tables>, { kind, now }: Due) {
  return db
    .selectFrom('outbox')
    .select('id')
    .where('kind', '=', kind)
    .where('due_at', '<=', now)
    .where('state', '!=', 'sending');
}

/** Whether anything is due; checked before a write is started. */
export const firstDue = prepare((db, due: Due) => dueAt(db, due).limit(1));

const dueRows = prepare((db, due: Due & { readonly most: number }) =>
  dueAt(db, due).orderBy('due_at').orderBy('id').limit(due.most).$call(lockFreeRows(db)),
);

/** The leases of messages that are being sent. */
export const leases = prepare((db, { kind }: { kind: OutboxKind }) =>
  db
    .selectFrom('outbox')
    .select(['id', 'lease', 'due_at'])
    .where('kind', '=', kind)
    .where('state', '=', 'sending'),
);

/** A new lease: its unique key, and its end. */
interface Lease {
  readonly lease: string;
  readonly until: Instant;
}

/**
 * Takes leases on messages: first those with an ended lease, then those that are due, oldest first.
 * Skips rows that another worker is taking.
 * @param ended ended leases of others; one that was renewed meanwhile is skipped.
 * @param most the largest number of messages.
 */
export async function claim(
  tx: Kysely<Tables>,
  kind: OutboxKind,
  { lease, until }: Lease,
  {
    now,
    most,
    ended,
  }: { readonly now: Instant; readonly most: number; readonly ended: readonly SeenLease[] },
): Promise<OutboxMessage[]> {
  const left = await stillLeft(tx, ended.slice(0, most));
  const due =
    left.length < most ? await dueRows.all(tx, { kind, now, most: most - left.length }) : [];
  const ids = [...left, ...due].map(({ id }) => id);
  if (ids.length === 0) return [];
  const jobs = await tx
    .updateTable('outbox')
    .set((eb) => ({ state: 'sending', lease, due_at: until, attempts: eb('attempts', '+', 1) }))
    .where('id', 'in', ids)
    .returning(['id', 'kind', 'attempts', 'deferrals', 'created_at', 'give_up_at'])
    .execute();
  return jobs.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

/** Returns the messages whose lease is unchanged. */
async function stillLeft(
  tx: Kysely<Tables>,
  ended: readonly SeenLease[],
): Promise<readonly SeenLease[]> {
  if (ended.length === 0) return [];
  const ids = ended.map(({ id }) => id);
  const rows = await tx
    .selectFrom('outbox')
    .select(['id', 'lease', 'due_at'])
    .where('id', 'in', ids)
    .where('state', '=', 'sending')
    .$call(lockFreeRows(tx))
    .execute();
  return ended.filter((one) => rows.some((row) => row.id === one.id && isSame(row, one)));
}

/**
 * Renews leases.
 * @returns those that are still held.
 */
export async function prolong(
  tx: Kysely<Tables>,
  leases: readonly { readonly id: string; readonly lease: string }[],
  until: Instant,
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await tx
    .updateTable('outbox')
    .set({ due_at: until })
    .where(
      'id',
      'in',
      leases.map(({ id }) => id),
    )
    .where('lease', 'in', [...new Set(leases.map(({ lease }) => lease))])
    .returning(['id', 'lease'])
    .execute();
  return new Map(rows.map(({ id, lease }) => [id, lease]));
}

/**
 * Stores the outcome of an attempt.
 * @returns `false` if the lease was lost, and another worker decides.
 */
export async function writeSettlement(
  tx: Kysely<Tables>,
  id: string,
  lease: string,
  settlement: Settlement | Omit<Settlement, 'last_reply'>,
): Promise<boolean> {
  const [result] = await tx
    .updateTable('outbox')
    .set(settlement)
    .where('id', '=', id)
    .where('lease', '=', lease)
    .execute();
  return Number(result?.numUpdatedRows ?? 0) === 1;
}

/** Counts the messages by kind and state. */
export async function countMessages(
  db: Kysely<Tables>,
): Promise<
  readonly { readonly kind: OutboxKind; readonly state: OutboxState; readonly count: number }[]
> {
  const rows = await db
    .selectFrom('outbox')
    .select((eb) => ['kind', 'state', eb.fn.countAll<number>().as('count')])
    .groupBy(['kind', 'state'])
    .execute();
  return rows.map(({ kind, state, count }) => ({ kind, state, count: Number(count) }));
}

/** Returns the oldest message of a state; ids increase with time. */
export const oldestInState = prepare((db, { kind, state }: Pick<OutboxTable, 'kind' | 'state'>) =>
  db
    .selectFrom('outbox')
    .select('created_at')
    .where('kind', '=', kind)
    .where('state', '=', state)
    .orderBy('id')
    .limit(1),
);

/** Counts the messages of a kind by state. */
export async function countStates(
  db: Kysely<Tables>,
  kind: OutboxKind,
): Promise<ReadonlyMap<OutboxState, number>> {
  const rows = await db
    .selectFrom('outbox')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .where('kind', '=', kind)
    .groupBy('state')
    .execute();
  return new Map(rows.map(({ state, count }) => [state, Number(count)]));
}

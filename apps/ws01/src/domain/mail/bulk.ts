import type { Kysely } from 'kysely';
import { lockRows } from '../../store/row-lock.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, OutboxState, Tables } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import { CANCELLED_FROM, cancel, uncancel } from '../outbox/change.ts';
import { addressKey } from '../values/email-address.ts';
import { queueAgain, type RetriedState } from './change.ts';

/** Largest number of mails changed in one transaction, so that other writes do not wait long. */
const BATCH = 500;

/**
 * Queues all mails of a state again, in batches, each with an entry in the audit trail.
 * @returns the number of mails queued.
 */
export async function retryAllInState(
  store: Store,
  state: RetriedState,
  clock: Clock,
): Promise<number> {
  let queued = 0;
  let after = '';
  for (;;) {
    const rows = await store.read((db) =>
      db
        .selectFrom('outbox')
        .select('id')
        .where('kind', '=', 'mail')
        .where('state', '=', state)
        .where('id', '>', after)
        .orderBy('id')
        .limit(BATCH)
        .execute(),
    );
    const ids = rows.map(({ id }) => id);
    const last = ids.at(-1);
    if (last === undefined) return queued;
    after = last;
    queued += await store.write((tx) => queueAgain(tx, ids, { by: undefined, at: clock() }));
  }
}

interface MailFilter {
  readonly sender?: string | undefined;
  readonly receiverEmail?: string | undefined;
}

/** Which mails to cancel; an absent field does not filter. */
export interface CancelFilter extends MailFilter {
  readonly state?: (typeof CANCELLED_FROM)[number] | undefined;
  /** Only mails created at this instant or before. */
  readonly until?: Instant | undefined;
}

/** Which cancelled mails to return to their states; an absent field does not filter. */
export interface UncancelFilter extends MailFilter {
  /** Only mails cancelled at this instant or later. */
  readonly since?: Instant | undefined;
}

/** How many mails a change would concern, and how many senders have them. */
export interface MailCount {
  readonly mails: number;
  readonly senders: number;
}

/** Counts the mails that would be cancelled. */
export function countCancellable(store: Store, filter: CancelFilter): Promise<MailCount> {
  return countOf(store, (db) => cancellable(db, filter));
}

/** Counts the mails whose cancelling would be undone. */
export function countCancelled(store: Store, filter: UncancelFilter): Promise<MailCount> {
  return countOf(store, (db) => cancelledOf(db, filter));
}

async function countOf(
  store: Store,
  matching: (db: Kysely<Tables>) => ReturnType<typeof mailsOf>,
): Promise<MailCount> {
  const row = await store.read((db) =>
    matching(db)
      .select((eb) => [
        eb.fn.countAll().as('mails'),
        eb.fn.count('mails.sender').distinct().as('senders'),
      ])
      .executeTakeFirstOrThrow(),
  );
  return { mails: Number(row.mails), senders: Number(row.senders) };
}

/**
 * Cancels the mails of a filter, in batches, each with an entry in the audit trail.
 * @returns the number of mails cancelled.
 */
export function cancelAllMatching(
  store: Store,
  filter: CancelFilter,
  clock: Clock,
): Promise<number> {
  return changeAll(
    store,
    (db) => cancellable(db, filter),
    CANCELLED_FROM,
    (tx, id, state) => cancel(tx, 'mail', { id, by: undefined, at: clock() }, state),
  );
}

/**
 * Returns the cancelled mails of a filter to the states that they were cancelled in, in batches, each with an entry in
 * the audit trail.
 * @returns the number of mails.
 */
export function uncancelAllMatching(
  store: Store,
  filter: UncancelFilter,
  clock: Clock,
): Promise<number> {
  return changeAll(
    store,
    (db) => cancelledOf(db, filter),
    ['cancelled'],
    (tx, id) => uncancel(tx, 'mail', { id, by: undefined, at: clock() }),
  );
}

/** Changes all mails of a query, in batches, as long as they are in one of these states. */
async function changeAll(
  store: Store,
  matching: (db: Kysely<Tables>) => ReturnType<typeof mailsOf>,
  states: readonly OutboxState[],
  change: (tx: Kysely<Tables>, id: string, state: OutboxState) => Promise<unknown>,
): Promise<number> {
  let changed = 0;
  for (;;) {
    const found = await store.read((db) => matching(db).select('mails.id').limit(BATCH).execute());
    if (found.length === 0) return changed;
    const ids = found.map(({ id }) => id);
    changed += await store.write(async (tx) => {
      const rows = await tx
        .selectFrom('outbox')
        .select(['id', 'state'])
        .where('id', 'in', ids)
        .where('kind', '=', 'mail')
        .where('state', 'in', states)
        .orderBy('id')
        .$call(lockRows(tx))
        .execute();
      for (const { id, state } of rows) await change(tx, id, state);
      return rows.length;
    });
  }
}

function cancellable(db: Kysely<Tables>, { state, until, ...filter }: CancelFilter) {
  return mailsOf(db, filter)
    .where('outbox.state', 'in', state === undefined ? CANCELLED_FROM : [state])
    .$if(until !== undefined, (query) => query.where('mails.created_at', '<=', until!));
}

function cancelledOf(db: Kysely<Tables>, { since, ...filter }: UncancelFilter) {
  return mailsOf(db, filter)
    .where('outbox.state', '=', 'cancelled')
    .$if(since !== undefined, (query) => query.where('outbox.finished_at', '>=', since!));
}

function mailsOf(db: Kysely<Tables>, { sender, receiverEmail }: MailFilter) {
  return db
    .selectFrom('mails')
    .innerJoin('outbox', 'outbox.id', 'mails.id')
    .where('outbox.kind', '=', 'mail')
    .$if(sender !== undefined, (query) => query.where('mails.sender', '=', sender!))
    .$if(receiverEmail !== undefined, (query) =>
      query.where('mails.receiver_key', '=', addressKey(receiverEmail!)),
    );
}

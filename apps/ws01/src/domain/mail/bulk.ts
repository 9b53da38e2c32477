import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, OutboxState, Tables } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import {
  CANCELLED_FROM,
  cancel,
  lockStates,
  type MessageChange,
  uncancel,
} from '../outbox/change.ts';
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
interface CancelFilter extends MailFilter {
  readonly state?: (typeof CANCELLED_FROM)[number] | undefined;
  /** Only mails created at this instant or before. */
  readonly until?: Instant | undefined;
}

/** Which cancelled mails to return to their states; an absent field does not filter. */
interface UncancelFilter extends MailFilter {
  /** Only mails cancelled at this instant or later. */
  readonly since?: Instant | undefined;
}

/** A change of all mails of a filter. */
export interface BulkChange {
  readonly mailsOf: (db: Kysely<Tables>) => ReturnType<typeof mailsOf>;
  /** States that a mail is changed in. */
  readonly states: readonly OutboxState[];
  readonly change: (
    tx: Kysely<Tables>,
    change: MessageChange,
    state: OutboxState,
  ) => Promise<unknown>;
}

/** Cancels the mails of a filter that wait. */
export function cancelling({ state, until, ...filter }: CancelFilter): BulkChange {
  return {
    mailsOf: (db) =>
      mailsOf(db, filter)
        .where('outbox.state', 'in', state === undefined ? CANCELLED_FROM : [state])
        .$if(until !== undefined, (query) => query.where('mails.created_at', '<=', until!)),
    states: CANCELLED_FROM,
    change: (tx, change, state) => cancel(tx, 'mail', change, state),
  };
}

/** Returns the cancelled mails of a filter to the states that they were cancelled in. */
export function uncancelling({ since, ...filter }: UncancelFilter): BulkChange {
  return {
    mailsOf: (db) =>
      mailsOf(db, filter)
        .where('outbox.state', '=', 'cancelled')
        .$if(since !== undefined, (query) => query.where('outbox.finished_at', '>=', since!)),
    states: ['cancelled'],
    change: (tx, change) => uncancel(tx, 'mail', change),
  };
}

/** Counts the mails that would be changed, and the senders who have them. */
export async function countMails(
  store: Store,
  bulk: BulkChange,
): Promise<{ readonly mails: number; readonly senders: number }> {
  const row = await store.read((db) =>
    bulk
      .mailsOf(db)
      .select((eb) => [
        eb.fn.countAll().as('mails'),
        eb.fn.count('mails.sender').distinct().as('senders'),
      ])
      .executeTakeFirstOrThrow(),
  );
  return { mails: Number(row.mails), senders: Number(row.senders) };
}

/**
 * Changes mails in batches, each with an entry in the audit trail.
 * @returns the number of mails changed.
 */
export async function changeMails(store: Store, bulk: BulkChange, clock: Clock): Promise<number> {
  const { states, change } = bulk;
  let changed = 0;
  for (;;) {
    const found = await store.read((db) =>
      bulk.mailsOf(db).select('mails.id').limit(BATCH).execute(),
    );
    if (found.length === 0) return changed;
    const ids = found.map(({ id }) => id);
    changed += await store.write(async (tx) => {
      const rows = await lockStates(tx, 'mail', ids, states);
      for (const { id, state } of rows) await change(tx, { id, by: undefined, at: clock() }, state);
      return rows.length;
    });
  }
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

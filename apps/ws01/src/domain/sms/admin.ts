import type { Store } from '../../store/store.ts';
import type { Instant, OutboxState, OutboxTable, SmsTable } from '../../store/tables/tables.ts';

/** Rows removed in one transaction at most. */
const BATCH = 500;

/** A text message as operators see it: never what it says. */
export type ListedSms = Pick<SmsTable, 'id' | 'user_id' | 'phone' | 'expires_at' | 'created_at' | 'request_id'> &
  Pick<OutboxTable, 'state' | 'attempts' | 'finished_at' | 'last_reply'>;

/**
 * A page of text messages, the newest first.
 * @param before the id of the last one of the page before; ids grow with time.
 */
export function listSms(store: Store, state: OutboxState | undefined, most: number, before?: string) {
  return store.read((db) =>
    db
      .selectFrom('sms')
      .innerJoin('outbox', 'outbox.id', 'sms.id')
      .select([
        'sms.id',
        'sms.user_id',
        'sms.phone',
        'sms.expires_at',
        'sms.created_at',
        'sms.request_id',
        'outbox.state',
        'outbox.attempts',
        'outbox.finished_at',
        'outbox.last_reply',
      ])
      .$if(before !== undefined, (query) => query.where('sms.id', '<', before!))
      .$if(state !== undefined, (query) => query.where('outbox.kind', '=', 'sms').where('outbox.state', '=', state!))
      .orderBy('sms.id', 'desc')
      .limit(most)
      .execute(),
  );
}

/**
 * Ends the way of codes that have expired and forgets them, also where no gateway is asked any more. For a timer: calls may overlap, also from several processes.
 */
export async function expireSms(store: Store, now: Instant): Promise<void> {
  await store.write(async (tx) => {
    await tx
      .updateTable('outbox')
      .set({ state: 'failed', due_at: null, finished_at: now, lease: null })
      .set((eb) => ({
        last_reply: eb.fn.coalesce('last_reply', eb.val('The code expired before it could be delivered.')),
      }))
      .where('kind', '=', 'sms')
      .where('due_at', '<=', now)
      .where('give_up_at', '<=', now)
      .execute();
    await tx
      .updateTable('sms')
      .set({ sealed: null })
      .where('expires_at', '<=', now)
      .where('sealed', 'is not', null)
      .execute();
  });
}

/** Removes text messages that ended a while ago. @param keptFor ms after their end. @returns how many. */
export async function purgeSms(store: Store, now: Instant, keptFor: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const ended = await store.read((db) =>
      db
        .selectFrom('outbox')
        .select('id')
        .where('kind', '=', 'sms')
        .where('finished_at', '<=', now - keptFor)
        .limit(BATCH)
        .execute(),
    );
    if (ended.length === 0) return removed;
    const ids = ended.map(({ id }) => id);
    await store.write(async (tx) => {
      await tx.deleteFrom('sms').where('id', 'in', ids).execute();
      await tx.deleteFrom('outbox').where('id', 'in', ids).execute();
    });
    removed += ids.length;
  }
}

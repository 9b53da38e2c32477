import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { removeEnded } from '../outbox/remove-ended.ts';

/** Largest number of rows deleted in one transaction. */
const BATCH = 500;

/**
 * Marks messages with expired codes as failed, and deletes their codes, even if no gateway is
 * configured now. Calls may overlap, also from several processes.
 */
export async function expireSms(store: Store, now: Instant): Promise<void> {
  await store.write(async (tx) => {
    await tx
      .updateTable('outbox')
      .set({ state: 'failed', due_at: null, finished_at: now, lease: null })
      .set((eb) => ({
        last_reply: eb.fn.coalesce(
          'last_reply',
          eb.val('The code expired before it could be delivered.'),
        ),
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

/**
 * Deletes text messages that were sent or failed at an instant or earlier.
 * @returns the number of messages deleted.
 */
export function purgeSms(store: Store, before: Instant): Promise<number> {
  return removeEnded(store, { kind: 'sms', before, most: BATCH }, async (tx, ids) => {
    await tx.deleteFrom('sms').where('id', 'in', ids).execute();
  });
}

import { deleteExpired } from '../../store/delete-expired.ts';
import { prepare } from '../../store/prepared.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { recordHistory } from '../audit/audit.ts';
import { removeEnded } from '../outbox/remove-ended.ts';
import { removeBefore, removeInBatches } from '../shared/batches.ts';

/** Largest number of rows deleted in one transaction, so that other writes do not wait long. */
const BATCH = 100;

/**
 * Deletes mails, with their bodies, whose retention period is over, and expired repeats of calls.
 * The audit trail then records who requested each, from where and when, but not the recipient.
 * Calls may overlap, also from several processes.
 * @param before mails that were sent or failed at this instant or earlier are deleted.
 * @returns how many mails were deleted.
 */
export async function purgeMails(store: Store, before: Instant, now: Instant): Promise<number> {
  await removeBefore(store, deleteRepeats, now, BATCH);
  return removeEnded(store, { kind: 'mail', before, most: BATCH }, async (tx, ids) => {
    const mails = await tx
      .selectFrom('mails')
      .select(['id', 'sender', 'token_id', 'ip', 'created_at'])
      .where('id', 'in', ids)
      .$call(lockRows(tx))
      .execute();
    await recordHistory(
      tx,
      mails.map(({ id, sender, token_id, ip, created_at }) => ({
        at: created_at,
        tokenId: token_id ?? undefined,
        action: 'mail.send',
        target: { kind: 'mail', key: id },
        address: ip,
        details: { sender },
      })),
    );
    await tx.deleteFrom('mails').where('id', 'in', ids).execute();
  });
}

const deleteRepeats = deleteExpired('mail_repeats', ['hash'], 'until');

/**
 * Cancels mails that have waited too long for a mail server to be configured (`kept`).
 * @param before mails of calls at this instant or earlier are cancelled.
 * @returns the number of mails cancelled.
 */
export function giveUpKept(store: Store, before: Instant, now: Instant): Promise<number> {
  return removeInBatches(store, (tx, most) => cancelKept.run(tx, { now, before, most }), BATCH);
}

const cancelKept = prepare(
  (db, { now, before, most }: { now: Instant; before: Instant; most: number }) =>
    db
      .updateTable('outbox')
      .set({
        state: 'cancelled',
        finished_at: now,
        last_reply: 'No mail server was configured in time.',
      })
      .where('kind', '=', 'mail')
      .where('state', '=', 'kept')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('outbox')
          .select('id')
          .where('kind', '=', 'mail')
          .where('state', '=', 'kept')
          .where('created_at', '<=', before)
          .limit(most),
      ),
);

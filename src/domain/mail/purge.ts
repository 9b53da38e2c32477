import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables.ts';

/** Mails removed in one transaction at most, so that other writes do not wait long. */
const BATCH = 100;

/**
 * Removes mails that came to their end a while ago, with their bodies, and calls that are not remembered any more. For a
 * timer: calls may overlap, also from several processes.
 * @param keptFor ms after a mail's end.
 * @returns how many mails were removed.
 */
export async function purgeMails(store: Store, now: Instant, keptFor: number): Promise<number> {
  await store.write((tx) => tx.deleteFrom('mail_repeats').where('until', '<=', now).execute());
  let removed = 0;
  for (;;) {
    const ended = await store.read((db) =>
      db
        .selectFrom('outbox')
        .select('id')
        .where('kind', '=', 'mail')
        .where('finished_at', '<=', now - keptFor)
        .limit(BATCH)
        .execute(),
    );
    if (ended.length === 0) return removed;
    const ids = ended.map(({ id }) => id);
    await store.write(async (tx) => {
      await tx.deleteFrom('mails').where('id', 'in', ids).execute();
      await tx.deleteFrom('outbox').where('id', 'in', ids).execute();
    });
    removed += ids.length;
  }
}

import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, OutboxKind, Tables } from '../../store/tables/tables.ts';

/** The messages that {@link removeEnded} deletes. */
interface Ended {
  readonly kind: OutboxKind;
  /** They ended at this instant or earlier. */
  readonly before: Instant;
  /** Maximum number per transaction, so that other writes do not wait long. */
  readonly most: number;
}

/**
 * Deletes messages that ended some time ago. Calls may overlap, also between processes.
 * @param removeRecords deletes the records of these messages, in the same transaction.
 * @returns how many were deleted.
 */
export async function removeEnded(
  store: Store,
  { kind, before, most }: Ended,
  removeRecords: (tx: Kysely<Tables>, ids: readonly string[]) => Promise<void>,
): Promise<number> {
  for (let removed = 0; ; ) {
    const ended = await store.read((db) =>
      db
        .selectFrom('outbox')
        .select('id')
        .where('kind', '=', kind)
        .where('finished_at', '<=', before)
        .limit(most)
        .execute(),
    );
    if (ended.length === 0) return removed;
    const ids = ended.map(({ id }) => id);
    await store.write(async (tx) => {
      await removeRecords(tx, ids);
      await tx.deleteFrom('outbox').where('id', 'in', ids).execute();
    });
    removed += ids.length;
  }
}

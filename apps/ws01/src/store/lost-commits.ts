import type { Kysely } from 'kysely';
import { prepare } from './prepared.ts';
import type { Store } from './store.ts';
import type { Instant, Tables } from './tables/tables.ts';

/** Commits that a SQLite database has lost. */
export interface LostCommits {
  readonly commits: number;
  /** The number of the last one, by which a loss that was noted before is known. */
  readonly mark: number;
}

/**
 * Notes a loss in the database, where it stays until somebody accepts it. Several losses are added
 * up.
 */
export async function noteLoss(
  store: Store,
  { commits, mark }: LostCommits,
  now: Instant,
): Promise<void> {
  await store.write(async (tx) => {
    const before = await state.first(tx, {});
    const isKnown = before?.lost_since != null && before.lost_mark === mark;
    if (isKnown) return;
    await keep.run(tx, {
      commits: commits + (before?.lost_commits ?? 0),
      since: before?.lost_since ?? now,
      mark,
    });
  });
}

/**
 * Returns how many commits are known to be lost, and since when; `undefined` if none, or somebody
 * has accepted it.
 */
export async function lostCommits(
  db: Kysely<Tables>,
): Promise<{ readonly commits: number; readonly since: Instant } | undefined> {
  const found = await state.first(db, {});
  return found?.lost_since == null
    ? undefined
    : { commits: found.lost_commits ?? 0, since: found.lost_since };
}

/** Forgets a loss that somebody accepts. */
export async function forgetLoss(tx: Kysely<Tables>): Promise<void> {
  await tx
    .updateTable('service_time')
    .set({ lost_commits: null, lost_since: null, lost_mark: null })
    .execute();
}

const state = prepare((db, _: Record<never, never>) =>
  db.selectFrom('service_time').select(['lost_commits', 'lost_since', 'lost_mark']),
);

const keep = prepare(
  (db, { commits, since, mark }: { commits: number; since: Instant; mark: number }) =>
    db
      .insertInto('service_time')
      .values({ id: 1, at: 0, lost_commits: commits, lost_since: since, lost_mark: mark })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ lost_commits: commits, lost_since: since, lost_mark: mark }),
      ),
);

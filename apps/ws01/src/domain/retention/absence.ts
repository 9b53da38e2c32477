import type { Kysely } from 'kysely';
import { forgetLoss, lostCommits } from '../../store/lost-commits.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, SweepHold, Tables } from '../../store/tables/tables.ts';
import { auditAct } from '../audit/audit.ts';

/**
 * What deletes something because something else is absent asks here first whether the absence can
 * be believed. It cannot after the database lost commits, where files may belong to another
 * database, and where much is absent at once. What deletes because time has passed asks
 * `PurgeClock`. docs/operations/retention.md lists all of them.
 */

/** The part of all that may be absent at once, and be believed to be gone. */
const BELIEVED_SHARE = 0.05;

/**
 * Whether so many may be gone: a small share of all, or few.
 * @param few so many always may.
 */
export function isBelieved(absent: number, of: number, few: number): boolean {
  return absent <= Math.max(few, Math.floor(of * BELIEVED_SHARE));
}

/** Why the absence of a record is not believed. */
export type Doubt = SweepHold | 'lost';

/**
 * What each doubt means, and what an operator does about it. Shown to anybody, so without names,
 * paths and addresses.
 */
export const DOUBTS: Readonly<Record<Doubt, { readonly what: string; readonly remedy: string }>> = {
  foreign: {
    what: 'the image files belong to another database, so none is swept',
    remedy:
      'set FILES_URL, DATA_DIR or DATABASE_URL right, or bring the right database back; if these files are to belong to this database, run ws01 files adopt',
  },
  unknown: {
    what: 'most of the image files have no record in this database, so none is swept',
    remedy:
      'set FILES_URL, DATA_DIR or DATABASE_URL right, or bring the right database back; if these files are to belong to this database, run ws01 files adopt',
  },
  away: {
    what: 'most pictures of this database have no file here, so this place is not taken for theirs',
    remedy:
      'mount the folder, or set FILES_URL or DATA_DIR right; if the files are gone, run ws01 restore or ws01 files adopt',
  },
  many: {
    what: 'so many image files have no record that none of them is swept',
    remedy:
      'see that the database is the right one and complete; if it is, ws01 files sweep --all moves them to the trash',
  },
  lost: {
    what: 'the database has lost commits, so no image file is swept',
    remedy: 'bring the last backup back (ws01 restore), or run ws01 db accept-loss',
  },
};

/** Returns what a doubt means and what to do, as one sentence without a full stop. */
export function doubtText(why: Doubt): string {
  const { what, remedy } = DOUBTS[why];
  return `${what}; ${remedy}`;
}

/** Returns why absence is not believed, and since when; `undefined` if it is. */
export async function doubtOf(
  db: Kysely<Tables>,
): Promise<{ readonly why: Doubt; readonly since: Instant } | undefined> {
  const hold = await holdOf.first(db, {});
  if (hold?.sweep_held_for) return { why: hold.sweep_held_for, since: hold.sweep_held_since ?? 0 };
  const lost = await lostCommits(db);
  return lost && { why: 'lost', since: lost.since };
}

/** Stores why files are not swept; `undefined` when nothing keeps them from it. */
export async function noteHold(
  store: Store,
  why: SweepHold | undefined,
  now: Instant,
): Promise<void> {
  const hold = await store.read((db) => holdOf.first(db, {}));
  if ((hold?.sweep_held_for ?? undefined) === why) return;
  await store.write((tx) =>
    keepHold.run(tx, { why: why ?? null, since: why === undefined ? null : now }),
  );
}

/**
 * Forgets lost commits, because an operator accepts it.
 * @returns what was known; `undefined` if nothing.
 */
export function acceptLoss(
  store: Store,
  now: Instant,
): Promise<Awaited<ReturnType<typeof lostCommits>>> {
  return store.write(async (tx) => {
    const lost = await lostCommits(tx);
    if (lost === undefined) return undefined;
    await forgetLoss(tx);
    const { commits, since } = lost;
    await auditAct(tx, 'database.accept-loss', undefined, now, undefined, { commits, since });
    return lost;
  });
}

const holdOf = prepare((db, _: Record<never, never>) =>
  db.selectFrom('service_time').select(['sweep_held_for', 'sweep_held_since']),
);

const keepHold = prepare((db, { why, since }: { why: SweepHold | null; since: Instant | null }) =>
  db
    .insertInto('service_time')
    .values({ id: 1, at: 0, sweep_held_for: why, sweep_held_since: since })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ sweep_held_for: why, sweep_held_since: since }),
    ),
);

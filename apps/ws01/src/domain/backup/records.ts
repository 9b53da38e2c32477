import type { Kysely } from 'kysely';
import { lockName } from '../../store/row-lock.ts';
import type { Store } from '../../store/store.ts';
import type { BackupsTable, Instant, Tables } from '../../store/tables/tables.ts';
import { newKey } from '../values/keys.ts';
import { type BackupManifest, BROKEN_OFF_MS, nameOfMoment } from './manifest.ts';

/** When a failed scheduled backup is retried; ms. */
const RETRY_MS = 60 * 60_000;

/** How long records are kept; ms. */
export const BACKUP_RECORDS_MS = 400 * 24 * 60 * 60_000;

/** The state of backups, for status, metrics and console. */
export interface BackupState {
  /** The last verified backup. */
  readonly lastGood: BackupsTable | undefined;
  /** The last backup that was started. */
  readonly last: BackupsTable | undefined;
}

/**
 * Returns the state. What a clock made that was a day and more ahead does not count: it would be the newest for years.
 */
export async function backupState(db: Kysely<Tables>, now = Date.now()): Promise<BackupState> {
  const made = db
    .selectFrom('backups')
    .selectAll()
    .where('started_at', '<', now + BROKEN_OFF_MS);
  const [last, lastGood] = await Promise.all([
    made.orderBy('started_at', 'desc').limit(1).executeTakeFirst(),
    made
      .where('verified_at', 'is not', null)
      .orderBy('verified_at', 'desc')
      .limit(1)
      .executeTakeFirst(),
  ]);
  return { last, lastGood };
}

/** Whether a scheduled backup must be made: none is in progress or done, or it must be retried. */
export async function isDue(store: Store, slot: Instant, now: Instant): Promise<boolean> {
  const made = await store.read((db) =>
    db.selectFrom('backups').selectAll().where('slot', '=', slot).executeTakeFirst(),
  );
  return made === undefined || isOpen(made, now);
}

function isOpen({ finished_at, verified_at, started_at }: BackupsTable, now: Instant): boolean {
  if (verified_at !== null) return false;
  return now - started_at >= (finished_at === null ? BROKEN_OFF_MS : RETRY_MS);
}

/** Whether a backup is being made, as far as anybody can tell. */
export function isInProgress({ finished_at, started_at }: BackupsTable, now: Instant): boolean {
  return finished_at === null && now - started_at < BROKEN_OFF_MS;
}

/** Whether the backups on request that began since then have ended; there must be at least one. */
export async function hasEnded(store: Store, since: Instant): Promise<boolean> {
  const begun = await store.read((db) =>
    db
      .selectFrom('backups')
      .select('finished_at')
      .where('slot', 'is', null)
      .where('started_at', '>=', since)
      .execute(),
  );
  return begun.length > 0 && begun.every(({ finished_at }) => finished_at !== null);
}

/** Returns the names of all backups that were made and verified. */
export async function verifiedNames(store: Store): Promise<ReadonlySet<string>> {
  const rows = await store.read((db) =>
    db.selectFrom('backups').select('name').where('verified_at', 'is not', null).execute(),
  );
  return new Set(rows.map(({ name }) => name));
}

/** What is recorded of a backup that begins. */
interface BegunBackup {
  /** Its scheduled time; of several nodes one makes the backup. */
  readonly slot: Instant | null;
  readonly target: string;
  /** `undefined` for the name of this moment, or of the next one that no other backup has. */
  readonly name: string | undefined;
  readonly now: Instant;
}

/**
 * Records the start of a backup.
 * @returns its id and name; `undefined` if another process has started it.
 */
export async function beginRecord(
  store: Store,
  { slot, target, name: given, now }: BegunBackup,
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  const id = newKey();
  return store.write(async (tx) => {
    const name = given ?? (await freeName(tx, now));
    const begun = { id, slot, target, name, started_at: now };
    const inserted = await tx
      .insertInto('backups')
      .values({
        ...begun,
        finished_at: null,
        verified_at: null,
        bytes: null,
        images: null,
        error: null,
      })
      .onConflict((conflict) => conflict.column('slot').doNothing())
      .executeTakeFirstOrThrow();
    if (inserted.numInsertedOrUpdatedRows === 1n) return { id, name };
    const taken = await tx
      .updateTable('backups')
      .set({ ...begun, finished_at: null, error: null })
      .where('slot', '=', slot)
      .where('verified_at', 'is', null)
      .where((eb) =>
        eb.or([
          eb.and([eb('finished_at', 'is', null), eb('started_at', '<=', now - BROKEN_OFF_MS)]),
          eb.and([eb('finished_at', 'is not', null), eb('started_at', '<=', now - RETRY_MS)]),
        ]),
      )
      .executeTakeFirstOrThrow();
    return taken.numUpdatedRows === 1n ? { id, name } : undefined;
  });
}

/** The name of this moment; where others began in this second, of the first second that is free. */
async function freeName(tx: Kysely<Tables>, now: Instant): Promise<string> {
  lockName(tx, 'backups.name');
  const since = nameOfMoment(now);
  const later = await tx
    .selectFrom('backups')
    .select('name')
    .where('name', '>=', since)
    .where('started_at', '>=', now - BROKEN_OFF_MS)
    .execute();
  const names = new Set(later.map(({ name }) => name));
  let at = now;
  while (names.has(nameOfMoment(at))) at += 1_000;
  return nameOfMoment(at);
}

/** Records the end of a backup: its manifest, or the reason of its failure. */
export async function endRecord(
  store: Store,
  id: string,
  outcome: BackupManifest | string,
  now: Instant,
): Promise<void> {
  const ended =
    typeof outcome === 'string'
      ? { error: outcome.slice(0, 1_000) }
      : {
          verified_at: outcome.verified.at,
          bytes: outcome.database.bytes,
          images: outcome.images?.count ?? null,
        };
  await store.write((tx) =>
    tx
      .updateTable('backups')
      .set({ finished_at: now, ...ended })
      .where('id', '=', id)
      .execute(),
  );
}

import { DAY_MS } from '@ws01/asmx/time';
import {
  BACKUP_STEPS,
  BACKUP_VERDICTS,
  type BackupsTable,
  type Instant,
} from '../store/tables/tables.ts';
import { byText, createdBetweenKeys } from './conditions.ts';
import { type Listing, member, REQUIRED, worked } from './record.ts';
import * as types from './types.ts';

/** Who makes or checks a backup and was not seen for so long is gone; ms. */
export const LEASE_MS = 60_000;

/** Releases before did not show themselves; ms. */

/** Whether a backup is being made, as far as anybody can tell. */
export function isInProgress(
  {
    finished_at,
    started_at,
    seen_at,
  }: Pick<BackupsTable, 'finished_at' | 'started_at' | 'seen_at'>,
  now: Instant,
): boolean {
  if (finished_at !== null) return false;
  return seen_at === null ? isNear(started_at, now, DAY_MS) : isNear(seen_at, now, LEASE_MS);
}

/** Likewise, whether it is being checked. */
export function isBeingChecked(
  { check_started_at, seen_at }: Pick<BackupsTable, 'check_started_at' | 'seen_at'>,
  now: Instant,
): boolean {
  return check_started_at !== null && isNear(seen_at!, now, LEASE_MS);
}

/** Whether it is so near, on either side: what a clock wrote that was ahead is over. */
const isNear = (at: Instant, now: Instant, most: number): boolean => Math.abs(now - at) < most;

const STATES = [
  ...['running', 'verified', 'failed', 'interrupted'],
  ...['damaged', 'missing'],
] as const;

function stateOf(row: BackupsTable, now: Instant): (typeof STATES)[number] {
  const { verified_at, finished_at, verdict } = row;
  if (verified_at !== null)
    return verdict === 'damaged' || verdict === 'missing' ? verdict : 'verified';
  if (finished_at !== null) return 'failed';
  return isInProgress(row, now) ? 'running' : 'interrupted';
}

const CHECKS = ['running', 'interrupted', ...BACKUP_VERDICTS] as const;

function checkOf(row: BackupsTable, now: Instant): (typeof CHECKS)[number] | null {
  if (row.check_started_at === null) return row.verdict;
  return isBeingChecked(row, now) ? 'running' : 'interrupted';
}

/** A member of what goes on; null when nothing does. */
const whileAtWork =
  (column: 'step' | 'done' | 'total') =>
  (row: BackupsTable, { now }: { readonly now: Instant }) =>
    isInProgress(row, now) || isBeingChecked(row, now) ? row[column] : null;

/** Backups of this database. */
export const BACKUPS = {
  table: 'backups',
  name: 'backups',
  title: 'Backup',
  key: 'id',
  members: {
    id: member('id', types.key, 'The key.', REQUIRED),
    name: member('name', types.text(), 'What it is called where it is kept.', REQUIRED),
    state: worked(
      types.word(...STATES),
      'How far it is; what is verified was restored to a temporary place and compared. What a later check found damaged or missing is no backup any more.',
      (row, { now }) => stateOf(row, now),
    ),
    scheduledAt: member(
      'slot',
      types.instant,
      'The time of BACKUP_SCHEDULE that it is made for; null for one that was asked for.',
    ),
    startedAt: member('started_at', types.instant, 'When it was begun.', REQUIRED),
    finishedAt: member('finished_at', types.instant, 'When it ended.'),
    verifiedAt: member('verified_at', types.instant, 'When it was verified.'),
    bytes: member('bytes', types.bytesCount, 'Of the database.'),
    images: member('images', types.count, 'Image files in it; null where they are not copied.'),
    error: member('error', types.text(), 'What went wrong.'),
    check: worked(
      types.word(...CHECKS),
      'The last check: whether it runs, or what it found; null before the first. One that failed says nothing of the backup.',
      (row, { now }) => checkOf(row, now),
      { absent: null },
    ),
    checkedAt: member('checked_at', types.instant, 'When the last check ended.'),
    checkedBy: member(
      'checked_by',
      types.text(),
      'Who asked for it: an admin, a token, or an account of the machine.',
    ),
    fault: member('fault', types.text(), 'What it found wrong, in a sentence.'),
    step: member(
      'step',
      types.word(...BACKUP_STEPS),
      'What is done now, by what is counted: image files or parts of the database that are copied, or image files that are compared.',
      { of: whileAtWork('step') },
    ),
    done: member('done', types.count, 'How many of them are done.', { of: whileAtWork('done') }),
    total: member('total', types.count, 'Of how many; null where that is not known.', {
      of: whileAtWork('total'),
    }),
  },
  reads: 'backups.verdict, backups.seen_at, backups.check_started_at',
  layout: { columns: ['name', 'state', 'startedAt', 'verifiedAt', 'bytes'], called: ['name'] },
  orders: { created: byText('backups.id') },
  sort: '-created',
  filters: createdBetweenKeys('backups.id'),
  expires: { 'backup-records': 'started_at' },
} as const satisfies Listing<BackupsTable>;

import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import { isInProgress } from '../../records/backups.ts';
import type { Instant } from '../../store/tables/tables.ts';
import type { Schedule } from '../values/schedule.ts';
import type { BackupState } from './records.ts';

/** A backup that is this much behind its schedule is late; ms. */
const SLACK_MS = 6 * HOUR_MS;

/**
 * Whether scheduled backups are late. One that was never made counts as late, unless the first one
 * is in progress: who set `BACKUP_TO` believes that there are backups.
 * @returns `never` when there is no good one, `late` when the last good one is older than the
 *   schedule asks for.
 */
export function backupLateness(
  { last, lastGood }: BackupState,
  schedule: Schedule,
  now: Instant,
): 'never' | 'late' | undefined {
  const good = lastGood?.verified_at ?? undefined;
  if (good === undefined)
    return last !== undefined && isInProgress(last, now) ? undefined : 'never';
  const span = schedule.kind === 'every' ? schedule.ms : DAY_MS;
  return now - good > span + SLACK_MS ? 'late' : undefined;
}

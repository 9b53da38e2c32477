import type { Moderated } from '../../store/tables/tables.ts';

/** Whether a record is neither held nor removed by moderators. */
export function isPublic({ held_at, removed_at }: Moderated): boolean {
  return held_at === null && removed_at === null;
}

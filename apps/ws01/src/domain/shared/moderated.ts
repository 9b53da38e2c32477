import type { Moderated } from '../../store/tables/tables.ts';

/** Whether moderators let the public see a record: neither held back nor removed. */
export function isPublic({ held_at, removed_at }: Moderated): boolean {
  return held_at === null && removed_at === null;
}

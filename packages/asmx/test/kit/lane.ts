/** The lane of `scripts/test/lanes.ts`; a file that is run by itself tests all that it can. */
export const LANE = process.env.TEST_LANE ?? 'night';

/** Whether everything is tried: both engines, every look of a page. */
export const BY_NIGHT = LANE !== 'fast' && LANE !== 'change';

/** By night all of a list, by day one of so many. @param first the place of the first of them. */
export function someOf<Item>(all: readonly Item[], every: number, first = 0): readonly Item[] {
  return BY_NIGHT ? all : all.filter((_, index) => index % every === first);
}

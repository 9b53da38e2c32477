/** The lane of `scripts/test/lanes.js`; a file that is run by itself tests all that it can. */
export const LANE = process.env.TEST_LANE ?? 'night';

/** Whether everything is tried: both engines, every look of a page. */
export const BY_NIGHT = LANE !== 'fast' && LANE !== 'change';

/** A minute; ms. */
export const MINUTE_MS = 60_000;
/** An hour; ms. */
export const HOUR_MS = 60 * MINUTE_MS;
/** A day of 24 hours; ms. */
export const DAY_MS = 24 * HOUR_MS;

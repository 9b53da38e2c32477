/** A point in time: ms since 1970-01-01T00:00:00Z, a whole number. */
export type Instant = number;

/** A yes or no as both engines store it; {@link toFlag} makes one, comparing with 1 reads one. */
export type Flag = 0 | 1;

/** The stored form of a boolean. */
export function toFlag(value: boolean): Flag {
  return value ? 1 : 0;
}

/** What a moderator has done to a record; no call of an author undoes it. */
export interface Moderated {
  /** Held back from the public since then. */
  held_at: Instant | null;
  /** Taken down since then, to be restored by a moderator alone. */
  removed_at: Instant | null;
}

import { setTimeout as pause } from 'node:timers/promises';

/** How long tests wait for what must come; ms. A short wait makes no test faster; a backup has the lowest priority. */
export const PATIENCE_MS = 600_000;

const LONGEST_PAUSE_MS = 50;

/** A test that steers the time does not steer this. */
const now = performance.now.bind(performance);

/**
 * Waits for something that others bring about; looks often at first.
 * @param told what is said of it when it does not come to be.
 * @throws {Error} after {@link PATIENCE_MS}.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  told: () => unknown = () => holds,
): Promise<void> {
  const latest = now() + PATIENCE_MS;
  for (let wait = 1; !(await holds()); wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    if (now() > latest) throw new Error(`waited in vain: ${await told()}`);
    await pause(wait);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { isFailureOf } from '../../failure/dependency-error.ts';

/** The longest pause between two attempts; ms. */
const LONGEST_PAUSE = 50;

export function isBusy(error: unknown): boolean {
  return isFailureOf('database', error, 'busy');
}

/**
 * Repeats what another process keeps from succeeding, without blocking the event loop as SQLite's own waiting does.
 * @param giveUp says, after an attempt that failed so, whether it was the last.
 * @returns whether it succeeded.
 * @throws whatever else the attempt throws.
 */
export async function retryWhileBusy(attempt: () => void, giveUp: (error: unknown) => boolean): Promise<boolean> {
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      attempt();
      return true;
    } catch (error) {
      if (!isBusy(error)) {
        throw error;
      }
      if (giveUp(error)) {
        return false;
      }
    }
    await sleep(pause);
  }
}

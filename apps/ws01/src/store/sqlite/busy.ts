import { setTimeout as sleep } from 'node:timers/promises';
import { isFailureOf } from '../../failure/dependency-error.ts';

/** Longest pause between two attempts; ms. */
const LONGEST_PAUSE = 10;

export function isBusy(error: unknown): boolean {
  return isFailureOf('database', error, 'busy');
}

/**
 * Retries work that another process's lock prevents, without blocking the event loop as SQLite's own busy handler does.
 * @param giveUp called after a failed attempt; returns whether it was the last.
 * @returns whether an attempt succeeded.
 * @throws any other error of the attempt.
 */
export async function retryWhileBusy(
  attempt: () => void,
  giveUp: (error: unknown) => boolean,
): Promise<boolean> {
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

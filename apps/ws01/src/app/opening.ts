import { within } from '@ws01/asmx/time';
import type { Logger } from 'pino';

/** How long a start that failed waits for what it had opened; ms. */
const CLOSE_MS = 7_000;

/**
 * Runs a start, or a part of one. What it opens it registers at once in a stack of closers; if a
 * later step fails, all of them run, the last one first. If it succeeds, the stack belongs to its
 * result.
 * @throws what the start throws, whatever its closers do.
 */
export async function opening<T>(
  log: Logger,
  start: (opened: AsyncDisposableStack) => T | Promise<T>,
): Promise<T> {
  const opened = new AsyncDisposableStack();
  try {
    return await start(opened);
  } catch (error) {
    const closed = opened
      .disposeAsync()
      .catch((err) => log.warn({ err }, 'the start failed, and was not undone'));
    await within(CLOSE_MS, closed);
    throw error;
  }
}

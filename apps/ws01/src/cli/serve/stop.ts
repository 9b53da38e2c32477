import { time } from '@ws01/asmx/time';
import type { Logger } from 'pino';
import { type App, STOP_MS } from '../../app/running.ts';
import type { Config } from '../../config/config.ts';
import { describeError } from '../failure.ts';

/**
 * Returns the timeout of a whole stop, draining included: longer than for calls in flight, to close
 * a slow database; ms.
 */
export function stopWithin(drainSeconds: number): number {
  return drainSeconds * 1_000 + STOP_MS + 10_000;
}

/** How long a stopped process may take to exit by itself; ms. */
const LINGER_MS = 500;

/** Stops the service of this process, and exits when that takes too long. */
export async function stopInTime(
  app: App,
  config: Config,
  log: Logger,
  drain = true,
): Promise<void> {
  const late = () => {
    log.error('the service did not stop in time');
    process.exit(1);
  };
  time.limit(stopWithin(drain ? config.drainSeconds : 0), late).unref();
  await app.stop(drain);
  // What was given up may still hold a timer.
  setTimeout(() => process.exit(process.exitCode ?? 0), LINGER_MS).unref();
}

/**
 * Exits at once with the reason and exit code 1, so that the service manager starts a new process.
 * Nothing is closed, because that could write.
 */
export function endFailed(error: unknown): never {
  process.stderr.write(`ws01: ${describeError(error).text}\n`);
  process.exit(1);
}

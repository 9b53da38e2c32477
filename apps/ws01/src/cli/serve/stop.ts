import type { Logger } from 'pino';
import { type App, STOP_MS } from '../../app/running.ts';
import type { Config } from '../../config/config.ts';
import { tell } from '../failure.ts';

/**
 * What a process has in all to stop, draining included: longer than calls in flight have, for a database that does not
 * let go; ms.
 */
export function stopWithin({ drainSeconds }: Config): number {
  return drainSeconds * 1_000 + STOP_MS + 10_000;
}

/** How long a process that has stopped may take to end by itself; ms. */
const LINGER_MS = 500;

/** Stops a service of this process, and ends the process when that takes too long. */
export async function stopInTime(app: App, config: Config, log: Logger, drain = true): Promise<void> {
  setTimeout(() => {
    log.error('the service did not stop in time');
    process.exit(1);
  }, stopWithin(config)).unref();
  await app.stop(drain);
  // What was given up may still wait for its time to be over.
  setTimeout(() => process.exit(process.exitCode ?? 0), LINGER_MS).unref();
}

/**
 * Ends the process at once, with the reason and exit code 1, so that its supervisor starts another one. Nothing is closed:
 * that could write.
 */
export function endFailed(error: unknown): never {
  process.stderr.write(`ws01: ${tell(error).text}\n`);
  process.exit(1);
}

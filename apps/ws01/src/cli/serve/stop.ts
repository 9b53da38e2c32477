import type { Logger } from 'pino';
import { type App, STOP_MS } from '../../app/running.ts';
import type { Config } from '../../config/config.ts';

/**
 * What a process has in all to stop, draining included: longer than calls in flight have, for a database that does not
 * let go; ms.
 */
export function stopWithin({ drainSeconds }: Config): number {
  return drainSeconds * 1_000 + STOP_MS + 5_000;
}

/** Stops a service of this process, and ends the process when that takes too long. */
export async function stopInTime(app: App, config: Config, log: Logger): Promise<void> {
  setTimeout(() => {
    log.error('the service did not stop in time');
    process.exit(1);
  }, stopWithin(config)).unref();
  await app.stop();
}

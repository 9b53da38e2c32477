import type { Logger } from 'pino';
import { type App, STOP_MS } from '../../app/running.ts';

/** What a process has in all to stop: longer than calls in flight have, for a database that does not let go; ms. */
export const STOP_WITHIN_MS = STOP_MS + 5_000;

/** Stops a service of this process, and ends the process when that takes too long. */
export async function stopInTime(app: App, log: Logger): Promise<void> {
  setTimeout(() => {
    log.error('the service did not stop in time');
    process.exit(1);
  }, STOP_WITHIN_MS).unref();
  await app.stop();
}

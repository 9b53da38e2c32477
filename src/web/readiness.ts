import type { Context } from 'hono';
import type { Logger } from 'pino';

const NO_STORE = { 'Cache-Control': 'no-store' };

/**
 * Answers `/readyz`. The reason stays in the log: a probe needs the status alone. It is told once when it begins and
 * once when it is over, since probes come every few seconds.
 * @param check rejects with the reason when the database or the disk cannot be used.
 */
export function createReadiness(check: () => Promise<void>, log: Logger): (c: Context) => Promise<Response> {
  let ready = true;
  return async (c) => {
    try {
      await check();
      if (!ready) log.info('ready again');
      ready = true;
      return c.text('ready\n', 200, NO_STORE);
    } catch (error) {
      if (ready) log.warn({ err: error }, 'not ready: the database or the disk cannot be used');
      ready = false;
      return c.text('not ready: the database or the disk cannot be used\n', 503, { ...NO_STORE, 'Retry-After': '5' });
    }
  };
}

import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { quickCheck } from '../store/sqlite/quick-check.ts';

/** Delay of the check after a start, when other work is done; ms. */
const AFTER_MS = 5_000;

/**
 * Checks an SQLite database for damage once, soon after the start, and logs what it finds.
 * PostgreSQL checks its pages itself.
 */
export function checkForDamage(config: Config, log: Logger): { stop(): Promise<void> } {
  if (config.databaseUrl !== undefined) return { stop: async () => {} };
  const ending = new AbortController();
  const look = async () => {
    try {
      const damage = await quickCheck(config.dataDir, ending.signal);
      if (damage.length > 0) {
        log.error(
          { damage },
          'the database is damaged; run ws01 db check, and bring the last backup back',
        );
      }
    } catch (error) {
      if (!ending.signal.aborted)
        log.warn({ err: error }, 'the database could not be looked through');
    }
  };
  const timer = setTimeout(look, AFTER_MS).unref();
  return {
    async stop() {
      clearTimeout(timer);
      ending.abort();
    },
  };
}

import { setFlagsFromString } from 'node:v8';
import type { startApp as start } from '../../app/app.ts';
import type { App } from '../../app/running.ts';

/**
 * Starts the service. Meanwhile the space for new objects is kept from growing: nearly all that a start makes stays, so
 * that it would grow to 11 MB, which a service that then rests never gives back. Calls let it grow as before.
 */
export async function startApp(...args: Parameters<typeof start>): Promise<App> {
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    const app = await import('../../app/app.ts');
    return await app.startApp(...args);
  } finally {
    // V8's own.
    setFlagsFromString('--semi-space-growth-factor=2');
  }
}

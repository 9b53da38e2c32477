import type { startApp as start } from '../../app/app.ts';
import type { App } from '../../app/running.ts';
import { boundNewObjects, holdNewObjects } from './new-objects.ts';

/**
 * Starts the service with a small space for new objects. Almost all objects of a start live on, so
 * the space would grow to 11 MB, which an idle service never returns. `bin/ws01.js` holds it while
 * the modules before this one are loaded.
 */
export async function startApp(...args: Parameters<typeof start>): Promise<App> {
  holdNewObjects();
  try {
    const app = await import('../../app/app.ts');
    return await app.startApp(...args);
  } finally {
    boundNewObjects();
  }
}

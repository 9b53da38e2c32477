import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BROKEN_OFF_MS } from './manifest.ts';

/** Prefix of the folders in the data folder in which copies of the database are made. */
export const WORK_PREFIX = 'backup.partial-';

/** Removes those of killed processes. */
export async function removeBrokenOff(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(WORK_PREFIX)) continue;
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs > BROKEN_OFF_MS)
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../adapters/files/durable.ts';
import { ownPrefix, removeLeftBehind } from '../../adapters/files/left-behind.ts';

/** What the work is for; work of one process for the same would remove one another's. */
type Purpose = 'backup' | 'restore' | 'unpack' | 'exchange';

const prefixOf = (purpose: Purpose): string => `${purpose}.partial-`;

/** Removes the temporary folders of killed processes. */
export const removeWorkFolders = (dataDir: string, purpose: Purpose): Promise<void> =>
  removeLeftBehind(dataDir, prefixOf(purpose));

/**
 * Makes a temporary folder beside the data, which has room for the database; those of killed
 * processes go.
 */
export async function makeWorkFolder(dataDir: string, purpose: Purpose): Promise<string> {
  await makeFolder(dataDir);
  await removeWorkFolders(dataDir, purpose);
  return mkdtemp(join(dataDir, ownPrefix(prefixOf(purpose))));
}

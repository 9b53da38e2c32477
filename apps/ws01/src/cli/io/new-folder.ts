import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder, sync } from '../../adapters/files/durable.ts';
import { ownPrefix } from '../../adapters/files/left-behind.ts';
import { CommandFailure } from '../failure.ts';

/**
 * @throws {CommandFailure} if the folder contains files, which the copy would be mixed with, or is
 *   a file.
 */
export async function assertNew(folder: string): Promise<void> {
  const present = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    if (error.code === 'ENOTDIR')
      throw new CommandFailure(`${folder} is a file; name a new folder.`);
    throw error;
  });
  if (present.length > 0) throw new CommandFailure(`${folder} is not empty; name a new folder.`);
}

/**
 * Fills a temporary folder next to the given one and renames it when it is complete; deletes it
 * after a failure.
 */
export async function inNewFolder<T>(
  folder: string,
  fill: (partial: string) => Promise<T>,
): Promise<T> {
  await assertNew(folder);
  await makeFolder(dirname(folder));
  const partial = await mkdtemp(ownPrefix(`${folder}.partial-`));
  try {
    const filled = await fill(partial);
    await rename(partial, folder);
    await sync(dirname(folder));
    return filled;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST')
      throw new CommandFailure(
        `${folder} has been created by another program meanwhile; name a new one.`,
      );
    throw error;
  }
}

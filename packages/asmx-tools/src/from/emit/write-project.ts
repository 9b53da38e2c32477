import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** The project cannot be written to the given folder. The message is one line and says what would be right. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError';
}

/**
 * Writes files into a folder that is new or empty: all of them or none.
 * @throws {ProjectError} for a folder with something in it.
 */
export async function writeProject(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  const target = resolve(folder);
  const present = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    if (error.code === 'ENOTDIR') throw new ProjectError(`${folder} is a file; name a new folder.`);
    throw new ProjectError(`${folder} cannot be read (${error.code}); name another folder.`);
  });
  if (present.length > 0) throw new ProjectError(`${folder} is not empty; name a new folder.`);
  await mkdir(dirname(target), { recursive: true });
  const partial = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(partial, path)), { recursive: true });
      await writeFile(join(partial, path), content);
    }
    // An empty folder gives way to the one that takes its name.
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file or folder of another user. */
interface OthersFile {
  readonly path: string;
  /** The user that it belongs to, and the one that this process is; their ids. */
  readonly owner: number;
  readonly own: number;
}

/**
 * Finds a file that belongs to another user than what this process makes. Root can write it, and
 * leaves files behind that its owner cannot.
 * @param paths of files and folders, which need not exist.
 * @param folder in which a file is made to see whom it belongs to: some file systems give all files
 *   to one user.
 * @returns the first one; `undefined` if there is none, or files have no owners here.
 */
export async function fileOfOther(
  paths: readonly string[],
  folder: string,
): Promise<OthersFile | undefined> {
  const own = process.geteuid?.();
  if (own === undefined) return undefined;
  for (const path of paths) {
    const owner = await ownerOf(path);
    if (owner !== undefined && owner !== own && (await ownerOfNewFile(folder)) !== owner)
      return { path, owner, own };
  }
  return undefined;
}

async function ownerOfNewFile(folder: string): Promise<number | undefined> {
  const path = join(folder, `.owner-${randomUUID()}`);
  try {
    await writeFile(path, '', { flag: 'wx', mode: 0o600 });
    return await ownerOf(path);
  } catch {
    return undefined;
  } finally {
    await rm(path, { force: true });
  }
}

/** @returns `undefined` if there is no such file, or it cannot be looked at. */
function ownerOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ uid }) => uid,
    () => undefined,
  );
}

/** How much disk packages take where they are installed. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of a block of `st_blocks`, whatever the file system's own are (POSIX). */
const BLOCK = 512;

/**
 * Returns the disk space of some folders and all within them, each file once: bytes, as `du` counts them. A folder that
 * does not exist takes none.
 */
export function diskBytes(folders: readonly string[]): number {
  const seen = new Set<string>();
  const sizeOf = (path: string): number => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 0;
    const file = `${stat.dev}:${stat.ino}`;
    if (seen.has(file)) return 0;
    seen.add(file);
    const within = stat.isDirectory()
      ? readdirSync(path).map((name) => sizeOf(join(path, name)))
      : [];
    return within.reduce((sum, bytes) => sum + bytes, stat.blocks * BLOCK);
  };
  return folders.reduce((sum, folder) => sum + sizeOf(folder), 0);
}

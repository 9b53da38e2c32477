import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes to the disk what the operating system still holds of a file or of a folder's entries. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder and those above it, durably; does nothing when it exists. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; ; made = dirname(made)) {
    await sync(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

/**
 * Moves a file within a file system, so that after a crash it is found under its new path with all of its bytes, or not
 * at all: its bytes are synced before the name says so, and the name before anybody is told.
 */
export async function moveDurably(from: string, to: string): Promise<void> {
  await sync(from);
  await rename(from, to);
  await sync(dirname(to));
}

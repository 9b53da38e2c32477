import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Flushes a file, or the entries of a folder, to the disk (fsync). */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes a text to a file that only its owner may read, and flushes it to the disk.
 * @param flag `wx` fails if the file exists; `w` replaces its content.
 */
export async function writeDurably(path: string, text: string, flag: 'w' | 'wx'): Promise<void> {
  const handle = await open(path, flag, 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder and its missing parents durably; does nothing if it exists. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; ; made = dirname(made)) {
    await sync(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

/**
 * Moves a file within a file system so that after a crash it is complete under its new path, or not
 * there. It syncs the bytes before the move, and the folder after it.
 */
export async function moveDurably(from: string, to: string): Promise<void> {
  await sync(from);
  await rename(from, to);
  await sync(dirname(to));
}

import { closeSync, fstatSync, statSync } from 'node:fs';

/** The name of the database file in the data folder. */
export const SQLITE_FILE = 'ws01.sqlite';

/** Returns the path of the write-ahead log of a database file. */
export function logOf(file: string): string {
  return `${file}-wal`;
}

/** Returns a part of a name for what is made now: `20261127T184500.123Z`. */
export function momentName(): string {
  return new Date().toISOString().replace(/[-:]/g, '');
}

/** Returns what a file is known by, whatever its name; `undefined` if there is none. */
export function idOfFile(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/** How often this process has each database open. */
const openHere = new Map<string, number>();

/**
 * Notes that this process has a database open. As long as it has, it must not open and close the
 * file in another way: that would release SQLite's locks on it.
 * @returns called when it is closed.
 */
export function noteOpen(file: string): () => void {
  const id = idOfFile(file) ?? '';
  openHere.set(id, (openHere.get(id) ?? 0) + 1);
  return () => {
    const others = (openHere.get(id) ?? 1) - 1;
    if (others > 0) openHere.set(id, others);
    else openHere.delete(id);
  };
}

/** Whether this process has a database open. */
export function isOpenHere(file: string): boolean {
  return openHere.has(idOfFile(file) ?? '');
}

/**
 * Closes a descriptor of a database that this process has closed. While another connection of this
 * process has it open, the descriptor stays: its close would release the locks of that one.
 */
export function closeUnlocked(descriptor: number): void {
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  if (!openHere.has(`${dev} ${ino}`)) closeSync(descriptor);
}

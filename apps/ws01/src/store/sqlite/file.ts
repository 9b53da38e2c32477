/** The name of the database file in the data folder. */
export const SQLITE_FILE = 'ws01.sqlite';

/** Returns the path of the write-ahead log of a database file. */
export function logOf(file: string): string {
  return `${file}-wal`;
}

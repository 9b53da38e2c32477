/** The database file's name in the data folder. */
export const SQLITE_FILE = 'ws01.sqlite';

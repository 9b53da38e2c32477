/** The name of the database file in the data folder. */
export const SQLITE_FILE = 'ws01.sqlite';

import { StoreError } from '../errors.ts';

/** Primary result codes of SQLite; an extended code carries its primary one in its lowest byte. */
const SQLITE = { BUSY: 5, LOCKED: 6, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, CANTOPEN: 14, NOTADB: 26 } as const;

const MESSAGES: ReadonlyMap<number, readonly ['unavailable' | 'busy', string]> = new Map([
  [SQLITE.BUSY, ['busy', 'Another process holds the database.']],
  [SQLITE.LOCKED, ['busy', 'Another connection holds the database.']],
  [SQLITE.READONLY, ['unavailable', 'The database cannot be written; give this process write access to DATA_DIR.']],
  [SQLITE.IOERR, ['unavailable', 'The disk of DATA_DIR failed; see the system log.']],
  [SQLITE.CORRUPT, ['unavailable', 'The database file is damaged; restore it from a backup.']],
  [SQLITE.FULL, ['unavailable', 'The disk of DATA_DIR is full; make room on it.']],
  [SQLITE.CANTOPEN, ['unavailable', 'The database file cannot be opened; check DATA_DIR and its permissions.']],
  [SQLITE.NOTADB, ['unavailable', 'The database file in DATA_DIR is no SQLite database; move it away.']],
]);

/** The store's error for what node:sqlite threw, or the error itself when it says nothing about the store. */
export function sqliteError(error: unknown): unknown {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (code !== 'ERR_SQLITE_ERROR' || typeof errcode !== 'number') {
    return error;
  }
  const known = MESSAGES.get(errcode & 0xff);
  return known === undefined ? error : new StoreError(known[0], known[1], error);
}

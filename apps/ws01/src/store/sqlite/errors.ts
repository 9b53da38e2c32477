import { DependencyError } from '../../failure/dependency-error.ts';
import { whyUnopened } from './unopened.ts';

/** SQLite's result codes; the lowest byte of an extended code is the primary code. */
const SQLITE = {
  INTERNAL: 2,
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  PROTOCOL: 15,
  SCHEMA: 17,
  NOLFS: 22,
  NOTADB: 26,
  IOERR_NOMEM: 10 | (12 << 8),
} as const;

const DAMAGE: ReadonlySet<number> = new Set([SQLITE.CORRUPT, SQLITE.NOTADB]);

type Classification = readonly ['unavailable' | 'busy', string];

const NO_MEMORY: Classification = [
  'unavailable',
  'There is no memory left for the database; give this process more.',
];

const FULL: Classification = [
  'unavailable',
  'The disk of DATA_DIR is full; delete what is not of the service there, then old backups.',
];

/** Codes of wrong statements (1, 18–21, 25) are not listed: those are defects. */
const MESSAGES: ReadonlyMap<number, Classification> = new Map<number, Classification>([
  [SQLITE.INTERNAL, ['unavailable', 'SQLite has found an internal error; restart this process.']],
  [
    SQLITE.PERM,
    [
      'unavailable',
      'The database file has other permissions than it needs; check those of DATA_DIR.',
    ],
  ],
  [SQLITE.BUSY, ['busy', 'Another process holds the database.']],
  [SQLITE.LOCKED, ['busy', 'Another connection holds the database.']],
  [SQLITE.NOMEM, NO_MEMORY],
  [
    SQLITE.READONLY,
    ['unavailable', 'The database cannot be written; give this process write access to DATA_DIR.'],
  ],
  [SQLITE.IOERR, ['unavailable', 'The disk of DATA_DIR failed; see the system log.']],
  [SQLITE.IOERR_NOMEM, NO_MEMORY],
  [
    SQLITE.CORRUPT,
    [
      'unavailable',
      'The database file in DATA_DIR is damaged; bring the last backup back: ws01 restore.',
    ],
  ],
  [SQLITE.FULL, FULL],
  [
    SQLITE.CANTOPEN,
    ['unavailable', 'The database file cannot be opened; check DATA_DIR and its permissions.'],
  ],
  // SQLite has already retried for seconds and blocked everything; not retryable like `busy`.
  [
    SQLITE.PROTOCOL,
    [
      'unavailable',
      'The locks of the database do not work; put DATA_DIR on a disk of this machine.',
    ],
  ],
  // SQLite itself prepares the statement again.
  [SQLITE.SCHEMA, ['busy', 'Another process keeps changing the tables of the database.']],
  [
    SQLITE.NOLFS,
    ['unavailable', 'The file system of DATA_DIR takes no larger file; move it to another one.'],
  ],
  [
    SQLITE.NOTADB,
    [
      'unavailable',
      'The database file in DATA_DIR is none of SQLite, or its beginning is damaged; set DATA_DIR right, or bring the last backup back: ws01 restore.',
    ],
  ],
]);

/**
 * Returns the `DependencyError` for an error of node:sqlite, or the error itself if it does not
 * concern the store.
 * @param file the database, whose files tell why it cannot be opened.
 */
export function sqliteError(error: unknown, file?: string): unknown {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (code !== 'ERR_SQLITE_ERROR' || typeof errcode !== 'number') {
    return error;
  }
  const known = MESSAGES.get(errcode) ?? MESSAGES.get(errcode & 0xff);
  if (known === undefined) return error;
  const told =
    file !== undefined && (errcode & 0xff) === SQLITE.CANTOPEN ? whyUnopened(file) : known[1];
  return new DependencyError('database', known[0], told, { cause: error });
}

/** The error for a file beside the database where the disk is full; `undefined` for another. */
export function fullDisk(error: unknown): DependencyError | undefined {
  const isFull = ['ENOSPC', 'EDQUOT'].includes(String((error as NodeJS.ErrnoException).code));
  return isFull ? new DependencyError('database', ...FULL, { cause: error }) : undefined;
}

/** Whether an error of node:sqlite says that the file itself is damaged, or none of SQLite. */
export function isDamage(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && DAMAGE.has(errcode & 0xff);
}

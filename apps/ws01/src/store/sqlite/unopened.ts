import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** SQLite's `MAX_PATHNAME` on Unix, less the longest ending that it adds, `-journal`; bytes. */
const MAX_PATH_BYTES = 512 - 9;

/** What SQLite opens beside a database. */
const ENDINGS = ['', '-wal', '-shm', '-journal'];

/**
 * Why SQLite cannot open a database, for which it has one code (SQLITE_CANTOPEN).
 * @returns a sentence with the remedy.
 */
export function whyUnopened(file: string): string {
  const path = resolve(file);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    return `The path ${path} is longer than the ${MAX_PATH_BYTES} bytes that SQLite takes; set DATA_DIR to a shorter one.`;
  }
  for (const ending of ENDINGS) {
    const reason = reasonOf(`${path}${ending}`);
    if (reason !== undefined) return reason;
  }
  return `The database file ${path} cannot be opened; check DATA_DIR, its permissions and the limit of open files (ulimit -n).`;
}

function reasonOf(path: string): string | undefined {
  try {
    const found: Stats | undefined = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (!found.isFile())
      return `${path} is no file; move it away, or set DATA_DIR to another folder.`;
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES') return undefined;
    const owner = statSync(path, { throwIfNoEntry: false })?.uid;
    return `${path} belongs to the user with the id ${owner} and is not open to this one; give it to the user of the service (chown).`;
  }
}

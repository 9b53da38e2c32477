import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DependencyError } from '../../failure/dependency-error.ts';
import { type CopyContents, DamagedCopy, type NamedFile, type RowCounts } from '../snapshot.ts';
import { TABLE_NAMES } from '../tables/tables.ts';
import { NEW_ID } from './log-owner.ts';

/** The files that images use. */
export function imageFilesOf(database: DatabaseSync): readonly NamedFile[] {
  const rows = database
    .prepare('select stored_as, hash from image_files where deleted_at is null')
    .all();
  return rows as unknown as NamedFile[];
}

/** The files of a copy, of whatever version. */
function filesOf(database: DatabaseSync): Pick<CopyContents, 'imageFiles' | 'deletedFiles'> {
  const deleted = database
    .prepare('select stored_as, hash from image_files where deleted_at is not null')
    .all();
  return { imageFiles: imageFilesOf(database), deletedFiles: deleted as unknown as NamedFile[] };
}

/** The rows of the tables that a database of whatever version has. */
export function countsOf(database: DatabaseSync): RowCounts {
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  const there = new Set(tables.map(({ name }) => name));
  const count = (name: string) =>
    Number(database.prepare(`select count(*) as rows from "${name}"`).get()!.rows);
  return Object.fromEntries(
    TABLE_NAMES.filter((name) => there.has(name)).map((name) => [name, count(name)]),
  );
}

/**
 * Checks a copy at a temporary path: every page, index and reference.
 * @throws {DamagedCopy}
 * @throws {DependencyError} `unavailable` when the disk under it fails.
 */
export function contentsOfCopy(path: string): CopyContents {
  const found = new Set<string>();
  let contents: CopyContents | undefined;
  try {
    const copy = new DatabaseSync(path);
    try {
      for (const row of copy.prepare('pragma integrity_check(5)').all())
        found.add(String(row.integrity_check));
      found.delete('ok');
      for (const row of copy.prepare('pragma foreign_key_check').all())
        found.add(`${row.table} refers to nothing`);
      contents = { counts: countsOf(copy), ...filesOf(copy), by: 'restored' };
    } finally {
      copy.close();
    }
  } catch (error) {
    if (isOfDisk(error)) throw uncheckedError(path, error);
    found.add(reasonOf(error));
  }
  if (contents === undefined || found.size > 0)
    throw new DamagedCopy(`The copy of the database is damaged: ${[...found].join('; ')}.`);
  return contents;
}

/**
 * Gives a copy an id of its own and checks every page.
 * @throws {DamagedCopy}
 */
export function makeOwn(path: string): void {
  let found: unknown;
  try {
    const copy = new DatabaseSync(path);
    try {
      copy.exec(NEW_ID());
      found = copy.prepare('pragma quick_check(1)').get()?.quick_check;
    } finally {
      copy.close();
    }
  } catch (error) {
    found = reasonOf(error);
  }
  if (found !== 'ok')
    throw new DamagedCopy(`The database file is damaged: ${found}; restore it from a backup.`);
}

/**
 * Whether the disk under a copy has failed or is full (SQLITE_IOERR, SQLITE_FULL), which says
 * nothing of the copy.
 */
function isOfDisk(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && [10, 13].includes(errcode & 0xff);
}

function uncheckedError(path: string, error: unknown): DependencyError {
  const place = `at ${dirname(path)}: ${reasonOf(error)}`;
  const message = `The copy of the database cannot be checked ${place}; is its disk full?`;
  return new DependencyError('database', 'unavailable', message, { cause: error });
}

/** What an error says. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

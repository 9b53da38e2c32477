import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CopyContents, DamagedCopy, type NamedFile } from '../../store/snapshot.ts';
import type { BackupStep } from '../../store/tables/tables.ts';
import { digestOf } from './digest.ts';
import type { BackupManifest } from './manifest.ts';

/** Examines the copy of a database at a temporary local path. */
export type ExamineCopy = (path: string) => Promise<CopyContents>;

/** Maximum number of files and tables that a failed verification names. */
const NAMED = 5;

/** Files that are read at once. */
const AT_ONCE = 4;

/** Called with how far a step is; 0 of 0 where that is not known. */
export type OnBackupStep = (step: BackupStep, done: number, total: number) => void;

interface VerifyDeps {
  /** A local folder for the copy of the database. */
  readonly folder: string;
  /** Copies the database of the backup to a local path. */
  readonly fetchDatabase: (to: string) => Promise<void>;
  readonly examine: ExamineCopy;
  readonly made: Omit<BackupManifest, 'verified'>;
  /** Whether the backup has an image file whole; `undefined` when it has none. */
  readonly isSound: ((file: NamedFile) => Promise<boolean>) | undefined;
  readonly onStep: OnBackupStep;
  readonly signal: AbortSignal;
}

/**
 * Restores a backup to a temporary location and compares it: the bytes of the database, its pages,
 * indexes and references, the row counts, and the bytes of each image file.
 * @throws {DamagedCopy} when the backup differs from what was copied.
 */
export async function verify(deps: VerifyDeps): Promise<BackupManifest['verified']> {
  const { folder, fetchDatabase, examine, made, isSound, onStep, signal } = deps;
  const fetched = join(folder, 'restored');
  onStep('restoring', 0, 0);
  try {
    await fetchDatabase(fetched);
    const { sha256 } = await digestOf(fetched);
    if (sha256 !== made.database.sha256) throw notTheSame(['the database has other bytes']);
    signal.throwIfAborted();
    const contents = await examine(fetched);
    const wrong = compareRows(made.rows, contents.counts);
    if (isSound !== undefined) {
      const named = contents.imageFiles;
      const tell = (done: number) => onStep('files', done, named.length);
      wrong.push(...(await wrongFiles(named, isSound, tell, signal)));
    }
    if (wrong.length > 0) throw notTheSame(wrong);
    return { at: Date.now(), by: contents.by };
  } finally {
    for (const left of ['', '-wal', '-shm']) await rm(`${fetched}${left}`, { force: true });
  }
}

function compareRows(expected: BackupManifest['rows'], found: BackupManifest['rows']): string[] {
  return Object.entries(expected)
    .filter(([table, rows]) => found[table] !== rows)
    .map(([table, rows]) => `${table} has ${found[table] ?? 'no'} rows, not ${rows}`);
}

async function wrongFiles(
  named: readonly NamedFile[],
  isSound: (file: NamedFile) => Promise<boolean>,
  onDone: (done: number) => void,
  signal: AbortSignal,
): Promise<string[]> {
  const wrong: string[] = [];
  const waiting = named.values();
  let done = 0;
  const goOn = async () => {
    for (const file of waiting) {
      signal.throwIfAborted();
      if (!(await isSound(file)))
        wrong.push(`the image file ${file.stored_as} has other bytes or is not there`);
      onDone(++done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, goOn));
  return wrong.sort();
}

function notTheSame(wrong: readonly string[]): DamagedCopy {
  const more = wrong.length > NAMED ? ` and ${wrong.length - NAMED} more` : '';
  return new DamagedCopy(
    `Restored for a try, it is not what was copied: ${wrong.slice(0, NAMED).join(', ')}${more}.`,
  );
}

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { CopyContents, NamedFile } from '../../store/snapshot.ts';
import type { OnProgress } from '../shared/progress.ts';
import { digestOf } from './digest.ts';
import type { ImageCopies } from './image-copies.ts';
import type { Draft } from './location.ts';
import type { BackupManifest } from './manifest.ts';

/** Examines the copy of a database at a temporary local path. */
export type ExamineCopy = (path: string) => Promise<CopyContents>;

/** Maximum number of files and tables that a failed verification names. */
const NAMED = 5;

/** Files that are read at once. */
const AT_ONCE = 4;

interface VerifyDeps {
  readonly draft: Draft;
  readonly examine: ExamineCopy;
  readonly made: Omit<BackupManifest, 'verified'>;
  readonly copies: ImageCopies | undefined;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

/**
 * Restores a backup to a temporary location and compares it: the bytes of the database, its pages, indexes and
 * references, the row counts, and the bytes of each image file. Reused files in S3 were verified by an earlier backup.
 * @throws {DependencyError} `unavailable` when the backup differs from the service's data.
 */
export async function verify(deps: VerifyDeps): Promise<BackupManifest['verified']> {
  const { draft, examine, made, copies, onProgress, signal } = deps;
  const fetched = join(draft.folder, 'restored');
  try {
    await draft.fetchDatabase(made.database.file, fetched);
    const { sha256 } = await digestOf(fetched);
    if (sha256 !== made.database.sha256) throw notTheSame(['the database has other bytes']);
    const contents = await examine(fetched);
    const wrong = compareRows(made.rows, contents.counts);
    if (copies !== undefined) {
      const named = contents.imageFiles.filter(({ stored_as }) => !copies.damaged.has(stored_as));
      wrong.push(
        ...(await wrongFiles(
          named,
          copies,
          (done) => onProgress(done, named.length, 'files verified'),
          signal,
        )),
      );
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
  copies: ImageCopies,
  onDone: (done: number) => void,
  signal: AbortSignal,
): Promise<string[]> {
  const wrong: string[] = [];
  const waiting = named.values();
  let done = 0;
  const goOn = async () => {
    for (const file of waiting) {
      signal.throwIfAborted();
      if (!(await copies.isSound(file)))
        wrong.push(`the image file ${file.stored_as} has other bytes or is not there`);
      onDone(++done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, goOn));
  return wrong;
}

function notTheSame(wrong: readonly string[]): DependencyError {
  const more = wrong.length > NAMED ? ` and ${wrong.length - NAMED} more` : '';
  return new DependencyError(
    'database',
    'unavailable',
    `The copy was restored for a try and is not what the service holds: ${wrong.slice(0, NAMED).join(', ')}${more}. Nothing was kept.`,
  );
}

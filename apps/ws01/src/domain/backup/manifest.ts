import { DAY_MS } from '@ws01/asmx/time';
import { isFileName } from '../../adapters/files/names.ts';
import { DependencyError } from '../../failure/dependency-error.ts';
import { DamagedCopy, type RowCounts } from '../../store/snapshot.ts';
import type { Engine } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';

/**
 * The manifest of a backup, `backup.json`. It is written last: a folder without it is not a backup.
 */
export interface BackupManifest {
  readonly format: 1;
  readonly engine: Engine;
  /** ms since 1970. */
  readonly madeAt: Instant;
  /** The copy of the database: file name, size, and SHA-256 in hexadecimal digits. */
  readonly database: { readonly file: string; readonly bytes: number; readonly sha256: string };
  /** Row counts by table. */
  readonly rows: RowCounts;
  /** Image files; `undefined` if they are not in the backup. */
  readonly images: ImagesOfBackup | undefined;
  /** When and how the backup was verified: restored, or read to its end. */
  readonly verified: { readonly at: Instant; readonly by: 'restored' | 'read' };
}

interface ImagesOfBackup {
  readonly count: number;
  readonly bytes: number;
  /**
   * Names of those that the service had lost or damaged before, so that they are not in the backup.
   */
  readonly damaged?: readonly string[];
}

/** How many damaged image files a manifest names at most; of more it names none. */
const MOST_DAMAGED = 400;

/** What a manifest says of image files. */
export function imagesOfBackup(
  { count, bytes }: Pick<ImagesOfBackup, 'count' | 'bytes'>,
  damaged: Iterable<string>,
): ImagesOfBackup {
  const names = [...damaged].sort();
  const isNamed = names.length > 0 && names.length <= MOST_DAMAGED;
  return { count, bytes, ...(isNamed && { damaged: names }) };
}

/** The image files that a backup cannot have, because the service had them no longer. */
export const lostBefore = (manifest: BackupManifest | undefined): ReadonlySet<string> =>
  new Set(manifest?.images?.damaged);

export const MANIFEST_FILE = 'backup.json';

/** What is not a backup after this time is of one that was interrupted; ms. */
export const BROKEN_OFF_MS = DAY_MS;

/** The names of the database in a backup. */
export const DATABASES: readonly string[] = ['ws01.sqlite', 'ws01.dump'];

/**
 * Reads a manifest.
 * @param backup the name of the backup, for the error.
 * @throws {DamagedCopy}
 * @throws {DependencyError} `incompatible` when a newer version wrote it.
 */
export function parseManifest(text: string, backup: string): BackupManifest {
  const manifest = parseJson(text) as BackupManifest | undefined;
  if (manifest !== undefined && Number.isSafeInteger(manifest.format) && manifest.format > 1) {
    const message = `A newer version of ws01 made the backup ${backup}; restore it with that version.`;
    throw new DependencyError('files', 'incompatible', message);
  }
  if (manifest?.format === 1 && isWellFormed(manifest)) return manifest;
  throw new DamagedCopy(`The manifest of ${backup} is damaged; name another backup.`);
}

/** A manifest among others. */
export interface ManifestFound {
  /** `undefined` where it cannot be read. */
  readonly manifest: BackupManifest | undefined;
  /** Why it cannot: a sentence. */
  readonly damage?: string;
}

/** Longest manifest; bytes. Ours have some hundred. */
const MANIFEST_BYTES = 64 * 1024;

/**
 * Reads a manifest among others.
 * @param bytes its length; of what is no file, infinite.
 * @returns it, or why it cannot be read.
 */
export async function tryManifest(
  read: () => Promise<string>,
  bytes: number,
  backup: string,
): Promise<ManifestFound> {
  const text = bytes > MANIFEST_BYTES ? '' : await read();
  try {
    return { manifest: parseManifest(text, backup) };
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    return { manifest: undefined, damage: error.message };
  }
}

/** Anybody may have written it: its names become paths, and the rest is shown. */
function isWellFormed({
  engine,
  madeAt,
  database,
  rows,
  images,
  verified,
}: BackupManifest): boolean {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  const isInstant = (value: unknown) => isCount(value) && (value as number) <= LATEST;
  return [
    ['sqlite', 'postgres'].includes(engine),
    isInstant(madeAt),
    DATABASES.includes(database?.file),
    isCount(database?.bytes),
    /^[0-9a-f]{64}$/.test(String(database?.sha256)),
    typeof rows === 'object' && rows !== null && Object.values(rows).every(isCount),
    images == null || (isCount(images.count) && isCount(images.bytes)),
    images?.damaged === undefined ||
      (Array.isArray(images.damaged) &&
        images.damaged.every((name) => typeof name === 'string' && isFileName(name))),
    isInstant(verified?.at),
    ['restored', 'read'].includes(verified?.by),
  ].every((isRight) => isRight);
}

/** The latest moment of a `Date`; ms. */
const LATEST = 8.64e15;

function parseJson(text: string): object | undefined {
  try {
    // Editors of Windows begin a file with a byte order mark.
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Of all tables together. */
export function allRows(rows: RowCounts): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

/** The name of a backup that is made among others: `ws01-20261122T030000Z`. */
export function nameOfMoment(at: Instant): string {
  return `ws01-${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

/** Whether a name is one that {@link nameOfMoment} makes: only such are removed by themselves. */
export const isNameOfMoment = (name: string): boolean => /^ws01-\d{8}T\d{6}Z$/.test(name);

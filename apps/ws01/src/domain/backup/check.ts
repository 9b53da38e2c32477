import { rm } from 'node:fs/promises';
import { isMissing } from '../../adapters/files/errors.ts';
import { DependencyError } from '../../failure/dependency-error.ts';
import { DamagedCopy, type NamedFile } from '../../store/snapshot.ts';
import { sha256Of } from './digest.ts';
import type { BackupLocation, Source } from './location.ts';
import { type BackupManifest, lostBefore } from './manifest.ts';
import type { CheckResult } from './records.ts';
import { type ExamineCopy, type OnBackupStep, verify } from './verify.ts';
import { makeWorkFolder } from './work-folders.ts';

interface CheckDeps {
  readonly place: BackupLocation;
  readonly name: string;
  readonly examine: ExamineCopy;
  /** A local folder with room for the database. */
  readonly workIn: string;
  readonly onStep: OnBackupStep;
  readonly signal: AbortSignal;
}

/** What a check found, and the manifest of the backup if it could be read. */
export interface Checked extends CheckResult {
  readonly manifest: BackupManifest | undefined;
}

/**
 * Reads a backup back whole and compares it with its manifest: what {@link verify} does when it is
 * made. Of S3 each image file is read, also those that an earlier backup brought.
 * @throws the signal's reason; all other failures are verdicts.
 */
export async function checkBackup(deps: CheckDeps): Promise<Checked> {
  const { place, name, signal } = deps;
  let manifest: BackupManifest | undefined;
  try {
    const source = await place.open(name);
    if (source === undefined) return absent(deps);
    manifest = source.manifest;
    if (manifest === undefined)
      return { verdict: 'damaged', fault: 'It has lost its manifest.', manifest };
    await verifyWhole(deps, source, manifest);
    return { verdict: 'sound', fault: null, manifest };
  } catch (error) {
    signal.throwIfAborted();
    // Retention may have removed it meanwhile.
    if (await isGone(deps)) return absent(deps);
    const isDamage = error instanceof DamagedCopy;
    return { verdict: isDamage ? 'damaged' : 'failed', fault: sentenceOf(error), manifest };
  }
}

async function verifyWhole(
  { examine, workIn, onStep, signal }: CheckDeps,
  source: Source,
  made: BackupManifest,
): Promise<void> {
  const folder = await makeWorkFolder(workIn, 'backup');
  const { files } = source;
  const lost = lostBefore(made);
  const isSound = async ({ stored_as: name, hash }: NamedFile) => {
    if (lost.has(name)) return true;
    try {
      return (await sha256Of(await files.read(name))) === hash;
    } catch (error) {
      if (isUnreadable(error)) return false;
      throw error;
    }
  };
  try {
    await verify({
      ...{ folder, examine, made, onStep, signal },
      fetchDatabase: (to) => source.fetchDatabase(to),
      isSound: made.images && isSound,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether a file is not there, or is on a part of the disk that cannot be read. */
function isUnreadable(error: unknown): boolean {
  const cause = error instanceof DependencyError ? (error.cause ?? error) : error;
  const { code } = cause as NodeJS.ErrnoException;
  return isMissing(cause) || code === 'ENOTDIR' || code === 'EIO';
}

const isGone = ({ place, name }: CheckDeps) =>
  place.open(name).then(
    (source) => source === undefined,
    () => false,
  );

const absent = ({ place, name }: CheckDeps): Checked => ({
  ...{ verdict: 'missing', manifest: undefined },
  fault: `There is no backup ${name} in ${place.shown}.`,
});

function sentenceOf(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return said.endsWith('.') ? said : `${said}.`;
}

import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { openFiles } from '../../adapters/files/open.ts';
import { filesLocation } from '../../config/address-forms.ts';
import { type Config, type FilesLocation, toolEnvironment } from '../../config/config.ts';
import { DiskBackupLocation } from '../../domain/backup/disk-location.ts';
import type { BackupLocation } from '../../domain/backup/location.ts';
import { DATABASES } from '../../domain/backup/manifest.ts';
import { S3BackupLocation } from '../../domain/backup/s3-location.ts';
import type { ExamineCopy } from '../../domain/backup/verify.ts';
import type { DatabaseSnapshot } from '../../store/snapshot.ts';
import { CommandFailure, UsageFailure } from '../failure.ts';

/** A backup location, and the name of one backup in it if its folder was given. */
interface NamedLocation {
  readonly place: BackupLocation;
  readonly name: string | undefined;
}

/**
 * Opens the location of a command's argument, else of `BACKUP_TO`.
 * @param single whether a folder is one backup, not a location with several.
 */
export async function openLocation(
  argument: string | undefined,
  config: Config,
  single: (folder: string) => Promise<boolean>,
): Promise<NamedLocation> {
  const location = argument === undefined ? config.backupTo : readLocation(argument);
  if (location === undefined) {
    throw new UsageFailure('Name a folder or s3://bucket/prefix, or set BACKUP_TO.');
  }
  if (location.kind === 's3')
    return { place: await openS3(location, config.dataDir), name: undefined };
  const folder = resolve(location.folder);
  return argument !== undefined && (await single(folder))
    ? { place: new DiskBackupLocation(dirname(folder), { links: false }), name: basename(folder) }
    : { place: new DiskBackupLocation(folder, { links: true }), name: undefined };
}

function readLocation(text: string): FilesLocation {
  const location = filesLocation.read(text);
  if (location !== undefined) return location;
  throw new UsageFailure('Name a folder, or s3://bucket/prefix?endpoint=https://…&region=….');
}

async function openS3(
  location: FilesLocation & { kind: 's3' },
  dataDir: string,
): Promise<BackupLocation> {
  const { bucket, prefix } = location;
  const under = (part: string) => ({
    ...location,
    prefix: prefix === '' ? part : `${prefix}/${part}`,
  });
  const shown = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
  return S3BackupLocation.open(
    shown,
    (part) => openFiles({ ...under(part), nested: part === 'backups' }, dataDir),
    dataDir,
  );
}

/** Opens a snapshot of the configured database. */
export async function openSnapshot(
  { databaseUrl, dataDir }: Config,
  signal: AbortSignal,
): Promise<DatabaseSnapshot> {
  if (databaseUrl === undefined) {
    const { SqliteSnapshot } = await import('../../store/sqlite/snapshot.ts');
    return SqliteSnapshot.open(dataDir);
  }
  const { PostgresSnapshot } = await import('../../store/postgres/snapshot.ts');
  return PostgresSnapshot.open(databaseUrl, toolEnvironment(), signal);
}

/** Returns the function that verifies copies of the configured database. */
export function examinerOf({ databaseUrl }: Config): ExamineCopy {
  return async (path) => {
    if (databaseUrl === undefined)
      return (await import('../../store/sqlite/copy-check.ts')).examineCopy(path);
    const { examineDump } = await import('../../store/postgres/snapshot.ts');
    return examineDump(path, databaseUrl, toolEnvironment());
  };
}

/** Whether a folder is a backup, or the data folder of a service. */
export const isOneBackup = (folder: string): Promise<boolean> => has(folder, ...DATABASES);

export const noBackup = ({ shown }: BackupLocation, name: string): CommandFailure =>
  new CommandFailure(`There is no backup ${name} in ${shown}; see ws01 backup --list.`);

/** @throws {CommandFailure} when there is none. */
export async function nameOfNewest(place: BackupLocation): Promise<string> {
  const [backup] = await place.list();
  if (backup === undefined)
    throw new CommandFailure(
      `There is no backup in ${place.shown}; name a backup or a folder with backups.`,
    );
  return backup.name;
}

/** Whether a folder has an entry. */
async function has(folder: string, ...entries: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    entries.map((entry) => stat(resolve(folder, entry)).catch(() => undefined)),
  );
  return found.some((entry) => entry !== undefined);
}

import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';

/** A disk that the service writes to; sizes in bytes. */
export interface Disk {
  readonly folder: string;
  readonly size: number;
  /** Free space for accounts other than root. */
  readonly free: number;
  /** Whether backups are all that the service writes there. */
  readonly isForBackups?: boolean;
}

/**
 * Returns the disks of the data folder, of the image files and of the backups; one entry for those
 * on one disk.
 */
export async function disksOf({
  dataDir,
  files,
  backupTo,
}: Pick<Config, 'dataDir' | 'files' | 'backupTo'>): Promise<readonly Disk[]> {
  const places = [files, backupTo].filter((place) => place?.kind === 'disk');
  const folders = [dataDir, ...places.map(({ folder }) => folder)];
  const found = await Promise.all(folders.map(diskOf));
  const isSame = (one: Disk) => (other: Disk) => one.size === other.size && one.free === other.free;
  const disks = found.filter((disk, at) => found.findIndex(isSame(disk)) === at);
  const isForBackups = ({ folder }: Disk) =>
    backupTo?.kind === 'disk' && folder === backupTo.folder && folder !== dataDir;
  return disks.map((disk) => ({ ...disk, isForBackups: isForBackups(disk) }));
}

/** Returns the disk of a folder that may not exist or may not be readable yet. */
async function diskOf(folder: string): Promise<Disk> {
  try {
    const { blocks, bavail, bsize } = await statfs(folder);
    return { folder, size: blocks * bsize, free: bavail * bsize };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if ((code !== 'ENOENT' && code !== 'EACCES') || dirname(folder) === folder) throw error;
    return { ...(await diskOf(dirname(folder))), folder };
  }
}

/** File systems of other machines by what Linux calls them in statfs(2). */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'SMB'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
]);

/**
 * Returns what an operator must know of SQLite's disk: over a network its locks and shared memory
 * are not reliable (sqlite.org/wal.html), and two machines destroy the database, and what to do;
 * `undefined` if it is none, or cannot be told.
 * @param typeOf the type of the file system of a folder.
 */
export async function networkDisk(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  typeOf = async (folder: string) => (await statfs(folder)).type,
): Promise<{ readonly what: string; readonly remedy: string } | undefined> {
  if (databaseUrl !== undefined || process.platform !== 'linux') return undefined;
  const name = NETWORK_FILE_SYSTEMS.get(await typeOf(dataDir).catch(() => 0));
  if (name === undefined) return undefined;
  return {
    what: `${dataDir} is on another machine (${name}), where SQLite may lose data`,
    remedy: 'put DATA_DIR on a disk of this one, or set DATABASE_URL.',
  };
}

export function isShort(
  { size, free }: Disk,
  { percent, bytes }: Config['diskWarnBelow'],
): boolean {
  return free * 100 < size * percent && free < bytes;
}

/** Returns the message for the operator. */
export function shortageOf({ folder, size, free, isForBackups }: Disk): string {
  const mib = (bytes: number) => `${Math.floor(bytes / 1024 ** 2)} MiB`;
  const remedy = isForBackups ? 'lower BACKUP_KEEP' : 'ws01 db size, ws01 purge';
  return `The disk of ${folder} has ${mib(free)} free of ${mib(size)}; make room (${remedy}).`;
}

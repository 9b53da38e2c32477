import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { disksOf, isShort } from '../../app/disks.ts';
import type { Config } from '../../config/config.ts';
import type { BackupLocation } from '../../domain/backup/location.ts';
import { mebibytes } from '../../failure/mebibytes.ts';
import { SQLITE_FILE } from '../../store/sqlite/file.ts';
import { CommandFailure } from '../failure.ts';
import { openForReading } from '../io/session.ts';

/** The copy of the database, and the one that is restored to verify it. */
const COPIES = 2;

/**
 * Looks before a backup is made beside the data: the service writes to that disk, too.
 * @throws {CommandFailure} when it would have so little room afterwards that `/readyz` warns of it.
 */
export async function assertRoomBeside(config: Config, place: BackupLocation): Promise<void> {
  const [disk] = await disksOf(config);
  const { size } = await stat(join(config.dataDir, SQLITE_FILE));
  // Later backups share the image files of the first one.
  const isFirst = (await place.list()).length === 0;
  const images = config.backupImages && isFirst ? await bytesOfImages(config) : 0;
  const needed = COPIES * size + images;
  if (disk === undefined) return;
  if (!isShort({ ...disk, free: disk.free - needed }, config.diskWarnBelow)) return;
  throw new CommandFailure(
    `The disk of ${disk.folder} has ${mebibytes(disk.free)} MiB free, too little for a backup of ${mebibytes(needed)} MiB beside the data; make room, or set BACKUP_TO to another disk.`,
  );
}

async function bytesOfImages(config: Config): Promise<number> {
  const store = await openForReading(config);
  try {
    const { bytes } = await store.read((db) =>
      db
        .selectFrom('image_files')
        .select(({ fn }) => fn.sum('bytes').as('bytes'))
        .executeTakeFirstOrThrow(),
    );
    return Number(bytes ?? 0);
  } finally {
    await store.close();
  }
}

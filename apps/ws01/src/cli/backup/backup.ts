import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DAY_MS } from '@ws01/asmx/time';
import { Command, Option } from 'commander';
import { type Files, openFiles } from '../../adapters/files/open.ts';
import { type Config, loadConfig } from '../../config/config.ts';
import { archiveOf } from '../../domain/backup/archive.ts';
import { type Backup, makeBackup } from '../../domain/backup/backup.ts';
import { checkBackup } from '../../domain/backup/check.ts';
import type { BackupLocation } from '../../domain/backup/location.ts';
import {
  allRows,
  type BackupManifest,
  isNameOfMoment,
  nameOfMoment,
} from '../../domain/backup/manifest.ts';
import { BACKUP_RECORDS_MS } from '../../domain/backup/records.ts';
import type { OnBackupStep } from '../../domain/backup/verify.ts';
import { lastSlot } from '../../domain/values/schedule.ts';
import { mebibytes } from '../../failure/mebibytes.ts';
import type { BackupStep } from '../../store/tables/tables.ts';
import { CommandFailure, describeError, UsageFailure } from '../failure.ts';
import { configAsChanged } from '../io/changed-config.ts';
import { assertNew } from '../io/new-folder.ts';
import { withJson } from '../io/options.ts';
import { counted, jsonInstant, print, printJson, remark, shownInstant } from '../io/output.ts';
import { createProgress, type ProgressLine } from '../io/progress.ts';
import { table } from '../io/table.ts';
import { stopSignal } from '../signals.ts';
import {
  examinerOf,
  isOneBackup,
  nameOfNewest,
  noBackup,
  openLocation,
  openSnapshot,
} from './location.ts';
import { type BackupRecord, openCheckRecord, openRecord } from './record.ts';
import { assertRoomBeside } from './room.ts';

/** Maximum number of damaged files that are named. */
const NAMED = 5;

interface Options {
  readonly list?: true;
  readonly verify?: true;
  readonly tar?: true;
  readonly name?: string;
  readonly begun?: string;
  readonly ifDue?: true;
  readonly pruneNone?: true;
  readonly json?: boolean;
}

export function backupCommand(): Command {
  return withJson(
    new Command('backup')
      .argument(
        '[target]',
        'a new folder, or s3://bucket/prefix?endpoint=…&region=…; default: BACKUP_TO, else backups in DATA_DIR',
      )
      .option('--list', 'list the backups in the target')
      .option(
        '--verify',
        'make none: read one that is there back whole, and compare it with what was copied',
      )
      .option('--tar', 'make none: write one that is there to standard output, as a tar archive')
      .option('--name <name>', 'the backup to verify or to write, see --list; default: the newest')
      .addOption(new Option('--begun <id>', 'the service calls this').hideHelp())
      .addOption(new Option('--prune-none', 'the service calls this').hideHelp())
      .option(
        '--if-due',
        'do nothing unless BACKUP_SCHEDULE says that a backup is due; the service itself calls this',
      ),
    `The backup is a consistent snapshot. It is verified: restored to a temporary place and compared. It appears in the target only when it is complete. In BACKUP_TO and S3 it gets its own name, such as ws01-20261122T030000Z, and image files of earlier backups there are not copied again. BACKUP_TO keeps the last BACKUP_KEEP backups. If an image file is damaged, the backup is kept and the exit code is 1. PostgreSQL is dumped with pg_dump. Images in S3 are copied, too; BACKUP_IMAGES=off leaves images out.

A disk can lose what it had: --verify finds that. It needs room for the database in DATA_DIR, and on PostgreSQL in the server. The console shows what it found; the exit code is 1 if the backup is not what was copied.

Examples:
  ws01 backup /backup/ws01-$(date +%F)
  ws01 backup 's3://backups/ws01?region=eu-central-1'
  BACKUP_TO=/backup ws01 backup --list
  ws01 backup --verify --name ws01-20261122T030000Z
  ws01 backup --tar | age -r age1… > ws01.tar.age`,
  ).action((target: string | undefined, options: Options) => run(target, options));
}

async function run(
  target: string | undefined,
  { list, verify, tar, name: chosen, begun, ifDue, pruneNone, json = false }: Options,
): Promise<void> {
  const config = loadConfig();
  const { place, name } = await openLocation(target, config, async (folder) =>
    verify || tar ? isOneBackup(folder) : list === undefined,
  );
  try {
    if (list) return await showList(place, json);
    if (verify || tar) {
      const wanted = name ?? chosen ?? (await nameOfNewest(place));
      if (tar) return await writeArchive(place, wanted);
      return await check({ config, place, name: wanted, json, begun });
    }
    if (chosen !== undefined)
      throw new UsageFailure('--name is for --verify and --tar; name a folder.');
    const changed = await configAsChanged(config);
    await backUp({
      config: changed,
      place,
      name,
      json,
      slot: ifDue ? slotOf(changed) : null,
      isOwnPlace: target === undefined,
      prunes: target === undefined && pruneNone === undefined,
    });
  } finally {
    place.close();
  }
}

/** Writes a backup to standard output. */
async function writeArchive(place: BackupLocation, name: string): Promise<void> {
  if (process.stdout.isTTY)
    throw new UsageFailure('Standard output is a terminal; send the archive to a file.');
  const source = await place.open(name);
  if (source?.manifest === undefined) throw noBackup(place, name);
  await pipeline(archiveOf(name, source, source.manifest), process.stdout, { end: false });
}

interface Verification extends Pick<Task, 'config' | 'place' | 'json'> {
  readonly name: string;
  /** The record of it, where the service has begun this. */
  readonly begun: string | undefined;
}

/** Reads a backup back whole, says what it found, and records it. */
async function check({ config, place, name, json, begun }: Verification): Promise<void> {
  const stop = stopSignal('Stopped; the backup was not verified.');
  const targets = [place.shown, join(place.shown, name)];
  const record = await openCheckRecord(config, { name, targets, begunFor: begun });
  const progress = createProgress();
  try {
    const { verdict, fault, manifest } = await checkBackup({
      ...{ place, name, examine: examinerOf(config), workIn: config.dataDir, signal: stop },
      onStep: both(record.tell, tellOn(progress)),
    }).catch(async (error) => {
      await record.end({ verdict: 'failed', fault: describeError(error).text });
      throw error;
    });
    progress.end();
    await record.end({ verdict, fault });
    const backup = `${place.shown}/${name}`;
    if (json)
      await printJson({ backup, verdict, fault, ...(manifest && manifestAsJson(manifest)) });
    else if (verdict === 'sound') await print(`${backup}: sound, ${summaryOf(manifest!)}.\n`);
    if (verdict !== 'sound')
      throw new CommandFailure(`${SAID[verdict]}: ${fault} ${REMEDY[verdict]}`);
  } finally {
    progress.end();
    await record.close();
  }
}

const SAID = {
  damaged: 'The backup is damaged',
  missing: 'The backup is not there',
  failed: 'The backup could not be verified',
} as const;

const REMEDY = {
  damaged: 'Keep the others, and make a new one: ws01 backup.',
  missing: 'See ws01 backup --list.',
  failed: 'Try again when that is mended.',
} as const;

/** The units of a step. */
const UNITS: Readonly<Record<BackupStep, string>> = {
  images: 'image files',
  pages: 'pages of the database',
  mebibytes: 'MiB of the database',
  restoring: 'Restoring the copy to a temporary place',
  files: 'files verified',
};

const tellOn =
  ({ tell }: ProgressLine): OnBackupStep =>
  (step, done, total) =>
    tell(done, total, UNITS[step]);

const both =
  (...tells: readonly OnBackupStep[]): OnBackupStep =>
  (...step) => {
    for (const tell of tells) tell(...step);
  };

const slotOf = ({ backupSchedule, timeZone }: Config) =>
  lastSlot(backupSchedule, Date.now(), timeZone);

interface Task {
  readonly config: Config;
  readonly place: BackupLocation;
  /** `undefined` for a name made from the present time. */
  readonly name: string | undefined;
  /** The scheduled time of the backup. */
  readonly slot: number | null;
  /** Whether it goes where the backups of the service are. */
  readonly isOwnPlace: boolean;
  /** Whether backups there that are too many go. */
  readonly prunes: boolean;
  readonly json: boolean;
}

async function backUp(task: Task): Promise<void> {
  const { config, place, json, slot, isOwnPlace, prunes } = task;
  const target = task.name === undefined ? place.shown : join(place.shown, task.name);
  if (task.name !== undefined) await assertNew(target);
  const record = await openRecord(config, { slot, target, name: task.name });
  if (record === 'not due') return;
  const { name } = record;
  try {
    const isBeside = isOwnPlace && !config.isBackupToSet;
    const made = isBeside ? assertRoomBeside(config, place) : Promise.resolve();
    const backup = await made
      .then(() => copy(config, place, record))
      .catch(async (error) => {
        await record.end(describeError(error).text);
        throw error;
      });
    await record.end(backup.manifest);
    const removed = prunes ? await prune(place, await record.verified(), config.backupKeep) : 0;
    const shown = task.name === undefined ? `${place.shown}/${name}` : target;
    await (json
      ? printJson(jsonOf(shown, backup, removed))
      : print(`${shown}: ${summaryOf(backup.manifest)}.\n`));
    if (backup.manifest.images === undefined)
      remark('This backup has no image files: BACKUP_IMAGES is off.');
    if (backup.damaged.size > 0) throw new CommandFailure(damageOf(backup));
  } finally {
    await record.close();
  }
}

async function copy(
  config: Config,
  place: BackupLocation,
  { name, tell }: BackupRecord,
): Promise<Backup> {
  const stop = stopSignal('Stopped; nothing was written.');
  const snapshot = await openSnapshot(config, stop);
  const progress = createProgress();
  let source: Files | undefined;
  try {
    if (config.backupImages) source = await openFiles(config.files, config.dataDir);
    // If the bucket is unreachable, every file would count as damaged.
    if (config.files.kind === 's3') await source?.store.check();
    return await makeBackup({
      snapshot,
      files: source?.store,
      draft: await place.begin(name),
      examine: examinerOf(config),
      onStep: both(tell, tellOn(progress)),
      signal: stop,
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST')
      throw new CommandFailure(
        `${name} has been created by another program meanwhile; name a new one.`,
      );
    throw error;
  } finally {
    progress.end();
    source?.store.close();
    await snapshot.close();
  }
}

/**
 * Removes all but the newest backups of this service. What others have put there neither counts nor
 * goes: however new it says it is, it takes the place of none of ours. What is older than the
 * records counts as ours. What a clock made that was ahead, or was right before one went back,
 * neither counts nor goes.
 * @param made the names of those that the records of this service know.
 * @returns how many.
 */
async function prune(
  place: BackupLocation,
  made: ReadonlySet<string>,
  keep: number,
): Promise<number> {
  const recorded = nameOfMoment(Date.now() - BACKUP_RECORDS_MS);
  const tomorrow = nameOfMoment(Date.now() + DAY_MS);
  const old = (await place.list())
    .map(({ name }) => name)
    .filter((name) => isNameOfMoment(name) && (made.has(name) || name < recorded))
    .filter((name) => name < tomorrow)
    .slice(keep);
  const kept = await place.prune(old);
  if (kept !== undefined) remark(kept);
  return old.length;
}

async function showList(place: BackupLocation, json: boolean): Promise<void> {
  const backups = await place.list();
  if (json) {
    await printJson(
      backups.map(({ name, manifest, damage }) => ({
        name,
        ...(manifest && manifestAsJson(manifest)),
        ...(damage && { damage }),
      })),
    );
  } else if (backups.length === 0) {
    remark(`There are no backups in ${place.shown}.`);
  } else {
    const rows = backups.map(({ name, manifest }) => [
      name,
      shownInstant(manifest?.madeAt),
      manifest === undefined ? '-' : String(allRows(manifest.rows)),
      String(manifest?.images?.count ?? '-'),
      mib(manifest?.database.bytes ?? 0),
      manifest?.verified.by ?? '-',
    ]);
    await print(table(['NAME', 'MADE', 'ROWS', 'IMAGES', 'DATABASE', 'VERIFIED'], rows));
    for (const { damage } of backups) if (damage !== undefined) remark(damage);
  }
}

function manifestAsJson({
  engine,
  madeAt,
  database,
  rows,
  images,
  verified,
}: BackupManifest): Record<string, unknown> {
  return {
    engine,
    madeAt: jsonInstant(madeAt),
    databaseBytes: database.bytes,
    rows: allRows(rows),
    images: images?.count ?? null,
    imageBytes: images?.bytes ?? null,
    verifiedAt: jsonInstant(verified.at),
    verifiedBy: verified.by,
  };
}

function jsonOf(
  backup: string,
  { manifest, damaged }: Backup,
  removed: number,
): Record<string, unknown> {
  return { backup, ...manifestAsJson(manifest), damaged: Object.fromEntries(damaged), removed };
}

function summaryOf({ database, images, rows, verified }: BackupManifest): string {
  const files =
    images === undefined
      ? ''
      : ` and ${counted(images.count, 'image file')} of ${mib(images.bytes)}`;
  return `the database of ${mib(database.bytes)}${files}; ${verified.by}, ${allRows(rows)} rows compared`;
}

const mib = (bytes: number): string => `${mebibytes(bytes)} MiB`;

function damageOf({ damaged }: Backup): string {
  const named = [...damaged].slice(0, NAMED).map(([name, damage]) => `${name} (${damage})`);
  const others = damaged.size > NAMED ? ` and ${damaged.size - NAMED} more` : '';
  return `The backup is complete, but these image files of the service are damaged, in the backup, too: ${named.join(', ')}${others}.`;
}

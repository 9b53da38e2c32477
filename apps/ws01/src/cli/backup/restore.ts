import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { type Config, loadConfig } from '../../config/config.ts';
import type { Source } from '../../domain/backup/location.ts';
import { allRows, type BackupManifest, lostBefore } from '../../domain/backup/manifest.ts';
import type { RestorePlan } from '../../domain/backup/restore.ts';
import { makeWorkFolder } from '../../domain/backup/work-folders.ts';
import { FolderError } from '../../domain/portable/manifest.ts';
import { mebibytes } from '../../failure/mebibytes.ts';
import { momentName, SQLITE_FILE } from '../../store/sqlite/file.ts';
import { CommandFailure } from '../failure.ts';
import { archiveKind, unpackInto } from '../io/archive.ts';
import { isOpenByService } from '../io/open-elsewhere.ts';
import { withJson } from '../io/options.ts';
import { jsonInstant, print, printJson, remark, shownInstant } from '../io/output.ts';
import { createProgress } from '../io/progress.ts';
import { stopSignal } from '../signals.ts';
import { isOneBackup, nameOfNewest, noBackup, openLocation, openSnapshot } from './location.ts';
import { IN_USE, replaceBy } from './replace-by.ts';

interface Options {
  readonly name?: string;
  readonly yes?: true;
  readonly replace?: true;
  readonly files: boolean;
  readonly json?: true;
}

export function restoreCommand(): Command {
  return withJson(
    new Command('restore')
      .argument(
        '[source]',
        'a backup, one that was downloaded (.tar), a folder of backups, or s3://bucket/prefix?endpoint=…; default: BACKUP_TO',
      )
      .option('--name <name>', 'the backup to restore, see ws01 backup --list; default: the newest')
      .option('--yes', 'restore; without it, only show what would be done')
      .option(
        '--replace',
        'replace a database that holds data; the old data is kept in a folder beside it',
      )
      .option('--without-files', 'restore only the database'),
    `Stop the service first. The command checks the backup, restores missing image files, and then replaces the database in one step. It keeps the old database in DATA_DIR/before-restore-…, which is a backup, too.

Examples:
  ws01 restore /backup/ws01-20261122T030000Z
  ws01 restore /backup --yes --replace
  ws01 restore ws01-20261122T030000Z.tar --yes
  ws01 restore 's3://backups/ws01' --name ws01-20261122T030000Z --yes`,
  ).action((source: string | undefined, options: Options & { withoutFiles?: true }) =>
    run(source, { ...options, files: options.withoutFiles !== true }),
  );
}

async function run(argument: string | undefined, options: Options): Promise<void> {
  const config = loadConfig();
  const isArchive = argument !== undefined && archiveKind(argument) !== undefined;
  if (!isArchive) return restoreFrom(argument, config, options);
  await withBackupOf(argument, config, (folder) => restoreFrom(folder, config, options, argument));
}

/** Unpacks a downloaded backup beside the data of the service, and runs work on its folder. */
async function withBackupOf(
  archive: string,
  { dataDir }: Config,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await makeWorkFolder(dataDir, 'unpack');
  try {
    await assertRoom(archive, folder);
    await unpackInto(folder, archive, stopSignal('Stopped; nothing was done.')).catch((error) => {
      throw error instanceof FolderError ? new CommandFailure(error.message) : error;
    });
    const [only = '', ...others] = await readdir(folder);
    await work(others.length === 0 ? join(folder, only) : folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws {CommandFailure} when the archive is larger than the room beside the data. */
async function assertRoom(archive: string, folder: string): Promise<void> {
  const [{ size }, { bavail, bsize }] = await Promise.all([stat(archive), statfs(folder)]);
  const free = bavail * bsize;
  if (size <= free) return;
  const [needs, has] = [mebibytes(size), Math.floor(free / 1024 ** 2)];
  throw new CommandFailure(
    `${archive} is unpacked in DATA_DIR, on whose disk it needs ${needs} MiB and has ${has}; make room there.`,
  );
}

async function restoreFrom(
  argument: string | undefined,
  config: Config,
  options: Options,
  archive?: string,
): Promise<void> {
  const { place, name } = await openLocation(argument, config, isOneBackup);
  try {
    const chosen = name ?? options.name ?? (await nameOfNewest(place));
    const source = await place.open(chosen);
    if (source === undefined) throw noBackup(place, chosen);
    const from = archive ?? `${place.shown}/${chosen}`;
    const plan = { ...(await planOf(config, from, source)), name: chosen };
    await (options.json && !options.yes
      ? printJson(planAsJson(plan))
      : options.json || print(planText(plan)));
    assertAllowed(plan, options);
    if (!options.yes) return remark('Nothing was done. To do it, add --yes.');
    await carryOut(config, source, plan, options);
  } finally {
    place.close();
  }
}

/** The plan of a restore. */
interface Plan {
  /** Of the backup. */
  readonly name: string;
  readonly from: string;
  readonly manifest: BackupManifest | undefined;
  readonly to: string;
  /** Number of present rows; `undefined` without a database, `damaged` if it cannot be read. */
  readonly present: number | 'damaged' | undefined;
  /** Whether a service has the database open. */
  readonly running: boolean;
}

async function planOf(
  config: Config,
  from: string,
  { manifest, database }: Source,
): Promise<Omit<Plan, 'name'>> {
  const wanted = config.databaseUrl === undefined ? SQLITE_FILE : 'ws01.dump';
  if (database !== wanted) {
    const [is, set] = database === SQLITE_FILE ? ['SQLite', 'unset'] : ['PostgreSQL', 'set'];
    throw new CommandFailure(`The backup is of ${is}; ${set} DATABASE_URL to restore it.`);
  }
  const file = resolve(config.dataDir, SQLITE_FILE);
  if (config.databaseUrl !== undefined) {
    const { host, pathname } = new URL(config.databaseUrl);
    return {
      from,
      manifest,
      to: `PostgreSQL at ${host}${pathname}`,
      running: (await isOpenByService(config)) === true,
      present: await presentRows(config),
    };
  }
  const open = await isOpenByService(config);
  return {
    from,
    manifest,
    to: file,
    present: open === undefined ? undefined : await presentRows(config),
    running: open === true,
  };
}

/** Counts the rows of the service's tables, without those that every start makes. */
async function presentRows(config: Config): Promise<number | 'damaged' | undefined> {
  try {
    const snapshot = await openSnapshot(config, new AbortController().signal);
    try {
      const {
        code_keys: _,
        store_probe: __,
        image_totals: ___,
        service_time: ____,
        ...rows
      } = await snapshot.counts();
      return Object.keys(rows).length === 0 ? undefined : allRows(rows);
    } finally {
      await snapshot.close();
    }
  } catch (error) {
    if (config.databaseUrl !== undefined) throw error;
    return 'damaged';
  }
}

function assertAllowed({ running, present }: Plan, { replace }: Options): void {
  if (running) throw new CommandFailure(IN_USE);
  if (present !== undefined && present !== 0 && !replace) {
    const held =
      present === 'damaged'
        ? 'The database that is there is damaged'
        : `The database holds ${present} rows`;
    throw new CommandFailure(
      `${held}. To replace it and keep a copy of it, add --replace. Nothing was done.`,
    );
  }
}

async function carryOut(
  config: Config,
  source: Source,
  plan: Plan,
  { files, json }: Options,
): Promise<void> {
  const { from, name } = plan;
  const keptIn = join(config.dataDir, `before-restore-${momentName()}`);
  const kept = plan.present === undefined ? undefined : keptIn;
  const progress = createProgress();
  try {
    const {
      rows,
      files: brought,
      waiting,
      handed,
    } = await replaceBy(source, {
      ...{ config, name, keptIn, keeps: kept !== undefined, files },
      details: { from },
      onProgress: progress.tell,
      signal: stopSignal('Stopped; the database is unchanged.'),
    });
    progress.end();
    if (json) {
      await printJson({
        ...planAsJson(plan),
        restoredRows: allRows(rows),
        restoredFiles: brought,
        keptIn: kept ?? null,
        waiting,
      });
    } else {
      await print(
        `Restored ${allRows(rows)} rows, and ${brought} image files that were not there.\n`,
      );
    }
    if (kept !== undefined)
      remark(`The data from before is in ${kept}; ws01 restore can bring it back.`);
    if (!handed)
      remark('The image files belong to another database. If FILES_URL is right: ws01 files adopt');
    if (waiting > 0) {
      remark(
        `${waiting} mails are queued and will be sent when the service starts. To cancel them: ws01 mail cancel --state queued`,
      );
    }
  } finally {
    progress.end();
  }
}

function planText({ from, manifest, to, present, running }: Plan): string {
  const made =
    manifest === undefined
      ? 'made by an earlier version'
      : `made ${shownInstant(manifest.madeAt)}, verified (${manifest.verified.by})`;
  const lost = lostBefore(manifest).size;
  const lack = lost === 0 ? '' : ` (${lost} more had been lost or damaged before)`;
  const holds =
    manifest === undefined
      ? ''
      : `, ${allRows(manifest.rows)} rows, ${manifest.images?.count ?? 'no'} image files${lack}`;
  const there = present === 'damaged' ? present : `${present} rows`;
  const now = present === undefined ? 'nothing is there' : there;
  return `from  ${from}: ${made}${holds}\nto    ${to}: ${now}${running ? ', in use by a service' : ''}\n`;
}

function planAsJson({
  from,
  manifest,
  to,
  present,
  running,
}: Plan): RestorePlan & { readonly running: boolean } {
  return {
    from,
    madeAt: jsonInstant(manifest?.madeAt),
    rows: manifest === undefined ? null : allRows(manifest.rows),
    images: manifest?.images?.count ?? null,
    to,
    present: present ?? null,
    running,
  };
}

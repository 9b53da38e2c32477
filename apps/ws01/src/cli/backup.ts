import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { makeFolder, sync } from '../adapters/files/durable.ts';
import { openFiles } from '../adapters/files/open.ts';
import { loadConfig } from '../config/config.ts';
import { type Backup, makeBackup } from '../domain/backup/backup.ts';
import { SqliteSnapshot } from '../store/sqlite/snapshot.ts';
import { CommandFailure } from './failure.ts';
import { print, printJson, remark } from './io/output.ts';
import { createProgress } from './io/progress.ts';
import { firstSignal } from './signals.ts';

/** Damaged files that are named at most. */
const NAMED = 5;

export function backupCommand(): Command {
  return new Command('backup')
    .argument('<folder>', 'where the copy is to be: a new folder, which is there when the copy is complete')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
The copy is of one moment and is a DATA_DIR: to restore it, stop the service, put the copy in the place of the old folder
and start. Every file is checked on the way; with a damaged one the copy is kept and the exit code is 1. PostgreSQL and
images in S3 have tools of their own: see docs/operations/backup.md.

Examples:
  ws01 backup /backup/ws01-$(date +%F)
  DATA_DIR=/var/lib/ws01 ws01 backup /backup/ws01-tonight --json`,
    )
    .action((folder: string, { json }: { json?: true }) => backUp(resolve(folder), json === true));
}

async function backUp(folder: string, json: boolean): Promise<void> {
  const { databaseUrl, dataDir, files } = loadConfig();
  if (databaseUrl !== undefined) {
    throw new CommandFailure('The database is PostgreSQL; back it up with pg_dump as docs/operations/backup.md says.');
  }
  await assertNew(folder);
  const snapshot = await SqliteSnapshot.open(dataDir);
  const source = files.kind === 'disk' ? await openFiles(files, dataDir) : undefined;
  const stop = new AbortController();
  firstSignal().then(() => stop.abort(new CommandFailure('It was stopped; nothing was kept.')));
  const progress = createProgress();
  try {
    const backup = await inNewFolder(folder, (partial) =>
      makeBackup({
        snapshot,
        files: source?.store,
        folder: partial,
        onProgress: progress.tell,
        signal: stop.signal,
      }),
    );
    if (source === undefined) remark('The image files are in S3 and not in this copy, see docs/operations/backup.md.');
    await (json ? printJson(jsonOf(folder, backup)) : print(`${folder}: the database and ${imagesOf(backup)}.\n`));
    if (backup.damaged.size > 0) throw new CommandFailure(damageOf(backup));
  } finally {
    progress.end();
    snapshot.close();
  }
}

/** Refuses what the copy would be mixed with. An empty folder is as good as none. */
async function assertNew(folder: string): Promise<void> {
  const present = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    if (error.code === 'ENOTDIR') throw new CommandFailure(`${folder} is a file; name a new folder.`);
    throw error;
  });
  if (present.length > 0) throw new CommandFailure(`${folder} is not empty; name a new folder.`);
}

/** Fills a folder beside the one that is named, and gives it the name when it is complete; else removes it. */
async function inNewFolder<T>(folder: string, fill: (partial: string) => Promise<T>): Promise<T> {
  await makeFolder(dirname(folder));
  const partial = await mkdtemp(`${folder}.partial-`);
  try {
    const filled = await fill(partial);
    await rename(partial, folder);
    await sync(dirname(folder));
    return filled;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') throw new CommandFailure(`${folder} has been made meanwhile.`);
    throw error;
  }
}

function jsonOf(folder: string, { images, imageBytes, damaged }: Backup): Record<string, unknown> {
  return { folder, images, imageBytes, damaged: Object.fromEntries(damaged) };
}

function imagesOf({ images, imageBytes }: Backup): string {
  return `${images} image ${images === 1 ? 'file' : 'files'} of ${Math.ceil(imageBytes / 1024 / 1024)} MiB`;
}

function damageOf({ damaged }: Backup): string {
  const named = [...damaged].slice(0, NAMED).map(([name, damage]) => `${name} (${damage})`);
  const others = damaged.size > NAMED ? ` and ${damaged.size - NAMED} more` : '';
  return `The copy is complete, but image files of the service are damaged, and so in the copy: ${named.join(', ')}${others}.`;
}

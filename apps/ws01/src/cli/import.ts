import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { openFiles } from '../adapters/files/open.ts';
import { DecoderPool } from '../adapters/images/decoders.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/config.ts';
import { filesLocation } from '../config/forms.ts';
import { ARCHIVE_LIMITS } from '../domain/portable/archive.ts';
import { BATCH } from '../domain/portable/batches.ts';
import { dryRun } from '../domain/portable/dry-run.ts';
import { folderOfImages, type ImageSource, objectsOfImages } from '../domain/portable/image-source.ts';
import { type ImportReport, importFolder, NothingInterrupted } from '../domain/portable/import.ts';
import { FolderError } from '../domain/portable/manifest.ts';
import { SQLITE_FILE } from '../store/sqlite/file.ts';
import { CommandFailure } from './failure.ts';
import { withUnpacked } from './io/archive.ts';
import { positiveInteger } from './io/options.ts';
import { print, printJson, remark } from './io/output.ts';
import { createProgress } from './io/progress.ts';
import { createRate } from './io/rate.ts';
import { withStore } from './io/session.ts';
import { table } from './io/table.ts';
import { firstSignal } from './signals.ts';

interface Options {
  readonly dryRun?: true;
  readonly resume?: true;
  readonly mayBegin?: boolean;
  readonly encoding: string;
  readonly images?: string;
  readonly copyFiles?: true;
  readonly sendMail?: true;
  readonly batch: number;
  readonly refused?: string;
  readonly unpack?: string;
  readonly unpackBytes: number;
  readonly unpackEntries: number;
  readonly json?: true;
}

export function importCommand(): Command {
  return new Command('import')
    .argument(
      '<folder>',
      'with articles.jsonl, users.csv and the like, or a tar archive of one; docs/portable-format.md says what may stand there',
    )
    .option('--dry-run', 'read everything and say what would become of it; nothing is brought in')
    .option('--resume', 'go on where an import of this folder was interrupted')
    .option('--encoding <charset>', 'of the files, such as gb18030 or windows-1252', readEncoding, 'utf-8')
    .option(
      '--images <place>',
      'where image files are, if not in the folder: another one, or s3://bucket/prefix?endpoint=…',
    )
    .option(
      '--copy-files',
      'copy image files that could be linked: for a folder that another program still writes into',
    )
    .option('--send-mail', 'send what was on its way; else it waits until ws01 mail retry asks for it')
    .option('--batch <rows>', 'rows of one transaction: fewer hold up a service beside it less', positiveInteger, BATCH)
    .option('--refused <file>', 'where rows go that are not taken, with the reason; <folder>.refused.jsonl without it')
    .option(
      '--unpack <folder>',
      'where a tar archive is unpacked, best on the disk of the images; <archive>.unpacked without it, removed at the end',
    )
    .option('--unpack-bytes <bytes>', 'how much an archive may hold', positiveInteger, ARCHIVE_LIMITS.bytes)
    .option('--unpack-entries <number>', 'how many files and folders', positiveInteger, ARCHIVE_LIMITS.entries)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
What is there already stays as it is: a second run changes nothing. Rows that cannot be taken are written to a file, and
the import goes on. Kinds that the folder does not have are made of those that it has: users and categories of the
records that name them, counts of what was posted of the records and their dates.

Exit codes: 0 everything is there; 1 rows were refused, or it failed; 2 the folder cannot be read.

Examples:
  ws01 import old-site --dry-run
  ws01 import moved.tar.gz
  ws01 import old-site
  ws01 import old-site --encoding gb18030 --images /var/www/upload
  ws01 import old-site --resume`,
    )
    .action(run);
}

function readEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new InvalidArgumentError(
      'Give the name of a charset, such as utf-8, gb18030, big5, shift_jis or windows-1252.',
    );
  }
}

async function run(path: string, options: Options): Promise<void> {
  const source = resolve(path);
  const stop = new AbortController();
  firstSignal().then(() =>
    stop.abort(new CommandFailure('It was stopped; what was brought in stays. Go on with --resume.')),
  );
  const refusedPath = options.refused ?? `${source}.refused.jsonl`;
  const take = (folder: string) => {
    const given = { ...options, mayBegin: folder !== source };
    return (options.dryRun ? tryOut : bringIn)(folder, given, refusedPath, stop.signal);
  };
  try {
    const report = await ((await stat(source)).isFile()
      ? withUnpacked(source, unpackingOf(source, options), stop.signal, take)
      : take(source));
    await tell(report, options, refusedPath);
  } catch (error) {
    if (error instanceof FolderError) throw new CommandFailure(error.message, { exitCode: 2 });
    if (error instanceof NothingInterrupted) throw new CommandFailure(error.message, { exitCode: 2 });
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new CommandFailure(`${(error as NodeJS.ErrnoException).path}: there is no such folder.`, { exitCode: 2 });
    }
    throw error;
  }
}

function unpackingOf(archive: string, { unpack, unpackBytes, unpackEntries, resume }: Options) {
  return {
    folder: resolve(unpack ?? `${archive}.unpacked`),
    limits: { bytes: unpackBytes, entries: unpackEntries },
    resume: resume === true,
  };
}

function bringIn(folder: string, options: Options, refusedPath: string, signal: AbortSignal): Promise<ImportReport> {
  return withStore(
    async (store, config) => {
      const files = await openFiles(config.files, config.dataDir);
      const decoders = decodersOf(config);
      const progress = createProgress();
      try {
        return await importFolder(folder, {
          store,
          clock: Date.now,
          files: {
            store,
            clock: Date.now,
            files,
            decoders,
            maxImagePixels: config.maxImagePixels,
            source: await sourceOf(folder, options, config),
          },
          options: optionsOf(options, config, refusedPath),
          onProgress: createRate(progress),
          signal,
        });
      } finally {
        progress.end();
        decoders.close();
        files.store.close();
      }
    },
    { mayCreate: true, bulk: true },
  );
}

async function tryOut(
  folder: string,
  options: Options,
  refusedPath: string,
  signal: AbortSignal,
): Promise<ImportReport> {
  const config = loadConfig();
  const progress = createProgress();
  const deps = {
    source: await sourceOf(folder, options, config),
    now: Date.now,
    options: optionsOf(options, config, refusedPath),
    onProgress: createRate(progress),
    signal,
  };
  const none = config.databaseUrl === undefined && !existsSync(join(config.dataDir, SQLITE_FILE));
  try {
    return await (none
      ? dryRun(folder, { ...deps, db: undefined })
      : withStore((store) => store.snapshot((db) => dryRun(folder, { ...deps, db }))));
  } finally {
    progress.end();
  }
}

function decodersOf(config: Config): DecoderPool {
  return new DecoderPool({
    processes: config.imageDecoders,
    waiting: config.imageQueue,
    memory: config.imageMemoryBytes,
    cpu: config.imageCpuMs,
  });
}

async function sourceOf(folder: string, { images, copyFiles }: Options, config: Config): Promise<ImageSource> {
  if (images === undefined) return folderOfImages(folder, copyFiles === true);
  const place = filesLocation.read(images);
  if (place === undefined) throw new CommandFailure(`--images must be ${filesLocation.expects}.`, { exitCode: 2 });
  return place.kind === 'disk'
    ? folderOfImages(place.folder, copyFiles === true)
    : objectsOfImages((await openFiles(place, config.dataDir)).store);
}

function optionsOf(options: Options, { timeZone }: Config, refusedPath: string) {
  return {
    timeZone,
    encoding: options.encoding,
    sendMail: options.sendMail === true,
    resume: options.resume === true,
    mayBegin: options.mayBegin === true,
    batch: options.batch,
    refusedPath,
  };
}

async function tell({ kinds, refused }: ImportReport, { json, dryRun }: Options, refusedPath: string): Promise<void> {
  if (json) {
    await printJson({
      dryRun: dryRun === true,
      kinds,
      refused: refused === 0 ? null : { rows: refused, file: refusedPath },
    });
  } else {
    const rows = Object.entries(kinds).map(([kind, { added, present, refused }]) =>
      [kind, added, present, refused].map(String),
    );
    await print(table(['KIND', dryRun ? 'WOULD BE ADDED' : 'ADDED', 'THERE ALREADY', 'REFUSED'], rows));
  }
  if (refused > 0) {
    process.exitCode = 1;
    remark(`${refused} ${refused === 1 ? 'row was' : 'rows were'} refused; ${refusedPath} has them, with the reasons.`);
  }
}

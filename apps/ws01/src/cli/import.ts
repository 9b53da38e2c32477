import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_POOL_THREADS, DiskTurns } from '../adapters/files/disk-turns.ts';
import { openFiles } from '../adapters/files/open.ts';
import { DecoderPool } from '../adapters/images/decoders.ts';
import { filesLocation } from '../config/address-forms.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/config.ts';
import { lookAtOwner } from '../domain/images/file-owner.ts';
import { ARCHIVE_LIMITS } from '../domain/portable/archive.ts';
import { BATCH } from '../domain/portable/batches.ts';
import { dryRun } from '../domain/portable/dry-run.ts';
import {
  folderOfImages,
  type ImageSource,
  objectsOfImages,
} from '../domain/portable/image-source.ts';
import { type ImportReport, importFolder, NothingInterrupted } from '../domain/portable/import.ts';
import { FolderError } from '../domain/portable/manifest.ts';
import type { Removes } from '../domain/portable/missing.ts';
import { doubtText } from '../domain/retention/absence.ts';
import { SQLITE_FILE } from '../store/sqlite/file.ts';
import { UsageFailure } from './failure.ts';
import { PIPE, withUnpacked } from './io/archive.ts';
import { positiveInteger, withJson } from './io/options.ts';
import { print, printJson, remark } from './io/output.ts';
import { createProgress } from './io/progress.ts';
import { createRate } from './io/rate.ts';
import { withStore } from './io/session.ts';
import { table } from './io/table.ts';
import { stopSignal } from './signals.ts';

interface Options {
  readonly dryRun?: true;
  readonly resume?: true;
  readonly mayBegin?: boolean;
  readonly encoding: string;
  readonly null?: string;
  readonly lenient?: true;
  readonly dates?: 'dmy' | 'mdy';
  readonly update?: 'always' | true;
  readonly removeMissing?: 'all' | true;
  readonly images?: string;
  readonly copyFiles?: true;
  readonly decodeImages?: true;
  readonly sendMail?: true;
  readonly batch: number;
  readonly refused?: string;
  readonly unpack?: string;
  readonly unpackBytes: number;
  readonly unpackEntries: number;
  readonly json?: true;
}

/** How many reasons are shown. */
const SHOWN_REASONS = 30;

export function importCommand(): Command {
  const command = new Command('import').argument(
    '<folder>',
    'a folder with files such as articles.jsonl and users.csv (docs/portable-format.md), or a tar archive of one; - reads an archive from standard input',
  );
  withWorkOptions(withRecordOptions(withReadingOptions(command)));
  return withJson(command, HELP).action(run);
}

const HELP = `Existing records stay unchanged, unless you say --update: a second run changes nothing.
Refused rows are written to a file, and the import goes on.
Kinds that the folder lacks are derived from the others: users and categories from the records
that name them, counts of posts from the records and their dates.

Exit codes: 0 everything was imported; 1 rows were refused, or the import failed; 2 the folder cannot be read.

Examples:
  ws01 import old-site --dry-run
  ws01 import moved.tar.gz
  ws01 import old-site
  ws01 import old-site --encoding gb18030 --null NULL --images /var/www/upload
  ws01 import old-site-today --update --remove-missing --dry-run
  ws01 import old-site --resume`;

/** How the folder is read. */
function withReadingOptions(command: Command): Command {
  return command
    .option('--dry-run', 'read everything and show what would be done; import nothing')
    .option('--resume', 'go on where an import of this folder was interrupted')
    .option(
      '--encoding <charset>',
      'the charset of the files, such as gb18030 or windows-1252',
      readEncoding,
      'utf-8',
    )
    .option(
      '--null <text>',
      'what stands for no value in CSV cells without quotes, such as NULL; an empty text: nothing does',
    )
    .option(
      '--lenient',
      'leave out what cannot be read of a row, where the row may be without it, and control characters of texts',
    )
    .addOption(
      new Option(
        '--dates <order>',
        'whether the day or the month comes first in dates such as 3/4/2015; without it they are refused',
      ).choices(['dmy', 'mdy']),
    );
}

/** What becomes of its records and images. */
function withRecordOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--update [always]',
        'let rows take the place of records here that are older, or as they were brought; always: of all',
      ).choices(['always']),
    )
    .addOption(
      new Option(
        '--remove-missing [all]',
        'with --update: remove what earlier imports brought and this folder lacks; all: however many there are',
      ).choices(['all']),
    )
    .option(
      '--images <place>',
      'where the image files are, if not in the folder: another folder, or s3://bucket/prefix?endpoint=…',
    )
    .option(
      '--copy-files',
      'copy image files instead of hard-linking them, for a folder that another program still writes to',
    )
    .option(
      '--decode-images',
      'decode every image during the import and refuse damaged ones; default: when an image is first requested',
    )
    .option(
      '--send-mail',
      'send mails that were still queued; without it, they wait for ws01 mail retry',
    );
}

/** How the work is done, and how much an archive may be. */
function withWorkOptions(command: Command): Command {
  return command
    .option(
      '--batch <rows>',
      'rows per transaction; smaller batches delay a running service less',
      positiveInteger,
      BATCH,
    )
    .option(
      '--refused <file>',
      'the file for refused rows and the reasons; default: <folder>.refused.jsonl',
    )
    .option(
      '--unpack <folder>',
      'where a tar archive is unpacked, best on the disk of the images; default: <archive>.unpacked; removed at the end',
    )
    .option(
      '--unpack-bytes <bytes>',
      'the largest unpacked size of an archive, in bytes',
      positiveInteger,
      ARCHIVE_LIMITS.bytes,
    )
    .option(
      '--unpack-entries <number>',
      'the largest number of files and folders in an archive',
      positiveInteger,
      ARCHIVE_LIMITS.entries,
    );
}

function readEncoding(label: string): string {
  const encoding = nameOfCharset(label);
  if (encoding.startsWith('utf-16'))
    throw new InvalidArgumentError('UTF-16 files are recognized; leave --encoding out for them.');
  return encoding;
}

function nameOfCharset(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new InvalidArgumentError(
      'Give the name of a charset, such as utf-8, gb18030, big5, shift_jis or windows-1252.',
    );
  }
}

async function run(path: string, options: Options): Promise<void> {
  const piped = path === PIPE;
  if (piped && process.stdin.isTTY && options.resume !== true) {
    throw new UsageFailure('Standard input is a terminal; pipe a tar archive into it.');
  }
  const source = piped ? PIPE : resolve(path);
  const named = piped ? resolve('import') : source;
  const stop = stopSignal('Stopped; what was imported stays. Continue with --resume.');
  const refusedPath = options.refused ?? `${named}.refused.jsonl`;
  const take = (folder: string) => {
    const given = { ...options, mayBegin: folder !== source };
    return (options.dryRun ? tryOut : bringIn)(folder, given, refusedPath, stop);
  };
  try {
    const report = await (piped || (await stat(source)).isFile()
      ? withUnpacked(source, unpackingOf(named, options), stop, take)
      : take(source));
    await printReport(report, options, refusedPath);
    remarkUnseen(options);
  } catch (error) {
    if (error instanceof FolderError) throw new UsageFailure(error.message);
    if (error instanceof NothingInterrupted) throw new UsageFailure(error.message);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new UsageFailure(`${(error as NodeJS.ErrnoException).path}: there is no such folder.`);
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

function bringIn(
  folder: string,
  options: Options,
  refusedPath: string,
  signal: AbortSignal,
): Promise<ImportReport> {
  return withStore(
    async (store, config) => {
      const files = await openFiles(config.files, config.dataDir);
      const decoders = decodersOf(config);
      await files.store.assertOwn();
      const hold = await lookAtOwner({ store, files });
      if (hold !== undefined) remark(`Note: ${doubtText(hold)}.`);
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
            decodes: options.decodeImages === true,
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
  const decoders = decodersOf(config);
  const turns = DiskTurns.ofPool(DEFAULT_POOL_THREADS);
  const deps = {
    judging: { files: { turns }, decoders, maxImagePixels: config.maxImagePixels },
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
    decoders.close();
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

async function sourceOf(
  folder: string,
  { images, copyFiles }: Options,
  config: Config,
): Promise<ImageSource> {
  if (images === undefined) return folderOfImages(folder, copyFiles === true);
  const place = filesLocation.read(images);
  if (place === undefined) throw new UsageFailure(`--images must be ${filesLocation.expects}.`);
  return place.kind === 'disk'
    ? folderOfImages(place.folder, copyFiles === true)
    : objectsOfImages((await openFiles({ ...place, nested: true }, config.dataDir)).store);
}

function optionsOf(options: Options, { timeZone }: Config, refusedPath: string) {
  return {
    timeZone,
    reading: {
      encoding: options.encoding,
      absentAs: options.null,
      lenient: options.lenient === true,
      dates: options.dates,
    },
    sendMail: options.sendMail === true,
    resume: options.resume === true,
    mayBegin: options.mayBegin === true,
    batch: options.batch,
    refusedPath,
    ...updateOf(options),
  };
}

function updateOf({ update, removeMissing }: Options) {
  if (update === undefined && removeMissing !== undefined)
    throw new UsageFailure('--remove-missing is for an import with --update.');
  const removes: Removes = removeMissing === true ? 'few' : (removeMissing ?? 'no');
  return { update: update === true ? ('newer' as const) : update, removes };
}

/**
 * Nobody knows what an interrupted run has read, so a resumed run does not look for missing
 * records.
 */
function remarkUnseen({ resume, update }: Options): void {
  if (resume !== true || update === undefined) return;
  remark('Records that the folder lacks were not looked for: run it again without --resume.');
}

async function printReport(
  { kinds, refused, reasons }: ImportReport,
  { json, dryRun }: Options,
  refusedPath: string,
): Promise<void> {
  if (json) {
    await printJson({
      dryRun: dryRun === true,
      kinds,
      refused: refused === 0 ? null : { rows: refused, file: refusedPath },
      reasons,
    });
  } else {
    const rows = Object.entries(kinds).map(([kind, { added, changed, present, refused }]) =>
      [kind, added, changed, present, refused].map(String),
    );
    const would = dryRun ? 'WOULD BE ' : '';
    const headings = ['KIND', `${would}ADDED`, `${would}CHANGED`, 'EXISTING', 'REFUSED'];
    await print(table(headings, rows));
    if (reasons.length > 0) await print(`\n${reasonsTable(reasons)}`);
  }
  if (refused > 0) process.exitCode = 1;
  if (refused > 0 || reasons.length > 0) {
    const were = `${refused} ${refused === 1 ? 'row was' : 'rows were'} refused`;
    remark(`${were}; the rows and the reasons are in ${refusedPath}.`);
  }
}

/** Returns the reasons with the most rows; the file has all. */
function reasonsTable(reasons: ImportReport['reasons']): string {
  const rows = reasons
    .slice(0, SHOWN_REASONS)
    .map(({ kind, rows, was, reason }) => [kind, `${rows}`, was, reason]);
  const more = reasons.length - rows.length;
  const rest = more > 0 ? `and ${more} more reasons\n` : '';
  return table(['KIND', 'ROWS', 'WERE', 'WHY'], rows) + rest;
}

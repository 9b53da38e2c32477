import { resolve } from 'node:path';
import { Command } from 'commander';
import { openFiles } from '../adapters/files/open.ts';
import { type ExportReport, exportFolder } from '../domain/portable/export.ts';
import { mebibytes } from '../failure/mebibytes.ts';
import { CommandFailure, UsageFailure } from './failure.ts';
import { archiveKind, inNewArchive, PIPE, toStandardOutput } from './io/archive.ts';
import { inNewFolder } from './io/new-folder.ts';
import { readSince, withJson } from './io/options.ts';
import { counted, print, remark } from './io/output.ts';
import { createProgress } from './io/progress.ts';
import { withStore } from './io/session.ts';
import { stopSignal } from './signals.ts';

/** Maximum number of damaged files that are named. */
const NAMED = 5;

interface Options {
  readonly withoutImages?: true;
  readonly since?: string;
  readonly json?: true;
}

export function exportCommand(): Command {
  return withJson(
    new Command('export')
      .argument(
        '<folder>',
        'a new folder, or a new .tar or .tar.gz file, which appears when the export is complete; - writes a tar archive to standard output',
      )
      .option('--without-images', 'leave out the image files, for a target that shares them')
      .option(
        '--since <when>',
        'only what was written since then: 12h or 7d ago, or a date such as 2027-01-31 (from its beginning)',
      ),
    `The export is a consistent snapshot in the portable format (docs/portable-format.md). ws01 import reads it on SQLite and on PostgreSQL. Tokens are exported as hashes only. The export holds personal data, so only the user who made it can read the files. To encrypt it, pipe it through a tool such as age; the report then goes to standard error.

Examples:
  ws01 export /backup/moved
  ws01 export /backup/moved.tar.gz
  ws01 export way-back --since 2027-01-31
  ws01 export - | age -e -i key.txt -o moved.tar.age
  age -d -i key.txt moved.tar.age | ws01 import -`,
  ).action((folder: string, options: Options) =>
    run(folder === PIPE ? PIPE : resolve(folder), options),
  );
}

async function run(folder: string, { withoutImages, since, json }: Options): Promise<void> {
  const piped = folder === PIPE;
  if (piped && process.stdout.isTTY) {
    throw new UsageFailure('Standard output is a terminal; pipe it into a program or a file.');
  }
  const stop = stopSignal('Stopped; nothing was written.');
  const progress = createProgress();
  await withStore(async (store, { files: place, dataDir, timeZone }) => {
    const files = withoutImages === true ? undefined : (await openFiles(place, dataDir)).store;
    try {
      const fill = (partial: string) =>
        exportFolder({
          store,
          files,
          folder: partial,
          since: readSince(since, { timeZone, now: Date.now }),
          now: Date.now(),
          onProgress: progress.tell,
          signal: stop,
        });
      const report = await (piped
        ? toStandardOutput(dataDir, fill)
        : (archiveKind(folder) === undefined ? inNewFolder : inNewArchive)(folder, fill));
      progress.end();
      const said = json
        ? JSON.stringify(jsonOf(folder, report))
        : `${folder}: ${contentsOf(report)}.`;
      await (piped ? remark(said) : print(`${said}\n`));
      if (report.damaged.size > 0) throw new CommandFailure(damageOf(report));
    } finally {
      files?.close();
    }
  });
}

function jsonOf(
  folder: string,
  { records, images, damaged }: ExportReport,
): Record<string, unknown> {
  return { folder, records, images, damaged: Object.fromEntries(damaged) };
}

function contentsOf({ records, images }: ExportReport): string {
  const all = Object.values(records).reduce((sum, count) => sum + count, 0);
  const files = `${counted(images.files, 'image file')} of ${mebibytes(images.bytes)} MiB`;
  return `${all} records, ${records.articles} articles among them, and ${files}`;
}

function damageOf({ damaged }: ExportReport): string {
  const named = [...damaged].slice(0, NAMED).map(([hash, damage]) => `${hash} (${damage})`);
  const others = damaged.size > NAMED ? ` and ${damaged.size - NAMED} more` : '';
  return `The export is complete, but these image files of the service are damaged: ${named.join(', ')}${others}.`;
}

import { resolve } from 'node:path';
import { Command } from 'commander';
import { openFiles } from '../adapters/files/open.ts';
import { type ExportReport, exportFolder } from '../domain/portable/export.ts';
import { CommandFailure } from './failure.ts';
import { archiveKind, inNewArchive } from './io/archive.ts';
import { inNewFolder } from './io/new-folder.ts';
import { print, printJson } from './io/output.ts';
import { createProgress } from './io/progress.ts';
import { withStore } from './io/session.ts';
import { firstSignal } from './signals.ts';

/** Damaged files that are named at most. */
const NAMED = 5;

interface Options {
  readonly withoutImages?: true;
  readonly json?: true;
}

export function exportCommand(): Command {
  return new Command('export')
    .argument('<folder>', 'a new folder, or a new .tar or .tar.gz file; it appears when the export is complete')
    .option('--without-images', 'leave out the image files, for a target that shares them')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
The export is a consistent snapshot in the portable format (docs/portable-format.md). ws01 import reads it on SQLite and on PostgreSQL. Tokens are exported as hashes only. The export holds personal data, so only the user who made it can read the files. To encrypt it, use a tool such as age.

Examples:
  ws01 export /backup/moved
  ws01 export /backup/moved.tar.gz
  age -p -o moved.tar.age moved.tar && rm moved.tar
  age -d -o moved.tar moved.tar.age && ws01 import moved.tar`,
    )
    .action((folder: string, options: Options) => run(resolve(folder), options));
}

async function run(folder: string, { withoutImages, json }: Options): Promise<void> {
  const stop = new AbortController();
  firstSignal().then(() => stop.abort(new CommandFailure('Stopped; nothing was written.')));
  const progress = createProgress();
  await withStore(async (store, { files: place, dataDir }) => {
    const files = withoutImages === true ? undefined : (await openFiles(place, dataDir)).store;
    try {
      const report = await (archiveKind(folder) === undefined ? inNewFolder : inNewArchive)(folder, (partial) =>
        exportFolder({
          store,
          files,
          folder: partial,
          now: Date.now(),
          onProgress: progress.tell,
          signal: stop.signal,
        }),
      );
      progress.end();
      await (json ? printJson(jsonOf(folder, report)) : print(`${folder}: ${contentsOf(report)}.\n`));
      if (report.damaged.size > 0) throw new CommandFailure(damageOf(report));
    } finally {
      files?.close();
    }
  });
}

function jsonOf(folder: string, { records, images, damaged }: ExportReport): Record<string, unknown> {
  return { folder, records, images, damaged: Object.fromEntries(damaged) };
}

function contentsOf({ records, images }: ExportReport): string {
  const all = Object.values(records).reduce((sum, count) => sum + count, 0);
  const files = `${images.files} image ${images.files === 1 ? 'file' : 'files'} of ${Math.ceil(images.bytes / 1024 / 1024)} MiB`;
  return `${all} records, ${records.articles} articles among them, and ${files}`;
}

function damageOf({ damaged }: ExportReport): string {
  const named = [...damaged].slice(0, NAMED).map(([hash, damage]) => `${hash} (${damage})`);
  const others = damaged.size > NAMED ? ` and ${damaged.size - NAMED} more` : '';
  return `The export is complete, but these image files of the service are damaged: ${named.join(', ')}${others}.`;
}

import { Command } from 'commander';
import { type Files, openFiles } from '../../adapters/files/open.ts';
import type { Config } from '../../config/config.ts';
import { countUnknown } from '../../domain/images/file-owner.ts';
import {
  adoptFilesOnRequest,
  putBackOnRequest,
  sweepOnRequest,
} from '../../domain/images/file-requests.ts';
import { listTrash } from '../../domain/images/file-trash.ts';
import { doubtText } from '../../domain/retention/absence.ts';
import type { Store } from '../../store/store.ts';
import { CommandFailure } from '../failure.ts';
import { assertClockBelieved } from '../io/believed-clock.ts';
import { print, printJson, remark } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';

interface Options {
  readonly all?: true;
  readonly json?: true;
}

export function filesCommands(): readonly Command[] {
  return [adoptCommand(), sweepCommand(), trashCommand(), putBackCommand()];
}

function command(name: string, description: string, help: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print one JSON object')
    .addHelpText('after', `\n${help}`);
}

/** The open store of the files, the database, and where the files are, for people. */
interface Session {
  readonly store: Store;
  readonly files: Files;
  readonly clock: () => number;
  readonly shown: string;
}

function withFiles(work: (session: Session) => Promise<void>): Promise<void> {
  return withStore(async (store, config) => {
    const files = await openFiles(config.files, config.dataDir);
    try {
      await files.store.assertOwn();
      await work({ store, files, clock: Date.now, shown: shownPlace(config) });
    } finally {
      files.store.close();
    }
  });
}

function shownPlace({ files }: Config): string {
  return files.kind === 'disk'
    ? files.folder
    : `s3://${[files.bucket, files.prefix].filter(Boolean).join('/')}`;
}

function adoptCommand(): Command {
  return command(
    'adopt',
    'Say that the image files belong to this database',
    `For a service that finds the files of another database and so removes none: after the files or the database were moved
on purpose. First see that FILES_URL, and DATA_DIR or DATABASE_URL, are right: what has no record in this database goes
to the trash later.

Examples:
  ws01 files adopt`,
  ).action(({ json }: Options) =>
    withFiles(async ({ shown, ...deps }) => {
      const { changed } = await adoptFilesOnRequest(deps);
      const { files, unknown } = await countUnknown(deps);
      if (json) return printJson({ place: shown, changed, files, withoutRecord: unknown });
      await print(
        changed
          ? `The files in ${shown} belong to this database now.\n`
          : `The files in ${shown} belong to this database already.\n`,
      );
      if (unknown > 0) remark(`${unknown} of ${files} files have no record; see ws01 files sweep.`);
    }),
  );
}

function sweepCommand(): Command {
  return command(
    'sweep',
    'Move image files without a record to the trash now, and remove those of deleted images',
    `The service does the same every six hours, first three hours after its start. Where more than a twentieth of all files
have no record, none is moved: the database may be the wrong one, or be incomplete. See that it is not, then add --all.

Examples:
  ws01 files sweep
  ws01 files sweep --all`,
  )
    .option('--all', 'also when more than a twentieth of the files have no record')
    .action(({ all, json }: Options) =>
      withFiles(async (session) => {
        await assertClockBelieved(session.store);
        const result = await sweepOnRequest(session, all === true);
        if (json) await printJson(result);
        else if (result.doubt === undefined) {
          const { files, trashed, removed, putBack } = result;
          const counts = [String(files), String(trashed), String(removed), String(putBack)];
          await print(table(['FILES', 'TO THE TRASH', 'REMOVED', 'PUT BACK'], [counts]));
        }
        if (result.doubt === undefined) return;
        const counted = result.doubt === 'many' ? ` (${result.orphans} of ${result.files})` : '';
        throw new CommandFailure(`Nothing was moved: ${doubtText(result.doubt)}${counted}.`);
      }),
    );
}

function trashCommand(): Command {
  return command(
    'trash',
    'List the image files in the trash',
    `Files without a record stay there for 30 days. One whose record is there after all, because the right database is back,
is put back by the next sweep.

Examples:
  ws01 files trash`,
  ).action(({ json }: Options) =>
    withFiles(async (session) => {
      const found = await Array.fromAsync(listTrash(session));
      if (json) return printJson({ files: found });
      const rows = found.map(({ name, day, bytes, hasRecord }) => [
        day,
        String(bytes),
        hasRecord ? 'yes' : 'no',
        name,
      ]);
      await print(table(['SINCE', 'BYTES', 'RECORD', 'NAME'], rows));
      if (found.length === 0) remark('The trash is empty.');
    }),
  );
}

function putBackCommand(): Command {
  return command(
    'put-back',
    'Put image files back from the trash',
    `A file without a record goes to the trash again with the next sweep.

Examples:
  ws01 files put-back --all
  ws01 files put-back 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae-0b7e4d5c-…`,
  )
    .argument('[names...]', 'the names of files, see ws01 files trash')
    .option('--all', 'all files in the trash')
    .action((names: readonly string[], { all, json }: Options) =>
      withFiles(async (session) => {
        if ((names.length === 0) === (all === undefined)) {
          throw new CommandFailure('Name files, or give --all.', { exitCode: 2 });
        }
        const { putBack, missing } = await putBackOnRequest(session, all ? undefined : names);
        if (json) await printJson({ putBack, missing });
        else await print(`${putBack} ${putBack === 1 ? 'file was' : 'files were'} put back.\n`);
        if (missing.length > 0) {
          throw new CommandFailure(
            `Not in the trash: ${missing.join(', ')}; see ws01 files trash.`,
          );
        }
      }),
    );
}

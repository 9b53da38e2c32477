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
import { answering, checkedUse } from '../io/answering.ts';
import { assertClockBelieved } from '../io/believed-clock.ts';
import { counted } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';

export function filesCommands(): readonly Command[] {
  return [adoptCommand(), sweepCommand(), trashCommand(), putBackCommand()];
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
  return answering(
    new Command('adopt').description('Say that the image files belong to this database'),
    `For a service that finds the files of another database and so removes none: after the files or the database were moved
on purpose. First see that FILES_URL, and DATA_DIR or DATABASE_URL, are right: what has no record in this database goes
to the trash later.

Examples:
  ws01 files adopt`,
    async ({ shown, ...deps }) => {
      const { changed } = await adoptFilesOnRequest(deps);
      const { files, unknown } = await countUnknown(deps);
      const since = changed ? 'now' : 'already';
      return {
        json: { place: shown, changed, files, withoutRecord: unknown },
        text: `The files in ${shown} belong to this database ${since}.\n`,
        remarks:
          unknown > 0 ? [`${unknown} of ${files} files have no record; see ws01 files sweep.`] : [],
      };
    },
    withFiles,
  );
}

function sweepCommand(): Command {
  return answering(
    new Command('sweep')
      .description(
        'Move image files without a record to the trash now, and remove those of deleted images',
      )
      .option('--all', 'also when more than a twentieth of the files have no record'),
    `The service does the same every six hours, first three hours after its start. Where more than a twentieth of all files
have no record, none is moved: the database may be the wrong one, or be incomplete. See that it is not, then add --all.

Examples:
  ws01 files sweep
  ws01 files sweep --all`,
    async (session, { all }: { all?: true }) => {
      await assertClockBelieved(session.store);
      const json = await sweepOnRequest(session, all === true);
      if (json.doubt === undefined) {
        const counts = [json.files, json.trashed, json.removed, json.putBack].map(String);
        return { json, text: table(['FILES', 'TO THE TRASH', 'REMOVED', 'PUT BACK'], [counts]) };
      }
      const counted = json.doubt === 'many' ? ` (${json.orphans} of ${json.files})` : '';
      const failure = new CommandFailure(`Nothing was moved: ${doubtText(json.doubt)}${counted}.`);
      return { json, text: '', failure };
    },
    withFiles,
  );
}

function trashCommand(): Command {
  return answering(
    new Command('trash').description('List the image files in the trash'),
    `Files without a record stay there for 30 days. One whose record is there after all, because the right database is back,
is put back by the next sweep.

Examples:
  ws01 files trash`,
    async (session) => {
      const files = await Array.fromAsync(listTrash(session));
      const rows = files.map(({ name, day, bytes, hasRecord }) => [
        day,
        String(bytes),
        hasRecord ? 'yes' : 'no',
        name,
      ]);
      return {
        json: { files },
        text: table(['SINCE', 'BYTES', 'RECORD', 'NAME'], rows),
        remarks: files.length === 0 ? ['The trash is empty.'] : [],
      };
    },
    withFiles,
  );
}

function putBackCommand(): Command {
  const command = new Command('put-back')
    .description('Put image files back from the trash')
    .argument('[names...]', 'the names of files, see ws01 files trash')
    .option('--all', 'all files in the trash');
  return answering(
    checkedUse<{ all?: true }>(
      command,
      'Name files, or give --all.',
      ({ all }, [names]) => ((names as readonly string[]).length === 0) === (all === true),
    ),
    `A file without a record goes to the trash again with the next sweep.

Examples:
  ws01 files put-back --all
  ws01 files put-back 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae-0b7e4d5c-…`,
    async (session, names: readonly string[], { all }: { all?: true }) => {
      const { putBack, missing } = await putBackOnRequest(session, all ? undefined : names);
      return {
        json: { putBack, missing },
        text: `${counted(putBack, 'file was', 'files were')} put back.\n`,
        failure:
          missing.length === 0
            ? undefined
            : new CommandFailure(`Not in the trash: ${missing.join(', ')}; see ws01 files trash.`),
      };
    },
    withFiles,
  );
}

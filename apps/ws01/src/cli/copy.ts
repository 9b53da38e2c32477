import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { postgresUrl } from '../config/address-forms.ts';
import { CopyError, copyStore } from '../domain/portable/copy.ts';
import { DependencyError, isFailureOf } from '../failure/dependency-error.ts';
import { openStore } from '../store/open.ts';
import { SQLITE_FILE } from '../store/sqlite/file.ts';
import type { Store } from '../store/store.ts';
import { CommandFailure, UsageFailure } from './failure.ts';
import { isOpenByService } from './io/open-elsewhere.ts';
import { withJson } from './io/options.ts';
import { print, printJson, remark } from './io/output.ts';
import { createProgress } from './io/progress.ts';
import { table } from './io/table.ts';
import { stopSignal } from './signals.ts';

/** A database, by its `DATABASE_URL` or `DATA_DIR`. */
type Database = { readonly databaseUrl: string } | { readonly dataDir: string };

interface Options {
  readonly from: Database;
  readonly to: Database;
  readonly json?: true;
}

/** How long to wait for a PostgreSQL server that is starting; ms. */
const START_TIMEOUT_MS = 3_000;

export function copyCommand(): Command {
  return withJson(
    new Command('copy')
      .requiredOption(
        '--from <url>',
        'the database: postgres://…, or the DATA_DIR of a SQLite database',
        readDatabase,
      )
      .requiredOption(
        '--to <url>',
        'an empty database, in the form of --from; a folder is created',
        readDatabase,
      ),
    `The copy is a consistent snapshot, and is compared with the original record by record; counts and
hashes are printed. If it fails, nothing is copied. Image files stay where they are: set FILES_URL
to their folder or bucket for the new database. A service that has the old database open is stopped
first. docs/portable-format.md lists what is not copied.

Examples:
  ws01 copy --from /var/lib/ws01 --to postgres://ws01:secret@db/ws01
  ws01 copy --from postgres://ws01:secret@db/ws01 --to /var/lib/ws01-new`,
  ).action(run);
}

function readDatabase(text: string): Database {
  if (/^postgres(ql)?:/.test(text)) {
    const databaseUrl = postgresUrl.read(text);
    if (databaseUrl === undefined)
      throw new InvalidArgumentError('Give a URL such as postgres://user:password@host/database.');
    return { databaseUrl };
  }
  if (/^[a-z]{2,}:/i.test(text) && !text.startsWith('file:')) {
    throw new InvalidArgumentError('Give postgres://… or the path of a folder.');
  }
  return { dataDir: resolve(text.startsWith('file:') ? fileURLToPath(text) : text) };
}

async function run({ from, to, json }: Options): Promise<void> {
  if (JSON.stringify(from) === JSON.stringify(to))
    throw new UsageFailure('--from and --to name the same database.');
  const stop = stopSignal('Stopped; nothing was written.');
  if ('dataDir' in from && !existsSync(join(from.dataDir, SQLITE_FILE))) {
    throw new UsageFailure(
      `--from: there is no database in ${from.dataDir}; name the DATA_DIR of a service.`,
    );
  }
  if (await isOpenByService({ databaseUrl: undefined, dataDir: '.', ...from })) {
    throw new CommandFailure(
      'A service has the database of --from open, and would go on writing; stop it first. Nothing was copied.',
    );
  }
  const progress = createProgress();
  const source = await named('--from', open(from, 'require'));
  try {
    const target = await named('--to', open(to, 'migrate'));
    try {
      const copied = await copyStore({
        from: source,
        to: target,
        now: Date.now(),
        onProgress: progress.tell,
        signal: stop,
      });
      progress.end();
      const rows = Object.entries(copied).map(([kind, { records, sha256 }]) => [
        kind,
        String(records),
        sha256,
      ]);
      await (json
        ? printJson({ copied })
        : print(table(['KIND', 'RECORDS', 'SHA-256, THE SAME IN BOTH'], rows)));
    } finally {
      await target.close();
    }
  } catch (error) {
    throw error instanceof CopyError ? new CommandFailure(error.message) : error;
  } finally {
    progress.end();
    await source.close();
  }
}

/** Says of a failure which of the two databases it is of. */
async function named(option: string, opened: Promise<Store>): Promise<Store> {
  try {
    return await opened;
  } catch (error) {
    if (!isFailureOf('database', error)) throw error;
    throw new DependencyError('database', error.kind, `${option}: ${error.message}`, {
      cause: error,
    });
  }
}

function open(database: Database, schema: 'migrate' | 'require'): Promise<Store> {
  const made =
    'dataDir' in database &&
    schema === 'migrate' &&
    !existsSync(join(database.dataDir, SQLITE_FILE));
  return openStore({
    ...('dataDir' in database ? database : { ...database, dataDir: '.' }),
    poolSize: 2,
    startTimeout: START_TIMEOUT_MS,
    onWaiting: (reason) => remark(`${reason} Trying again.`),
    guest: !made,
    schema,
    bulk: schema === 'migrate',
  });
}

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { loadConfig } from '../config/config.ts';
import { type PendingChanges, pendingChanges } from '../store/migrate.ts';
import { bringUpToDate, openUnchanged } from '../store/open.ts';
import { SQLITE_FILE } from '../store/sqlite/file.ts';
import { CommandFailure } from './failure.ts';
import { withJson } from './io/options.ts';
import { counted, print, printJson, remark } from './io/output.ts';

interface Options {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function migrateCommand(): Command {
  return withJson(
    new Command('migrate')
      .description('Update the database schema; the service does the same when it starts')
      .option('--dry-run', 'only list the pending schema changes'),
    `Each change is a transaction that others hardly notice; PostgreSQL builds indexes beside writers. So nodes of
the release before may go on serving. After an interruption, run it again.

A change cannot be undone. The release before goes on with it and loses nothing; to go back further, restore
a backup made before it. Only this command and serve change the schema; other commands but backup refuse a database with the schema of another version.

Examples:
  ws01 migrate --dry-run
  ws01 backup /backup/before-the-upgrade && ws01 migrate`,
  ).action(run);
}

async function run({ dryRun = false, json = false }: Options): Promise<void> {
  const { databaseUrl, dataDir } = loadConfig();
  const file = join(dataDir, SQLITE_FILE);
  if (dryRun && databaseUrl === undefined && !existsSync(file)) {
    throw new CommandFailure(
      `There is no database ${resolve(file)} yet; start the service, or run ws01 migrate, to create it.`,
    );
  }
  const store = await openUnchanged({ databaseUrl, dataDir, poolSize: 2, guest: true });
  try {
    const changes = await pendingChanges(store);
    if (!dryRun) await bringUpToDate(store, { databaseUrl });
    await (json ? printJson({ ...changes, dryRun }) : report(changes, dryRun));
  } finally {
    await store.close();
  }
}

async function report({ applied, pending }: PendingChanges, dryRun: boolean): Promise<void> {
  if (pending.length === 0) {
    remark(`The schema is up to date: ${applied.at(-1) ?? 'nothing to do'}.`);
    return;
  }
  await print(`${pending.join('\n')}\n`);
  const count = counted(pending.length, 'schema change');
  remark(dryRun ? `${count} would be made; nothing was done.` : `${count} made.`);
}

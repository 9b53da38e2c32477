import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { loadConfig } from '../config/config.ts';
import { changesUpTo, migrate, type PendingChanges, pendingChanges } from '../store/migrate.ts';
import { openUnchanged } from '../store/open.ts';
import { SQLITE_FILE } from '../store/sqlite/file.ts';
import type { Store } from '../store/store.ts';
import { CommandFailure } from './failure.ts';
import { print, printJson, remark } from './io/output.ts';

interface Options {
  readonly dryRun?: boolean;
  readonly to?: string;
  readonly json?: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Update the database schema; the service does the same when it starts')
    .option('--dry-run', 'only list the pending schema changes')
    .option('--to <change>', 'stop after this schema change')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
All changes are made in one transaction. A change cannot be undone: to go back, restore a backup made before it. Only this command and serve change the schema; other commands refuse a database with the schema of another version.

Examples:
  ws01 migrate --dry-run
  ws01 backup /backup/before-the-upgrade && ws01 migrate`,
    )
    .action(run);
}

async function run({ dryRun = false, to, json = false }: Options): Promise<void> {
  const { databaseUrl, dataDir } = loadConfig();
  const migrations = to === undefined ? undefined : changesUpTo(to);
  const file = join(dataDir, SQLITE_FILE);
  if (dryRun && databaseUrl === undefined && !existsSync(file)) {
    throw new CommandFailure(
      `There is no database ${resolve(file)} yet; start the service, or run ws01 migrate, to create it.`,
    );
  }
  const store = await openUnchanged({ databaseUrl, dataDir, poolSize: 2, guest: true });
  try {
    const changes = await changesOf(store, to, migrations);
    if (!dryRun && changes.pending.length > 0) await migrate(store, migrations);
    await (json ? printJson({ ...changes, dryRun }) : report(changes, dryRun));
  } finally {
    await store.close();
  }
}

/** @throws {CommandFailure} when the database is newer than the named change. */
async function changesOf(
  store: Store,
  to: string | undefined,
  migrations: Parameters<typeof pendingChanges>[1],
): Promise<PendingChanges> {
  const all = await pendingChanges(store);
  if (to === undefined) return all;
  if (all.applied.at(-1) !== undefined && all.applied.at(-1)! > to) {
    throw new CommandFailure(
      `The database has later changes than ${to}. Changes cannot be undone; restore a backup instead.`,
    );
  }
  return pendingChanges(store, migrations);
}

async function report({ applied, pending }: PendingChanges, dryRun: boolean): Promise<void> {
  if (pending.length === 0) {
    remark(`The schema is up to date: ${applied.at(-1) ?? 'nothing to do'}.`);
    return;
  }
  await print(`${pending.join('\n')}\n`);
  const count = `${pending.length} schema ${pending.length === 1 ? 'change' : 'changes'}`;
  remark(dryRun ? `${count} would be made; nothing was done.` : `${count} made.`);
}

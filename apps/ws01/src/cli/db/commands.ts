import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { type Config, loadConfig } from '../../config/config.ts';
import { acceptLoss } from '../../domain/retention/absence.ts';
import { HOLD_REMEDY, purgeHeldSince } from '../../domain/retention/purge-clock.ts';
import { lostCommits } from '../../store/lost-commits.ts';
import { checkDatabase, NOT_OURS, tableSizes } from '../../store/maintenance.ts';
import { SQLITE_FILE } from '../../store/sqlite/file.ts';
import type { Store } from '../../store/store.ts';
import { CommandFailure } from '../failure.ts';
import { answering } from '../io/answering.ts';
import { jsonInstant, shownInstant } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';

export function dbCommands(): readonly Command[] {
  return [checkCommand(), acceptLossCommand(), sizeCommand(), optimizeCommand(), vacuumCommand()];
}

const command = (name: string, description: string) => new Command(name).description(description);
const helpOf = (name: string, help: string) => `${help}\n\nExamples:\n  ws01 db ${name}`;

function checkCommand(): Command {
  let missing = 0;
  const onMissing = (commits: number) => {
    missing = commits;
  };
  return answering(
    command(
      'check',
      'Check the whole database: pages, indexes, references, schema, and that no commit is missing',
    ),
    helpOf(
      'check',
      'Reads everything once and changes nothing; the service may be running. The exit code is 1 when something is wrong. On\nSQLite it also says how many commits a cut write-ahead log has lost; run it before the service starts again, as what\nis written then hides that. A notice tells when nothing is purged because the clock is not believed.',
    ),
    async (store: Store) => {
      const known = (await store.read(lostCommits).catch(() => undefined))?.commits ?? 0;
      const wrong = [...lossOf(missing), ...knownLoss(known), ...(await checkDatabase(store))];
      const held = await store.read(purgeHeldSince).catch(() => undefined);
      const sound = wrong.length === 0;
      return {
        json: { sound, wrong, purgeHeldSince: jsonInstant(held) },
        text: sound ? 'Sound: pages, indexes, references and schema.\n' : `${wrong.join('\n')}\n`,
        remarks:
          held === undefined
            ? []
            : [
                `Nothing is purged since ${shownInstant(held)}: the clock is not believed; ${HOLD_REMEDY}.`,
              ],
        failure: sound
          ? undefined
          : new CommandFailure(
              wrong.every((line) => line.endsWith(NOT_OURS))
                ? 'Nothing is damaged, but somebody has added to the schema; drop that before an upgrade that asks for it.'
                : 'The database is damaged or changed; restore a backup: ws01 backup --list, ws01 restore.',
            ),
      };
    },
    (run) => withStore(run, { onMissing, readsOnly: true }),
  );
}

function lossOf(commits: number): readonly string[] {
  if (commits === 0) return [];
  return [
    `the last ${commits} commits are missing: the write-ahead log (${SQLITE_FILE}-wal) was cut or damaged`,
  ];
}

/** @param commits that an earlier start found missing, and nobody has accepted. */
function knownLoss(commits: number): readonly string[] {
  if (commits === 0) return [];
  return [
    `${commits} commits were lost before the last start; ws01 restore brings a backup back, ws01 db accept-loss accepts it`,
  ];
}

function acceptLossCommand(): Command {
  return answering(
    command(
      'accept-loss',
      'Accept that the database has lost commits, so that it is no longer told',
    ),
    helpOf(
      'accept-loss',
      'Until then image files without a record stay where they are: their records may be among what was lost. Bring the last\nbackup back instead if that is better (ws01 restore).',
    ),
    async ({ store }) => {
      const lost = await acceptLoss(store, Date.now());
      if (lost === undefined) return { json: { accepted: 0 }, text: 'No loss is known.\n' };
      const { commits } = lost;
      return {
        json: { accepted: commits },
        text: `Accepted: ${commits} commits that were lost.\n`,
      };
    },
  );
}

function sizeCommand(): Command {
  return answering(
    command('size', 'Show the size of each table'),
    helpOf(
      'size',
      'Sizes include indexes. ws01 purge --dry-run shows the settings that limit how long data is kept.',
    ),
    async ({ store, config }) => {
      const tables = await tableSizes(store);
      const files = await fileSizes(config);
      const rows = tables.map(({ name, rows, bytes }) => [name, String(rows), shownBytes(bytes)]);
      const others = Object.entries(files).map(([name, bytes]) => [name, '', shownBytes(bytes)]);
      return {
        json: { tables, files },
        text: table(['TABLE', 'ROWS', 'SIZE'], [...rows, ...others]),
      };
    },
  );
}

/** Returns the sizes of the SQLite files. */
async function fileSizes({ databaseUrl, dataDir }: Config): Promise<Record<string, number>> {
  if (databaseUrl !== undefined) return {};
  const names = [SQLITE_FILE, `${SQLITE_FILE}-wal`];
  const sizes = await Promise.all(
    names.map((name) => stat(join(dataDir, name)).catch(() => ({ size: 0 }))),
  );
  return Object.fromEntries(names.map((name, index) => [name, sizes[index]!.size]));
}

function optimizeCommand(): Command {
  return answering(
    command(
      'optimize',
      'Merge the search index (SQLite), or give the planner new statistics (PostgreSQL)',
    ),
    helpOf('optimize', 'The service may be running; its writes wait for a moment.'),
    async ({ databaseUrl, dataDir }: Config) => {
      if (databaseUrl === undefined) {
        (await import('../../store/sqlite/upkeep.ts')).optimizeFile(join(dataDir, SQLITE_FILE));
      } else {
        await (await import('../../store/postgres/upkeep.ts')).analyzeTables(databaseUrl);
      }
      return { json: { optimized: true }, text: 'Optimized.\n' };
    },
    withOwn,
  );
}

function vacuumCommand(): Command {
  return answering(
    command('vacuum', 'Free the disk space of deleted rows'),
    helpOf(
      'vacuum',
      'On SQLite the file is rewritten: stop the service first, and have free disk space for a second copy. On PostgreSQL\nthe service may be running; the space is reused, but not returned to the disk.',
    ),
    async ({ databaseUrl, dataDir }: Config) => {
      if (databaseUrl !== undefined) {
        await (await import('../../store/postgres/upkeep.ts')).vacuumTables(databaseUrl);
        return { json: { vacuumed: true }, text: 'Vacuumed.\n' };
      }
      const { vacuumFile } = await import('../../store/sqlite/upkeep.ts');
      const { before, after } = await vacuumFile(join(dataDir, SQLITE_FILE));
      return {
        json: { vacuumed: true, before, after },
        text: `Vacuumed: ${shownBytes(before)} before, ${shownBytes(after)} now.\n`,
      };
    },
    withOwn,
  );
}

/** Checks that the database exists, is ours and has this version, and closes it before the work. */
async function withOwn(work: (config: Config) => Promise<void>): Promise<void> {
  await withStore(async () => {});
  await work(loadConfig());
}

/** Returns a size as people read it, to a tenth: `1.5 MiB`. */
function shownBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

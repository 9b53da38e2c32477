import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { time } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { Ws01Error } from '../contract/errors.ts';
import { begunCheck, endCheck, hasEnded, isDue, scheduledSince } from '../domain/backup/records.ts';
import type { RestorePlan } from '../domain/backup/restore.ts';
import type { AskedRestore, Restores } from '../domain/backup/restores.ts';
import type { Clock } from '../domain/context.ts';
import { type Periodic, periodically } from '../domain/shared/periodic.ts';
import { lastSlot } from '../domain/values/schedule.ts';
import type { Store } from '../store/store.ts';
import type { Instant, Tables } from '../store/tables/tables.ts';

/** How often the schedule is checked; ms. */
const LOOK_EVERY_MS = 30_000;

/** Delay of the first check, so that it does not slow the start; ms. */
const FIRST_LOOK_MS = 2_000;

/** Backups that are downloaded at once; each is a process. */
const DOWNLOADS = 2;

/**
 * How long a process of ours may take to end when the service does; ms. What SQLite does on a
 * thread, such as the check of a copy, nothing else ends; what is left behind goes with the next
 * one.
 */
const END_MS = 5_000;

/** The lowest CPU priority, so that calls do not wait for a backup. */
const LOWEST_PRIORITY = 19;

const COMMAND = fileURLToPath(new URL('../../bin/ws01.js', import.meta.url));

interface BackupDuty {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Makes scheduled backups. Each runs in a process of its own, `ws01 backup --if-due`, because
 * reading every page and file would delay calls. All nodes check the schedule; one of them makes
 * the backup. A node that was off at the scheduled time makes the backup when it is on again. Where
 * `BACKUP_TO` is not set, backups take room beside the data, so they begin when somebody has made
 * the first one.
 */
export function startBackups({ config, store, clock, log }: BackupDuty): Periodic {
  if (config.backupTo === undefined) return { stop: async () => {} };
  const look = async (stopping: AbortSignal) => {
    const now = clock();
    const { backupSchedule, timeZone } = config;
    const slot = lastSlot(backupSchedule, now, timeZone);
    const since = await store.read((db) => scheduledSince(db, config));
    if (since === undefined || slot < since) return;
    if (await isDue(store, slot, now))
      await runBackup(log, { dataDir: config.dataDir, stop: stopping }, ['--if-due']);
  };
  return periodically(LOOK_EVERY_MS, look, FIRST_LOOK_MS);
}

/** Backups on request, one at a time. */
export interface BackupsOnDemand {
  /**
   * Starts a backup in a process of its own, when the process of the one before is gone.
   * @returns the reason if no backup can be made; `undefined` when it has started.
   */
  start(): Promise<string | undefined>;
  /** Why there can be none; `undefined` if there can. */
  refusal(): string | undefined;
  /**
   * Carries out a check that has begun, in a process of its own. @param id of the backup.
   * @returns resolves when it has ended; never rejects.
   */
  verify(id: string): Promise<unknown>;
  /**
   * Restores a backup, a check of which has begun: has its database exchanged if the check finds it
   * sound. Never rejects.
   */
  restore(asked: AskedRestore): Promise<void>;
  /**
   * What `ws01 restore` would do with a backup: its dry run, in a process of its own.
   * @throws {Ws01Error} `Busy` with the reason of the command if it has no plan.
   */
  plan(name: string): Promise<RestorePlan>;
  /**
   * A backup as a tar archive, written by a process of its own. It breaks off with an error when
   * the backup does.
   * @throws {Ws01Error} `Busy` with the reason of the command if there is none, or when too many
   *   are in progress.
   */
  download(name: string): Promise<Readable>;
  /** Cancels the backup in progress. */
  stop(): Promise<void>;
}

/** The service that a command is for. */
interface CommandOf {
  readonly dataDir: string;
  /** Ends the command. */
  readonly stop: AbortSignal;
  /** Whether everybody waits for it; else calls come first. */
  readonly isUrgent?: true;
}

/** A backup on request. */
interface RequestedBackup {
  /** When its process was started; ms since 1970, `undefined` before. */
  startedAt: Instant | undefined;
  /** Resolves when its process is gone. */
  readonly gone: Promise<void>;
}

export function createBackupsOnDemand({
  config,
  store,
  log,
  restores,
}: Omit<BackupDuty, 'clock'> & { readonly restores: Restores }): BackupsOnDemand {
  const stopping = new AbortController();
  const service = { dataDir: config.dataDir, stop: stopping.signal };
  let last: RequestedBackup | undefined;
  let planned: Promise<unknown> = Promise.resolve();
  let checking: Promise<unknown> = Promise.resolve();
  let downloads = 0;
  const refusal = () =>
    config.backupTo === undefined
      ? 'With DATABASE_URL or FILES_URL, backups need BACKUP_TO; set it.'
      : undefined;
  const begin = (before: RequestedBackup | undefined): RequestedBackup => {
    const run = async () => {
      await before?.gone;
      // By the clock that its process has.
      backup.startedAt = Date.now();
      await runBackup(log, service, []);
    };
    const gone = run().finally(() => {
      if (last === backup) last = undefined;
    });
    const backup: RequestedBackup = { startedAt: undefined, gone };
    return backup;
  };
  const verify = (id: string) => {
    checking = Promise.all([checking, runCheck({ store, log }, id, service)]);
    return checking;
  };
  return {
    refusal,
    async start() {
      const none = refusal();
      if (none !== undefined) return none;
      const before = last;
      // It is listed as verified some time before its process is gone, which still removes old
      // backups.
      const hasResult =
        before?.startedAt !== undefined && (await hasEnded(store, before.startedAt));
      if (last !== undefined && !(hasResult && last === before))
        return 'A backup is being made; wait for its end.';
      last = begin(last);
      return undefined;
    },
    verify,
    async restore(asked) {
      await verify(asked.id);
      const found = await store
        .read((db) => foundIn(db, asked.id))
        .catch((error: Error) => ({ verdict: 'failed', fault: error.message }));
      if (found?.verdict === 'sound') return restores.exchange(asked);
      restores.tell({ step: 'failed', fault: found?.fault ?? 'The backup was not verified.' });
    },
    plan(name) {
      // One after the other: each is a process.
      const plan = planned.then(() => planOf(name, service));
      planned = plan.catch(() => {});
      return plan;
    },
    async download(name) {
      if (downloads >= DOWNLOADS)
        throw new Ws01Error('Busy', 'Other backups are being downloaded; wait for the end of one.');
      downloads += 1;
      const pieces = archiveBy(name, service, () => {
        downloads -= 1;
      });
      return begunStream(pieces);
    },
    async stop() {
      stopping.abort();
      await Promise.all([last?.gone, checking, planned]);
    },
  };
}

/** What the last check of a backup found. */
const foundIn = (db: Kysely<Tables>, id: string) =>
  db.selectFrom('backups').select(['verdict', 'fault']).where('id', '=', id).executeTakeFirst();

/**
 * Makes a backup of a database that the service has closed, beside all others; in a process of its
 * own, as the others.
 * @returns its name.
 * @throws {Ws01Error} `Busy` with the reason of the command if it failed.
 */
export async function backUpClosed(service: CommandOf): Promise<string> {
  const { said, reason, code } = await runCommand(['backup', '--prune-none'], {
    ...service,
    isUrgent: true,
  });
  if (code !== 0) throw new Ws01Error('Busy', reason);
  return basename(JSON.parse(said).backup);
}

/** @throws {Ws01Error} `Busy` when its command says nothing. */
async function planOf(name: string, service: CommandOf): Promise<RestorePlan> {
  const { said, reason } = await runCommand(['restore', '--name', name], service);
  if (said === '') throw new Ws01Error('Busy', reason);
  return JSON.parse(said);
}

/** Resolves with the stream of some pieces when the first is there. */
async function begunStream(pieces: ReturnType<typeof archiveBy>): Promise<Readable> {
  const first = await pieces.next();
  const all = async function* () {
    yield first.value as Buffer;
    yield* pieces;
  };
  const archive = Readable.from(all(), { objectMode: false });
  // Of what nobody began to read, `all` does not come to an end.
  archive.once('close', () => pieces.return(undefined));
  return archive;
}

/** @param options options of the command besides `--json`. */
async function runBackup(
  log: Logger,
  service: CommandOf,
  options: readonly string[],
): Promise<void> {
  const { said, reason, code } = await runCommand(['backup', ...options], service);
  if (code === 0 && said !== '')
    log.info({ backup: JSON.parse(said).backup }, 'a backup was made and verified');
  else if (code !== 0 && !service.stop.aborted) {
    log.error({ reason }, 'the backup failed; one that is scheduled is tried again in an hour');
  }
}

/** @param id of the backup. */
async function runCheck(
  { store, log }: Pick<BackupDuty, 'store' | 'log'>,
  id: string,
  service: CommandOf,
): Promise<void> {
  try {
    const row = await store.read((db) =>
      db.selectFrom('backups').select('name').where('id', '=', id).executeTakeFirstOrThrow(),
    );
    const check = ['backup', '--verify', '--name', row.name, '--begun', id];
    const { reason, code } = await runCommand(check, service);
    if (code === 0 || service.stop.aborted) return;
    log.error({ backup: row.name, reason }, 'a backup was not verified');
    // It did not come so far that it could record what it found.
    const begun = await begunCheck(store, id);
    const result = { verdict: 'failed', fault: reason } as const;
    if (begun !== undefined) await endCheck(store, begun, result, Date.now());
  } catch (error) {
    log.error({ err: error }, 'a backup was not verified');
  }
}

/**
 * What a command said last: the message of its error, as it says it with `--json`.
 * @param code `null`: it was killed.
 */
function reasonOf(said: string, code: number | null): string {
  if (code === null) return 'Its process was killed.';
  const line = said.trim().split('\n').at(-1)!;
  return line.startsWith('{"error":') ? JSON.parse(line).error.message : line;
}

/**
 * Writes a backup as an archive. The process ends when the reader of the archive does.
 * @throws {Ws01Error} `Busy` with the reason of the command, also amid the pieces.
 */
async function* archiveBy(
  name: string,
  service: CommandOf,
  onEnd: () => void,
): AsyncGenerator<Buffer, undefined> {
  let command: ReturnType<typeof startCommand> | undefined;
  try {
    command = startCommand(['backup', '--tar', '--name', name], service);
    for await (const piece of command.child.stdout) yield piece;
    const code = await command.closed;
    if (code !== 0) throw new Ws01Error('Busy', reasonOf(await command.complaint, code));
    return undefined;
  } finally {
    command?.child.kill();
    onEnd();
  }
}

/** Starts a command of ours, at the lowest priority unless it is urgent. */
function startCommand(args: readonly string[], { dataDir, stop, isUrgent }: CommandOf) {
  const child = spawn(process.execPath, [COMMAND, ...args, '--json'], {
    // Of `ws01 demo` the environment does not say it.
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.on('error', () => {});
  if (child.pid !== undefined && !isUrgent) setPriority(child.pid, LOWEST_PRIORITY);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const end = () => {
    child.kill();
    const limit = time.limit(END_MS, () => child.kill('SIGKILL'));
    void closed.then(() => limit.end());
  };
  stop.addEventListener('abort', end);
  void closed.then(() => stop.removeEventListener('abort', end));
  if (stop.aborted) end();
  return { child, closed, complaint: text(child.stderr) };
}

/** Runs a command of ours to its end. */
async function runCommand(args: readonly string[], service: CommandOf) {
  const { child, ...ends } = startCommand(args, service);
  const [said, complaint, code] = await Promise.all([
    text(child.stdout),
    ends.complaint,
    ends.closed,
  ]);
  return { said, reason: reasonOf(complaint, code), code };
}

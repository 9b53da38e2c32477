import { accessSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { time } from '@ws01/asmx/time';
import { DependencyError } from '../../failure/dependency-error.ts';
import { fileOfOther } from '../../failure/other-owner.ts';
import { shellWord } from '../../failure/shell-word.ts';
import type { Store, StoreOptions } from '../store.ts';
import { Checkpoints } from './checkpoints.ts';
import { MARK_FILE, missingCommits, openMark } from './commit-mark.ts';
import { SqliteConnection } from './connection.ts';
import { closeUnlocked, logOf, SQLITE_FILE } from './file.ts';
import { assertOwnLog, renew, setForeignLogAside } from './log-owner.ts';
import { LogSync } from './log-sync.ts';
import { OwnFiles } from './own-files.ts';
import { holdDataDir, LOCK_FILE } from './service-lock.ts';
import { retryWhileBusy, ServiceTurn } from './service-turn.ts';
import { SqliteStore } from './store.ts';
import { ThreadConnection } from './thread-connection.ts';

/** Page cache of a connection that reads; KiB. */
const CACHE_KIB = 32 * 1024;

/**
 * Page cache of the connection that writes. After splitting index pages SQLite checks every cached
 * page, which took half of a commit with 32 MiB.
 */
const WRITER_CACHE_KIB = 8 * 1024;

/**
 * Page cache for bulk writes, where it lets each index page be written only once per transaction.
 */
const BULK_CACHE_KIB = 256 * 1024;

/** The log is truncated to this size after something large; bytes. */
const LOG_BYTES = 64 * 1024 * 1024;

/** How long a query may block the thread for a process that recovers or closes the file; ms. */
const READ_TIMEOUT = 250;

/** Sets up a connection that only reads. */
const READER = ['pragma query_only = on', `pragma cache_size = -${CACHE_KIB}`];

/** Opens the SQLite database, without a migration. */
export async function openSqlite({
  dataDir,
  busyTimeout = 5_000,
  guest = false,
  service = false,
  schema = 'migrate',
  batchSize = 128,
  batchTime = 20,
  onCommit,
  onMissing,
  onTrouble,
  bulk = false,
}: StoreOptions): Promise<Store> {
  const file = join(dataDir, SQLITE_FILE);
  if (schema === 'migrate') makeFolder(dataDir);
  else assertThere(file);
  assertUsable(dataDir);
  await assertOwn(dataDir, guest);
  const lock = service ? holdDataDir(dataDir) : undefined;
  const opened: SqliteConnection[] = [];
  try {
    if (service) tellOfLog(file, onTrouble);
    else assertOwnLog(file);
    const writer = new SqliteConnection(file, 0);
    opened.push(writer);
    await configureWriter(file, writer, { busyTimeout, bulk, renews: service });
    // Commits are on the disk before anyone sees them.
    if (guest) writer.run('pragma synchronous = full');
    const missing = missingCommits(file, writer);
    if (missing !== undefined) onMissing?.(missing.commits, missing.mark);
    const reader = openReader(file);
    opened.push(reader);
    const ownFiles = new OwnFiles(file);
    const scanner = new ThreadConnection(file, ownFiles, { timeout: READ_TIMEOUT, setUp: READER });
    const moves = { timeout: READ_TIMEOUT, setUp: [], background: true };
    const mover = new ThreadConnection(file, ownFiles, moves);
    const descriptor = service ? openSync(file, 'r+') : undefined;
    const checkpoints = new Checkpoints(writer, mover, descriptor);
    const log = new LogSync(logOf(file), guest, guest ? undefined : openMark(file), (reason) =>
      onTrouble?.(
        `the number of the last commit cannot be written to ${MARK_FILE} (${reason.message}); writes go on, but a later loss of commits would not be noticed`,
      ),
    );
    const turn = new ServiceTurn(guest ? 'command' : 'service', dataDir);
    return new SqliteStore(writer, reader, scanner, log, checkpoints, {
      ...{ busyTimeout, batchSize, batchTime, turn, onCommit, ownFiles, onTrouble },
      openReader: () => openReader(file, ownFiles),
      onClosed: () => {
        turn.close();
        if (descriptor !== undefined) closeUnlocked(descriptor);
        lock?.release();
      },
    });
  } catch (error) {
    for (const connection of opened) connection.close();
    lock?.release();
    throw error;
  }
}

/** Moves the log of another database away, which the last service left. */
function tellOfLog(file: string, onTrouble: ((message: string) => void) | undefined): void {
  const aside = setForeignLogAside(file);
  if (aside === undefined) return;
  onTrouble?.(
    `${SQLITE_FILE} is another database than the one that the last service wrote to, or an older state of it; what that service wrote last is in ${aside}. If this is the wrong database, stop the service and bring the right one back (ws01 restore)`,
  );
}

function openReader(file: string, own?: OwnFiles): SqliteConnection {
  const connection = new SqliteConnection(file, READ_TIMEOUT, own);
  try {
    for (const sql of READER) connection.run(sql);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Creates a folder and its missing parents. One by one, because Node's recursive mkdir never ends
 * where the file system reports an existing parent as missing (`/proc`).
 */
function makeFolder(folder: string): void {
  try {
    const missing: string[] = [];
    for (let path = resolve(folder); !existsSync(path); path = dirname(path)) missing.unshift(path);
    for (const path of missing) mkdirSync(path, { mode: 0o700 });
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is a file`);
  } catch (error) {
    throw new DependencyError(
      'database',
      'misconfigured',
      `The data folder ${folder} cannot be made; set DATA_DIR to a folder that this process may write.`,
      { cause: error },
    );
  }
}

/** Rejects a folder of another user, such as root or an earlier service. */
function assertUsable(folder: string): void {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') throw notAllowed(folder, error);
    // A read-only mount may be a failed disk, and may pass. Readers, too, need to create SQLite's
    // files beside the database.
    const readOnly = `The file system of ${folder} is mounted read-only; see dmesg for why, and mount it to be written.`;
    if (code === 'EROFS')
      throw new DependencyError('database', 'unavailable', readOnly, { cause: error });
  }
}

function notAllowed(folder: string, cause: unknown): DependencyError {
  const who =
    process.geteuid === undefined ? 'this user' : `the user with the id ${process.geteuid()}`;
  return new DependencyError(
    'database',
    'misconfigured',
    `The data folder ${folder} is not open to ${who}; run this as the user of the service, or give the folder to this one.`,
    { cause },
  );
}

/**
 * Rejects a missing database for commands: an empty one in the wrong folder would look like lost
 * data.
 */
function assertThere(file: string): void {
  try {
    statSync(file);
    return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES')
      throw notAllowed(dirname(resolve(file)), error);
  }
  throw new DependencyError(
    'database',
    'misconfigured',
    `There is no database ${resolve(file)}; set DATA_DIR to the folder of the service, or start the service once to make one.`,
  );
}

/** The files of the database, and those that commands and the service keep beside it. */
const FILES = [SQLITE_FILE, logOf(SQLITE_FILE), `${SQLITE_FILE}-shm`, MARK_FILE, LOCK_FILE];

/**
 * Rejects files of another user. SQLite creates files as the user who opens the database, and the
 * service could not write those of root.
 */
async function assertOwn(dataDir: string, guest: boolean): Promise<void> {
  const found = await fileOfOther(
    FILES.map((name) => join(dataDir, name)),
    dataDir,
  );
  if (found === undefined) return;
  const { path, owner, own } = found;
  const remedy = guest
    ? `Run the command as that user: sudo -u '#${owner}' …`
    : `Start the service as that user, or give it all files: chown -R ${own} ${shellWord(resolve(dataDir))}`;
  throw new DependencyError(
    'database',
    'misconfigured',
    `${resolve(path)} belongs to the user with the id ${owner}, and this process runs as ${own}: it would leave files there that ${guest ? 'the service' : 'that user'} cannot write. ${remedy}`,
  );
}

/**
 * Waits for locks of other processes by retrying, not inside SQLite.
 * @param options `renews`: gives the database a new id.
 */
async function configureWriter(
  file: string,
  connection: SqliteConnection,
  {
    busyTimeout,
    bulk,
    renews,
  }: { readonly busyTimeout: number; readonly bulk: boolean; readonly renews: boolean },
): Promise<void> {
  const deadline = time.steady() + busyTimeout;
  const configure = () => {
    if (renews) renew(connection);
    connection.run('pragma journal_mode = wal');
    // LogSync does what `full` would add.
    connection.run('pragma synchronous = normal');
    connection.run('pragma foreign_keys = on');
    connection.run(`pragma temp_store = ${bulk ? 'file' : 'memory'}`);
    connection.run(`pragma cache_size = -${bulk ? BULK_CACHE_KIB : WRITER_CACHE_KIB}`);
    // Checkpoints does this without delaying writes.
    connection.run('pragma wal_autocheckpoint = 0');
    connection.run(`pragma journal_size_limit = ${LOG_BYTES}`);
    // Only to create the log's file: a process that migrates holds this lock for minutes, and
    // `migrate` waits for it.
    if (existsSync(logOf(file))) return;
    connection.run('begin immediate');
    connection.run('commit');
  };
  let failure: unknown;
  const giveUp = (error: unknown) => {
    failure = error;
    return time.steady() >= deadline;
  };
  if (!(await retryWhileBusy(configure, giveUp))) {
    throw failure;
  }
}

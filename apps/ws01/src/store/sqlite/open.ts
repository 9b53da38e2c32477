import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../errors.ts';
import type { Store, StoreOptions } from '../store.ts';
import { retryWhileBusy } from './busy.ts';
import { Checkpoints } from './checkpoints.ts';
import { SqliteConnection } from './connection.ts';
import { LogSync } from './log-sync.ts';
import { SqliteStore } from './store.ts';
import { ThreadConnection } from './thread-connection.ts';

/** The database file's name in the data folder. */
export const SQLITE_FILE = 'ws01.sqlite';

/** Memory for pages of the database, on a connection that reads; KiB. */
const CACHE_KIB = 32 * 1024;

/**
 * And on the one that writes. After a transaction that has divided pages of an index SQLite looks at every page it has
 * in memory, which with 32 MiB took half of a commit.
 */
const WRITER_CACHE_KIB = 8 * 1024;

/** To what size the log is cut back after something large has gone through it; bytes. */
const LOG_BYTES = 64 * 1024 * 1024;

/** How long a query may block the thread for another process that recovers or closes the file; ms. */
const READ_TIMEOUT = 250;

/** What sets up a connection that only reads. */
const READER = ['pragma query_only = on', `pragma cache_size = -${CACHE_KIB}`];

/** Opens the embedded database, without migrating it. */
export async function openSqlite({
  dataDir,
  busyTimeout = 5_000,
  guest = false,
  batchSize = 128,
  batchTime = 20,
}: StoreOptions): Promise<Store> {
  makeFolder(dataDir);
  const file = join(dataDir, SQLITE_FILE);
  const opened: SqliteConnection[] = [];
  try {
    const writer = new SqliteConnection(file, 0);
    opened.push(writer);
    await configureWriter(writer, busyTimeout);
    // A commit is on the disk before anybody sees it.
    if (guest) writer.run('pragma synchronous = full');
    const reader = new SqliteConnection(file, READ_TIMEOUT);
    opened.push(reader);
    for (const sql of READER) reader.run(sql);
    const scanner = new ThreadConnection({ file, timeout: READ_TIMEOUT, setUp: READER });
    const checkpoints = new Checkpoints(writer, new ThreadConnection({ file, timeout: READ_TIMEOUT, setUp: [] }));
    return new SqliteStore(writer, reader, scanner, new LogSync(`${file}-wal`, guest), checkpoints, {
      busyTimeout,
      batchSize,
      batchTime,
    });
  } catch (error) {
    for (const connection of opened) {
      connection.close();
    }
    throw error;
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StoreError(
      'configuration',
      `The data folder ${folder} cannot be made; set DATA_DIR to a folder that this process may write.`,
      error,
    );
  }
}

/** Locks of other processes are waited for by retrying, not inside SQLite. */
async function configureWriter(connection: SqliteConnection, busyTimeout: number): Promise<void> {
  const deadline = performance.now() + busyTimeout;
  const configure = () => {
    connection.run('pragma journal_mode = wal');
    // LogSync does what `full` would add.
    connection.run('pragma synchronous = normal');
    connection.run('pragma foreign_keys = on');
    connection.run('pragma temp_store = memory');
    connection.run(`pragma cache_size = -${WRITER_CACHE_KIB}`);
    // Checkpoints does it, where nobody waits for it.
    connection.run('pragma wal_autocheckpoint = 0');
    connection.run(`pragma journal_size_limit = ${LOG_BYTES}`);
    // Makes the log's file, if it was not there.
    connection.run('begin immediate');
    connection.run('commit');
  };
  let failure: unknown;
  const giveUp = (error: unknown) => {
    failure = error;
    return performance.now() >= deadline;
  };
  if (!(await retryWhileBusy(configure, giveUp))) {
    throw failure;
  }
}

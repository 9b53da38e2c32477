import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { StoreError } from '../errors.ts';
import { probe } from '../probe.ts';
import { binderOf } from '../scope.ts';
import type { Store, StoreMetrics, StoreOptions } from '../store.ts';
import type { Tables } from '../tables.ts';
import { SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { GroupCommit } from './group-commit.ts';
import { LogSync } from './log-sync.ts';

/** The database file's name in the data folder. */
export const SQLITE_FILE = 'ws01.sqlite';

/** Memory for pages of the database, on each connection; KiB. */
const CACHE_KIB = 32 * 1024;

/** Opens the embedded database, without migrating it. */
export async function openSqlite(options: StoreOptions): Promise<Store> {
  makeFolder(options.dataDir);
  return new SqliteStore(join(options.dataDir, SQLITE_FILE), options);
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new StoreError(
      'configuration',
      `The data folder ${folder} cannot be made; set DATA_DIR to a folder that this process may write.`,
      error,
    );
  }
}

class SqliteStore implements Store {
  readonly engine = 'sqlite';
  readonly #reader: SqliteConnection;
  readonly #writer: SqliteConnection;
  readonly #log: LogSync;
  readonly #writes: GroupCommit;
  readonly #readable: Kysely<Tables>;

  constructor(file: string, { batchSize = 128, busyTimeout = 5_000 }: StoreOptions) {
    const bind = binderOf(sqliteDialect);
    this.#writer = openWriter(file);
    this.#log = new LogSync(`${file}-wal`);
    this.#writes = new GroupCommit(this.#writer, this.#log, bind, { batchSize, busyTimeout, workTimeout: 10_000 });
    this.#reader = openReader(file);
    this.#readable = bind(this.#reader);
  }

  get metrics(): StoreMetrics {
    return { writes: this.#writes.writes, commits: this.#writes.commits, syncs: this.#log.syncs };
  }

  async read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const value = await work(this.#readable);
    // A commit is visible a moment before it is on the disk, and nobody may be told of what could still be lost.
    await this.#log.synced();
    return value;
  }

  write<T>(work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#writes.write(work);
  }

  check(): Promise<void> {
    return probe(this);
  }

  async close(): Promise<void> {
    await this.#writes.close();
    this.#log.close();
    this.#reader.close();
    this.#writer.close();
  }
}

function openWriter(file: string): SqliteConnection {
  // Locks of other processes are waited for by retrying, not inside SQLite; see GroupCommit.
  const connection = new SqliteConnection(file, 0);
  connection.run('pragma journal_mode = wal');
  // LogSync does what `full` would add.
  connection.run('pragma synchronous = normal');
  connection.run('pragma foreign_keys = on');
  connection.run('pragma temp_store = memory');
  connection.run('pragma wal_autocheckpoint = 4000');
  connection.run(`pragma cache_size = -${CACHE_KIB}`);
  // Makes the log's file, if it was not there.
  connection.run('begin immediate');
  connection.run('commit');
  return connection;
}

function openReader(file: string): SqliteConnection {
  const connection = new SqliteConnection(file, 250);
  connection.run('pragma query_only = on');
  connection.run(`pragma cache_size = -${CACHE_KIB}`);
  return connection;
}

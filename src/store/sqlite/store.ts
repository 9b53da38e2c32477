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

/** The database file's name in the data folder. */
export const SQLITE_FILE = 'ws01.sqlite';

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
  readonly #writes: GroupCommit;
  readonly #readable: Kysely<Tables>;

  constructor(file: string, { batchSize = 128, busyTimeout = 5_000 }: StoreOptions) {
    const bind = binderOf(sqliteDialect);
    // Locks of other processes are waited for by retrying, not inside SQLite; see GroupCommit.
    this.#writer = new SqliteConnection(file, 0);
    configureWriter(this.#writer);
    this.#writes = new GroupCommit(this.#writer, bind, { batchSize, busyTimeout, workTimeout: 10_000 });
    this.#reader = new SqliteConnection(file, 250);
    this.#reader.run('pragma query_only = on');
    this.#readable = bind(this.#reader);
  }

  get metrics(): StoreMetrics {
    return { writes: this.#writes.writes, commits: this.#writes.commits };
  }

  async read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return work(this.#readable);
  }

  write<T>(work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#writes.write(work);
  }

  check(): Promise<void> {
    return probe(this);
  }

  async close(): Promise<void> {
    await this.#writes.close();
    this.#reader.close();
    this.#writer.close();
  }
}

function configureWriter(connection: SqliteConnection): void {
  connection.run('pragma journal_mode = wal');
  connection.run('pragma synchronous = full');
  connection.run('pragma foreign_keys = on');
}

import type { Kysely } from 'kysely';
import { probe } from '../probe.ts';
import { type Bind, binderOf, ReadScope } from '../scope.ts';
import type { Store, StoreMetrics } from '../store.ts';
import type { Tables } from '../tables.ts';
import type { WriteLimits } from '../write-limits.ts';
import type { SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { GroupCommit, type GroupCommitOptions } from './group-commit.ts';
import type { LogSync } from './log-sync.ts';

export class SqliteStore implements Store {
  readonly engine = 'sqlite';
  readonly #reader: SqliteConnection;
  readonly #writer: SqliteConnection;
  readonly #log: LogSync;
  readonly #writes: GroupCommit;
  readonly #readable: Kysely<Tables>;
  #closing: Promise<void> | undefined;

  constructor(writer: SqliteConnection, reader: SqliteConnection, log: LogSync, options: GroupCommitOptions) {
    const bind: Bind = binderOf(sqliteDialect);
    this.#reader = reader;
    this.#writer = writer;
    this.#log = log;
    this.#writes = new GroupCommit(writer, log, bind, options);
    this.#readable = bind(new ReadScope(reader));
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

  write<T>(work: (tx: Kysely<Tables>) => Promise<T>, limits?: WriteLimits): Promise<T> {
    return this.#writes.write(work, limits);
  }

  check(): Promise<void> {
    return probe(this);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#writes.close();
    this.#log.close();
    this.#reader.close();
    this.#writer.close();
  }
}

import type { CompiledQuery, DatabaseConnection, Kysely, QueryResult } from 'kysely';
import { DependencyError } from '../../failure/dependency-error.ts';
import { Turns } from '../../turns/turns.ts';
import { probe } from '../probe.ts';
import { refuseStream } from '../refuse-stream.ts';
import { type Bind, binderOf, ReadScope } from '../scope.ts';
import type { Store, StoreMetrics } from '../store.ts';
import type { Tables } from '../tables/tables.ts';
import type { WriteLimits } from '../write-limits.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { GroupCommit, type GroupCommitOptions } from './group-commit.ts';
import type { LogSync } from './log-sync.ts';
import type { ThreadConnection } from './thread-connection.ts';

interface SqliteStoreOptions extends GroupCommitOptions {
  /** See `StoreOptions`. */
  readonly onTrouble?: ((message: string) => void) | undefined;
  /** Called when the database is closed. */
  readonly onClosed: () => void;
  /** Opens another connection for reading. */
  readonly openReader: () => SqliteConnection;
}

/** Maximum number of scans that wait. */
const MOST_SCANS_WAITING = 100;

export class SqliteStore implements Store {
  readonly engine = 'sqlite';
  readonly #reader: SqliteConnection;
  readonly #writer: SqliteConnection;
  readonly #log: LogSync;
  readonly #checkpoints: Checkpoints;
  readonly #writes: GroupCommit;
  readonly #readable: Kysely<Tables>;
  readonly #scanner: ThreadConnection;
  readonly #scannable: Kysely<Tables>;
  readonly #openReader: () => SqliteConnection;
  readonly #onClosed: () => void;
  readonly #options: Pick<SqliteStoreOptions, 'ownFiles' | 'onTrouble'>;
  readonly #bind: Bind;
  /** One scan in progress, and one ready for the thread. */
  readonly #scans = new Turns(2, {
    waiting: MOST_SCANS_WAITING,
    refusal: () => new DependencyError('database', 'busy', 'Too many searches are waiting.'),
  });
  #closing: Promise<void> | undefined;

  constructor(
    writer: SqliteConnection,
    reader: SqliteConnection,
    scanner: ThreadConnection,
    log: LogSync,
    checkpoints: Checkpoints,
    options: SqliteStoreOptions,
  ) {
    const bind: Bind = binderOf(sqliteDialect);
    this.#reader = reader;
    this.#openReader = options.openReader;
    this.#onClosed = options.onClosed;
    this.#options = options;
    this.#bind = bind;
    this.#writer = writer;
    this.#log = log;
    this.#checkpoints = checkpoints;
    this.#writes = new GroupCommit(writer, log, checkpoints, bind, options);
    this.#readable = bind(new ReadScope(new TurnReader(reader)));
    this.#scanner = scanner;
    this.#scannable = bind(new ReadScope(scanner));
  }

  get metrics(): StoreMetrics {
    return {
      writes: this.#writes.writes,
      commits: this.#writes.commits,
      syncs: this.#log.syncs,
      pool: undefined,
      replica: undefined,
      scans: this.#scanner.load,
      logBytes: this.#log.bytes,
    };
  }

  get failed(): Promise<DependencyError> {
    return this.#log.failed;
  }

  get unmarked(): Error | undefined {
    return this.#log.unmarked;
  }

  read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#read(work, this.#readable);
  }

  browse<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.read(work);
  }

  scan<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#scans.take(() => this.#read(work, this.#scannable));
  }

  async snapshot<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const connection = this.#openReader();
    try {
      connection.run('begin');
      // A transaction sees the state at its first query.
      const db = this.#bind(new ReadScope(connection));
      await db.selectFrom('store_probe').select('id').execute();
      return await this.#read(work, db);
    } finally {
      connection.close();
    }
  }

  async #read<T>(work: (db: Kysely<Tables>) => Promise<T>, db: Kysely<Tables>): Promise<T> {
    if (this.#log.failure !== undefined) throw this.#log.failure;
    const value = await work(db);
    // A commit is visible shortly before it is durable, so results are held back that could still
    // be lost.
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
    // Closing the last connection would move the log, whose content is unknown, into the database
    // file. The next start reads it again; until then log and connections stay as they are.
    if (this.#log.failure !== undefined) return;
    await this.#scanner.close();
    await this.#checkpoints.close();
    const { ownFiles, onTrouble } = this.#options;
    if (ownFiles.areGone) {
      // Closing would remove the log by its name, and that may be another one now.
      onTrouble?.(ownFiles.save(this.#writer));
      this.#onClosed();
      return;
    }
    this.#log.close();
    this.#reader.close();
    this.#writer.close();
    this.#onClosed();
  }
}

/**
 * So many reads share a transaction at most: a loop of reads that waits for nothing else is one
 * turn.
 */
const SHARED_READS = 64;

/**
 * Lets the reads of one turn, which is a callback of the event loop and all promises that it
 * settles, share a transaction. SQLite locks the file for each transaction and unlocks it, which
 * are two calls to the kernel and cost more than a look-up. Their snapshot is new enough: a write
 * is answered in a later turn than the turn of its commit, and no request arrives during a turn.
 */
class TurnReader implements DatabaseConnection {
  readonly #connection: SqliteConnection;
  /** Of this turn, or since the last {@link SHARED_READS}. */
  #reads = 0;
  #endsTurn = false;

  /** @param connection on which nobody else begins transactions. */
  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /**
   * A read that is alone does without a transaction of its own: it would cost as much as it saves.
   */
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#endsTurn) {
      this.#endsTurn = true;
      process.nextTick(this.#endTurn);
    }
    if (this.#reads === SHARED_READS) this.#endTransaction();
    this.#reads++;
    if (this.#reads === 2) this.#connection.run('begin');
    return this.#connection.executeQuery<R>(query);
  }

  readonly streamQuery = refuseStream;

  readonly #endTurn = (): void => {
    this.#endsTurn = false;
    this.#endTransaction();
  };

  #endTransaction(): void {
    if (this.#reads > 1 && this.#connection.inTransaction) this.#connection.run('commit');
    this.#reads = 0;
  }
}

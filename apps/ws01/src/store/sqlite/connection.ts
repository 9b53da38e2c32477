import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { DependencyError } from '../../failure/dependency-error.ts';
import { refuseStream } from '../refuse-stream.ts';
import { sqliteError } from './errors.ts';
import { noteOpen } from './file.ts';
import type { OwnFiles } from './own-files.ts';

/**
 * Maximum number of prepared statements per connection. The code has far fewer, so only generated
 * SQL can evict one.
 */
const STATEMENTS_KEPT = 500;

interface PreparedStatement {
  readonly handle: StatementSync;
  /** Names of the result columns; empty if it returns no rows. */
  readonly columns: readonly string[];
}

type Row = Record<string, unknown>;

function open(file: string, timeout: number): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout });
  } catch (error) {
    throw sqliteError(error, file);
  }
}

/** A connection to the SQLite file. All calls are synchronous, so queries never interleave. */
export class SqliteConnection implements DatabaseConnection {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #onClosed: () => void;
  readonly #statements = new Map<string, PreparedStatement>();

  /**
   * @param file path of the database file; created if it does not exist.
   * @param timeout how long a statement may block the thread for another process's lock; ms.
   * @param own the files that this process has open, if it has: they must be the ones of these
   *   names.
   * @throws {DependencyError} when it cannot be opened; `unavailable` when other files have the
   *   names of the open ones.
   */
  constructor(file: string, timeout: number, own?: OwnFiles) {
    this.#file = file;
    own?.check();
    this.#database = open(file, timeout);
    this.#onClosed = noteOpen(file);
    try {
      // Nothing is read until the first statement, so closing it again does nothing to a file.
      own?.check();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Whether a transaction is open; SQLite ends it after some failures. */
  get inTransaction(): boolean {
    return this.#database.isOpen && this.#database.isTransaction;
  }

  /** Runs SQL without parameters and results. */
  run(sql: string): void {
    this.#assertOpen();
    try {
      this.#statement(sql).handle.run();
    } catch (error) {
      throw sqliteError(error, this.#file);
    }
  }

  /** Runs SQL that is different each time, without caching it. */
  set(sql: string): void {
    this.#assertOpen();
    try {
      this.#database.exec(sql);
    } catch (error) {
      throw sqliteError(error, this.#file);
    }
  }

  /** Returns the single number that SQL without parameters yields. */
  number(sql: string): number {
    this.#assertOpen();
    try {
      const row = this.#statement(sql).handle.get() as unknown as readonly unknown[];
      return Number(row[0]);
    } catch (error) {
      throw sqliteError(error, this.#file);
    }
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    this.#assertOpen();
    try {
      const { handle, columns } = this.#statement(sql);
      // Kysely's parameters are untyped; SQLite rejects what it cannot bind.
      const values = parameters as readonly SQLInputValue[];
      if (columns.length > 0) {
        const rows = handle.all(...values) as unknown as unknown[][];
        return { rows: rows.map((row) => toRow(columns, row)) as R[] };
      }
      // A bigint: see #statement.
      return { rows: [], numAffectedRows: handle.run(...values).changes as bigint };
    } catch (error) {
      throw sqliteError(error, this.#file);
    }
  }

  readonly streamQuery = refuseStream;

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) {
      this.#database.close();
      this.#onClosed();
    }
  }

  #assertOpen(): void {
    if (!this.#database.isOpen) {
      throw new DependencyError('database', 'unavailable', 'The database has been closed.');
    }
  }

  #statement(sql: string): PreparedStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      const handle = this.#database.prepare(sql, { returnArrays: true });
      statement = { handle, columns: handle.columns().map(({ name }) => name) };
      // Changes also report the last inserted row id. Those of a text index exceed 2^53, so they
      // must be read as bigint.
      if (statement.columns.length === 0) handle.setReadBigInts(true);
      if (this.#statements.size >= STATEMENTS_KEPT) {
        const [oldest] = this.#statements.keys();
        this.#statements.delete(oldest!);
      }
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Returns a plain object, as PostgreSQL's driver does; node:sqlite's rows have no prototype. */
function toRow(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Row = {};
  for (let i = 0; i < columns.length; i++) {
    row[columns[i]!] = values[i];
  }
  return row;
}

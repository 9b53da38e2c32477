import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { DependencyError } from '../../failure/dependency-error.ts';
import { refuseStream } from '../refuse-stream.ts';
import { sqliteError } from './errors.ts';

/** Statements kept ready on one connection; the code has far fewer, so only generated SQL can push one out. */
const STATEMENTS_KEPT = 500;

interface Statement {
  readonly handle: StatementSync;
  /** Names of the result columns; empty when it returns no rows. */
  readonly columns: readonly string[];
}

type Row = Record<string, unknown>;

/** One connection to the SQLite file. Every call runs to its end at once, so queries on it never interleave. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Statement>();

  /**
   * @param file path of the database file; made when it does not exist.
   * @param timeout how long a statement may wait, blocking the thread, for another process' lock; ms.
   */
  constructor(file: string, timeout: number) {
    try {
      this.#database = new DatabaseSync(file, { timeout });
    } catch (error) {
      throw sqliteError(error);
    }
  }

  /** Whether a transaction is open; SQLite itself ends it after some failures. */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs SQL without parameters and results. */
  run(sql: string): void {
    this.#assertOpen();
    try {
      this.#statement(sql).handle.run();
    } catch (error) {
      throw sqliteError(error);
    }
  }

  /** Runs SQL that is another each time, and so is not kept. */
  set(sql: string): void {
    this.#assertOpen();
    try {
      this.#database.exec(sql);
    } catch (error) {
      throw sqliteError(error);
    }
  }

  /** The one number that SQL without parameters comes to. */
  number(sql: string): number {
    this.#assertOpen();
    try {
      const row = this.#statement(sql).handle.get() as unknown as readonly unknown[];
      return Number(row[0]);
    } catch (error) {
      throw sqliteError(error);
    }
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    this.#assertOpen();
    try {
      const { handle, columns } = this.#statement(sql);
      // Kysely leaves its parameters untyped; what SQLite cannot bind is its own error.
      const values = parameters as readonly SQLInputValue[];
      if (columns.length > 0) {
        const rows = handle.all(...values) as unknown as unknown[][];
        return { rows: rows.map((row) => toRow(columns, row)) as R[] };
      }
      // A bigint: see #statement.
      return { rows: [], numAffectedRows: handle.run(...values).changes as bigint };
    } catch (error) {
      throw sqliteError(error);
    }
  }

  readonly streamQuery = refuseStream;

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) {
      this.#database.close();
    }
  }

  #assertOpen(): void {
    if (!this.#database.isOpen) {
      throw new DependencyError('database', 'unavailable', 'The database has been closed.');
    }
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      const handle = this.#database.prepare(sql, { returnArrays: true });
      statement = { handle, columns: handle.columns().map(({ name }) => name) };
      // What changes rows also reports the row inserted last, and those inside a text index have numbers beyond 2^53,
      // which cannot be reported otherwise.
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

/** Plain objects as PostgreSQL's driver makes them, which node:sqlite's own, without a prototype, are not. */
function toRow(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Row = {};
  for (let i = 0; i < columns.length; i++) {
    row[columns[i]!] = values[i];
  }
  return row;
}

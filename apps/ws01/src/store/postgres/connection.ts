import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { ClientBase, QueryResult as DriverResult, QueryConfig } from 'pg';
import type { NoticeMessage } from 'pg-protocol/dist/messages.js';
import { DependencyError } from '../../failure/dependency-error.ts';
import { refuseStream } from '../refuse-stream.ts';
import { postgresError } from './errors.ts';
import { beginWithin, type SessionLimits } from './session.ts';

/** Statements kept prepared on one connection; the code has far fewer, so only generated SQL goes unprepared. */
const STATEMENTS_KEPT = 500;

/** One connection of the pool, with its prepared statements. Queries made at once run in the order they were made. */
export class PostgresConnection implements DatabaseConnection {
  readonly #client: ClientBase;
  readonly #pooled: boolean;
  readonly #limits: SessionLimits;
  readonly #names = new Map<string, string>();
  #last: Promise<unknown> = Promise.resolve();
  /** Whether the server has answered since this was last set to `false`. */
  answered = false;

  /** Whether it has been lent before. */
  lent = false;

  /**
   * @param pooled whether each transaction may be on another connection of the server: then nothing is prepared, and limits
   *   are set in each transaction.
   * @param limits those that the connection was set up with.
   */
  constructor(client: ClientBase, pooled: boolean, limits: SessionLimits) {
    this.#client = client;
    this.#pooled = pooled;
    this.#limits = limits;
  }

  /** Whether no transaction is open. */
  get idle(): boolean {
    return this.#client.getTransactionStatus() === 'I';
  }

  /** Runs SQL without parameters and results. */
  async run(sql: string): Promise<void> {
    await this.#query({ text: sql });
  }

  /** Begins a transaction within limits. */
  begin(limits: SessionLimits): Promise<void> {
    return this.run(this.#pooled || limits !== this.#limits ? beginWithin(limits) : 'begin');
  }

  /**
   * Commits the open transaction.
   * @throws {DependencyError} `unavailable` also when an operator cut short the wait for the standby: then the server has the
   *   transaction, and loses it when the standby takes over.
   */
  async commit(): Promise<void> {
    let unreplicated: NoticeMessage | undefined;
    const listen = (notice: NoticeMessage) => {
      if (notice.routine === 'SyncRepWaitForLSN') unreplicated = notice;
    };
    this.#client.on('notice', listen);
    try {
      await this.run('commit');
    } finally {
      this.#client.off('notice', listen);
    }
    if (unreplicated !== undefined) {
      throw new DependencyError('database', 'unavailable', 'The standby has not confirmed a commit.', {
        cause: unreplicated,
      });
    }
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#query({ ...this.#prepared(sql), values: [...parameters] });
    return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  readonly streamQuery = refuseStream;

  #query(query: QueryConfig): Promise<DriverResult> {
    const send = async () => {
      try {
        const result = await this.#client.query(query);
        this.answered = true;
        return result;
      } catch (error) {
        throw postgresError(error);
      }
    };
    const result = this.#last.then(send, send);
    this.#last = result;
    return result;
  }

  /** The query with the name it is prepared under on this connection; without one when there are too many. */
  #prepared(text: string): QueryConfig {
    if (this.#pooled) return { text };
    let name = this.#names.get(text);
    if (name === undefined) {
      if (this.#names.size >= STATEMENTS_KEPT) {
        return { text };
      }
      name = `q${this.#names.size}`;
      this.#names.set(text, name);
    }
    return { text, name };
  }
}

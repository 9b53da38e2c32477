import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { ClientBase } from 'pg';
import type { NoticeMessage } from 'pg-protocol/dist/messages.js';
import { DependencyError } from '../../failure/dependency-error.ts';
import { refuseStream } from '../refuse-stream.ts';
import { isWithoutReply, postgresError } from './errors.ts';
import { Flight, PreparedStatements, Statement, type StatementResult } from './flight.ts';
import { beginWithin, type SessionLimits } from './session.ts';

/** A transaction failed before its commit, so it had no effect; the reason is in the cause. */
class NotCommittedError extends Error {
  constructor(cause: unknown) {
    super('The transaction was not committed.', { cause });
  }
}

/**
 * The outcome of a transaction that threw.
 * @param committing whether its commit had been sent.
 * @returns `outcomeUnknown` if the server may have committed it; otherwise the reason of the
 *   failure.
 */
export function commitError(thrown: unknown, committing: boolean): unknown {
  if (thrown instanceof NotCommittedError) return thrown.cause;
  if (!committing || !isWithoutReply(thrown)) return thrown;
  return new DependencyError(
    'database',
    'outcomeUnknown',
    'PostgreSQL has not confirmed a commit.',
    { cause: thrown },
  );
}

/**
 * A connection of the pool, with its prepared statements. Queries of one turn of the event loop are
 * pipelined in one round trip; queries made during a round trip are sent with the next, in order.
 */
export class PostgresConnection implements DatabaseConnection {
  readonly #client: ClientBase;
  readonly #pooled: boolean;
  readonly #limits: SessionLimits;
  readonly #prepared: PreparedStatements | undefined;
  /**
   * The statements that begin the transaction. They are sent with its first query, or never if
   * there is none.
   */
  #beginning: readonly string[] = [];
  #waiting: Statement[] = [];
  #flying = false;
  #last: Promise<unknown> = Promise.resolve();
  /** Whether the server has answered since this was last set to `false`. */
  answered = false;

  /** Whether it has been lent before. */
  lent = false;

  /**
   * @param pooled whether a pooler may use another server connection for each transaction: then
   *   nothing is prepared, and limits are set in each transaction.
   * @param limits the limits that the connection was set up with.
   */
  constructor(client: ClientBase, pooled: boolean, limits: SessionLimits) {
    this.#client = client;
    this.#pooled = pooled;
    this.#limits = limits;
    this.#prepared = pooled ? undefined : new PreparedStatements();
  }

  /** Whether no transaction is open. */
  get idle(): boolean {
    return this.#client.getTransactionStatus() === 'I';
  }

  /**
   * Begins a transaction with limits. The statements are sent with its first query in one flight,
   * so no query can run outside of it.
   */
  begin(limits: SessionLimits, mode = ''): void {
    this.#beginning = beginWithin(limits, this.#pooled ? undefined : this.#limits, mode);
  }

  /**
   * Commits the open transaction, in one flight with waiting queries.
   * @throws {NotCommittedError} when an earlier statement failed.
   * @throws {DependencyError} `unavailable` also when an operator cancelled the wait for the
   *   standby: then the server has the transaction, but loses it if the standby takes over.
   */
  async commit(): Promise<void> {
    if (this.#beginsNothing()) return;
    // The connection may have broken while idle. Then nothing done on it is in doubt, but a commit
    // would be.
    if (!this.answered) {
      await this.#last.catch((error) => {
        throw new NotCommittedError(error);
      });
    }
    let unreplicated: NoticeMessage | undefined;
    const listen = (notice: NoticeMessage) => {
      if (notice.routine === 'SyncRepWaitForLSN') unreplicated = notice;
    };
    this.#client.on('notice', listen);
    const statement = new Statement('commit');
    try {
      const { tag } = await this.#ask(statement);
      if (tag !== 'COMMIT')
        throw new NotCommittedError(new Error(`PostgreSQL answered a commit with ${tag}.`));
    } catch (error) {
      throw statement.skipped ? new NotCommittedError(error) : error;
    } finally {
      this.#client.off('notice', listen);
    }
    if (unreplicated !== undefined) {
      throw new DependencyError(
        'database',
        'unavailable',
        'The standby has not confirmed a commit.',
        {
          cause: unreplicated,
        },
      );
    }
  }

  /** Rolls back the open transaction, if anything of it was sent. */
  async rollback(): Promise<void> {
    for (const statement of this.#waiting.splice(0))
      statement.reject(new Error('The write has been undone.'));
    if (!this.#beginsNothing()) await this.#ask(new Statement('rollback'));
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { tag, rows } = await this.#ask(new Statement(sql, parameters));
    // A `with` query may have changed something.
    if (tag.startsWith('SELECT'))
      return sql.startsWith('with')
        ? { rows: rows as R[] }
        : { rows: rows as R[], numAffectedRows: 0n };
    return { rows: rows as R[], numAffectedRows: BigInt(COUNT.exec(tag)?.[0] ?? 0) };
  }

  readonly streamQuery = refuseStream;

  /** Drops a transaction if none of it was sent. */
  #beginsNothing(): boolean {
    const nothing = this.#beginning.length > 0;
    this.#beginning = [];
    return nothing;
  }

  #ask(statement: Statement): Promise<StatementResult> {
    if (this.#waiting.length === 0) process.nextTick(() => this.#fly());
    for (const text of this.#beginning) {
      const beginning = new Statement(text);
      // The query in the same flight fails for the same reason.
      beginning.answer.catch(() => {});
      this.#waiting.push(beginning);
    }
    this.#beginning = [];
    this.#waiting.push(statement);
    const answer = statement.answer.catch((error) => {
      throw postgresError(error);
    });
    this.#last = answer;
    return answer;
  }

  #fly(): void {
    if (this.#flying || this.#waiting.length === 0) return;
    this.#flying = true;
    const statements = this.#waiting;
    this.#waiting = [];
    const landed = () => {
      this.#flying = false;
      this.#fly();
    };
    statements[0]!.answer.then(
      () => {
        this.answered = true;
      },
      () => {},
    );
    this.#client.query(new Flight(statements, this.#prepared, landed));
  }
}

/** The row count at the end of a command tag. */
const COUNT = /\d+$/;

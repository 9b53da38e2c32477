import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  DummyDriver,
  type Kysely,
  type KyselyProps,
  type QueryResult,
  Transaction,
} from 'kysely';
import { refuseStream } from './refuse-stream.ts';
import type { Tables } from './tables/tables.ts';

/**
 * Kysely's query builder on one connection. It extends `Transaction`, which refuses to begin a
 * transaction of its own; outside of the store it is a plain `Kysely`.
 */
export class BoundDatabase extends Transaction<Tables> {
  /** Runs a compiled query, as the builder would. */
  readonly target: DatabaseConnection;

  constructor(props: KyselyProps, target: DatabaseConnection) {
    super(props);
    this.target = target;
  }
}

/** Binds the query builder of a dialect to a connection. */
export type Bind = (connection: DatabaseConnection) => Kysely<Tables>;

/** Prepares a dialect for {@link Bind}. */
export function binderOf(dialect: Dialect): Bind {
  const compiler = dialect.createQueryCompiler();
  const adapter = dialect.createAdapter();
  const driver = new DummyDriver();
  const config = { dialect };
  return (connection) => {
    const provider: ConnectionProvider = { provideConnection: (consumer) => consumer(connection) };
    const executor = new DefaultQueryExecutor(compiler, adapter, provider);
    return new BoundDatabase({ config, dialect, driver, executor }, connection);
  };
}

/** Whether a query may change data. Raw SQL always counts as changing. */
function changes({ query }: CompiledQuery): boolean {
  return query.kind !== 'SelectQueryNode';
}

/** Allows only queries that change nothing, on both engines. */
export class ReadScope implements DatabaseConnection {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return changes(query) && query.query.kind !== 'RawNode'
      ? Promise.reject(new Error('A read may change nothing; use write.'))
      : this.#connection.executeQuery<R>(query);
  }

  readonly streamQuery = refuseStream;
}

/**
 * A write's view of a connection. It ends with the write, so that a query that was not awaited
 * cannot run inside another write. After a failed query it refuses all others with the same error,
 * on both engines; PostgreSQL refuses them, too.
 */
export class WriteScope implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  #ended = false;
  /** Whether rows were changed, or may have been. */
  #changed = false;
  /** Number of unanswered queries that may change rows. */
  #open = 0;
  /** Whether a query failed. Then the write must not be committed, even if it caught the error. */
  failed = false;
  /** The error of the first failed query. */
  failure: unknown;
  #afterCommit: (() => void)[] | undefined;
  #sent: Promise<unknown> | undefined;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  /** Whether there may be something to roll back. */
  get changed(): boolean {
    return this.#changed || this.#open > 0;
  }

  /** Implements the function `afterCommit`. */
  afterCommit(proceed: () => void): void {
    this.#afterCommit ??= [];
    this.#afterCommit.push(proceed);
  }

  /** Called when the write is committed and durable. */
  committed(): void {
    for (const proceed of this.#afterCommit ?? []) proceed();
  }

  /**
   * Runs a query without waiting. It is sent with the next awaited query, or with the commit. If it
   * fails, the write fails.
   */
  send(query: CompiledQuery): void {
    this.#sent = this.executeQuery(query).catch(() => {});
  }

  /** Resolves when all queries have been answered. */
  async settled(): Promise<void> {
    await this.#sent;
  }

  /** Rejects further queries. */
  end(): void {
    this.#ended = true;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#ended) {
      throw new Error(
        'A query was made after its write had ended; await every query inside the write.',
      );
    }
    // The same error, since its caller may be the one whose error is answered.
    if (this.failed) throw this.failure;
    const mayChange = changes(query);
    if (mayChange) this.#open++;
    try {
      const result = await this.#connection.executeQuery<R>(query);
      if (mayChange && result.numAffectedRows !== 0n) this.#changed = true;
      return result;
    } catch (error) {
      this.failed = true;
      this.failure ??= error;
      this.#changed ||= mayChange;
      throw error;
    } finally {
      if (mayChange) this.#open--;
    }
  }

  readonly streamQuery = refuseStream;
}

/**
 * Calls a function after the commit of a write, before the write resolves; never if the write
 * fails, and once if it was retried. For caches of database content, which must not contain
 * rolled-back data.
 * @param tx what `write` of the store handed out.
 * @param proceed must not throw.
 */
export function afterCommit(tx: Kysely<Tables>, proceed: () => void): void {
  writeOf(tx).afterCommit(proceed);
}

/** As `send` of a prepared query, for a query that was built for this call. */
export function send(tx: Kysely<Tables>, query: CompiledQuery): void {
  writeOf(tx).send(query);
}

/** @throws {TypeError} for a builder that is not from the store's `write`. */
function writeOf(tx: Kysely<Tables>): WriteScope {
  if (tx instanceof BoundDatabase && tx.target instanceof WriteScope) return tx.target;
  throw new TypeError('This is no write.');
}

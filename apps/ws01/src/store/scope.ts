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
 * Kysely's query builder, speaking through one connection. It is a `Transaction`, because that refuses to begin
 * transactions of its own; outside the store it is known as a plain `Kysely`.
 */
export class BoundDatabase extends Transaction<Tables> {
  /** Runs a compiled query, as the builder would. */
  readonly target: DatabaseConnection;

  constructor(props: KyselyProps, target: DatabaseConnection) {
    super(props);
    this.target = target;
  }
}

/** Makes the query builder of one dialect speak through a connection. */
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

/** Whether a query may have changed something. Written-out SQL counts as changing, whatever it says. */
function changes({ query }: CompiledQuery): boolean {
  return query.kind !== 'SelectQueryNode';
}

/** Lets only queries pass that change nothing, on both engines alike. */
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
 * A write's view of a connection. It ends with the write, so that a query that was not awaited cannot run inside
 * another write. After a failed query it refuses all others, on both engines, as PostgreSQL does.
 */
export class WriteScope implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  #ended = false;
  /** Whether rows were changed, or may have been. */
  #changed = false;
  /** Queries that may change rows and are not answered yet. */
  #open = 0;
  /** Whether a query failed; then the write must not be committed, even when it caught the error. */
  failed = false;
  /** What the first failed query threw. */
  failure: unknown;
  #afterCommit: (() => void)[] | undefined;
  #sent: Promise<unknown> | undefined;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  /** Whether there may be something to undo. */
  get changed(): boolean {
    return this.#changed || this.#open > 0;
  }

  /** As the function `afterCommit`. */
  afterCommit(proceed: () => void): void {
    this.#afterCommit ??= [];
    this.#afterCommit.push(proceed);
  }

  /** The write is committed and durable. */
  committed(): void {
    for (const proceed of this.#afterCommit ?? []) proceed();
  }

  /**
   * Runs a query whose outcome nobody waits for: it goes along with the next one that is awaited, or with the commit. When
   * it fails, the write does.
   */
  send(query: CompiledQuery): void {
    this.#sent = this.executeQuery(query).catch(() => {});
  }

  /** Resolves when the outcome of everything sent is known. */
  async settled(): Promise<void> {
    await this.#sent;
  }

  /** Lets no further query pass. */
  end(): void {
    this.#ended = true;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#ended) {
      throw new Error('A query was made after its write had ended; await every query inside the write.');
    }
    if (this.failed) {
      throw new Error('A query was made after another one of the same write had failed.', { cause: this.failure });
    }
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
 * Calls a function after the commit of a write, before the write resolves; never if the write fails, and once if it was
 * retried. For caches of database content, which must not contain rolled-back data.
 * @param tx what `write` of the store handed out.
 * @param proceed must not throw.
 */
export function afterCommit(tx: Kysely<Tables>, proceed: () => void): void {
  writeOf(tx).afterCommit(proceed);
}

/** As `send` of a prepared query, for one that was built again. */
export function send(tx: Kysely<Tables>, query: CompiledQuery): void {
  writeOf(tx).send(query);
}

/** @throws {TypeError} for what `write` of the store did not hand out. */
function writeOf(tx: Kysely<Tables>): WriteScope {
  if (tx instanceof BoundDatabase && tx.target instanceof WriteScope) return tx.target;
  throw new TypeError('This is no write.');
}

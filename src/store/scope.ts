import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  DummyDriver,
  type Kysely,
  type QueryResult,
  Transaction,
} from 'kysely';
import type { Tables } from './tables.ts';

/** Makes the query builder of one dialect speak through a connection. */
export type Bind = (connection: DatabaseConnection) => Kysely<Tables>;

/**
 * Prepares a dialect for {@link Bind}. What it binds is typed as a plain `Kysely` and is a `Transaction`, because that
 * refuses to begin transactions of its own.
 */
export function binderOf(dialect: Dialect): Bind {
  const compiler = dialect.createQueryCompiler();
  const adapter = dialect.createAdapter();
  const driver = new DummyDriver();
  const config = { dialect };
  return (connection) => {
    const provider: ConnectionProvider = { provideConnection: (consumer) => consumer(connection) };
    const executor = new DefaultQueryExecutor(compiler, adapter, provider);
    return new Transaction<Tables>({ config, dialect, driver, executor });
  };
}

/**
 * One write's view of a connection. It ends with the write, so that a query that was not awaited cannot run inside
 * somebody else's write; and after a failed query it lets no other pass, on both engines as PostgreSQL has it.
 */
export class WriteScope implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  #ended = false;
  /** Whether a query other than a plain `select` was made: there may be something to undo. */
  changed = false;
  /** Whether a query failed; then the write must not be committed, even when it caught the error. */
  failed = false;
  /** What the failed query threw. */
  failure: unknown;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
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
    this.changed ||= query.query.kind !== 'SelectQueryNode';
    try {
      return await this.#connection.executeQuery<R>(query);
    } catch (error) {
      this.failed = true;
      this.failure ??= error;
      throw error;
    }
  }

  streamQuery = refuseStream;
}

/** The `streamQuery` of every connection of ours. */
export function refuseStream(): never {
  throw new Error('Streaming is not offered, it would hold up every write; read pages by key instead.');
}

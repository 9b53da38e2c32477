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
  #state: 'open' | 'failed' | 'ended' = 'open';
  #failure: unknown;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  /** @throws what the first failed query threw, also when the write caught it: such a write must not be committed. */
  end(): void {
    const failed = this.#state === 'failed';
    this.#state = 'ended';
    if (failed) {
      throw this.#failure;
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#assertOpen();
    try {
      return await this.#connection.executeQuery<R>(query);
    } catch (error) {
      if (this.#state === 'open') {
        this.#state = 'failed';
        this.#failure = error;
      }
      throw error;
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    this.#assertOpen();
    return this.#connection.streamQuery<R>(query, chunkSize);
  }

  #assertOpen(): void {
    if (this.#state === 'ended') {
      throw new Error('A query was made after its write had ended; await every query inside the write.');
    }
    if (this.#state === 'failed') {
      throw new Error('A query was made after another of the same write had failed.', { cause: this.#failure });
    }
  }
}

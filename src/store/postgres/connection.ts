import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { PoolClient } from 'pg';
import { refuseStream } from '../scope.ts';
import { postgresError } from './errors.ts';

/** Statements kept prepared on one connection. */
const STATEMENTS_KEPT = 500;

/** One connection of the pool, with its prepared statements. */
export class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #names = new Map<string, string>();

  constructor(client: PoolClient) {
    this.#client = client;
  }

  /** Runs SQL without parameters and results. */
  async run(sql: string): Promise<void> {
    try {
      await this.#client.query(sql);
    } catch (error) {
      throw postgresError(error);
    }
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const { command, rowCount, rows } = await this.#client.query({
        ...this.#prepared(sql),
        values: parameters as unknown[],
      });
      return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    } catch (error) {
      throw postgresError(error);
    }
  }

  readonly streamQuery = refuseStream;

  /** The query with the name it is prepared under on this connection; without one when there are too many. */
  #prepared(text: string): { text: string; name?: string } {
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

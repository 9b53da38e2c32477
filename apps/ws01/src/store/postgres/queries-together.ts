import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { refuseStream } from '../refuse-stream.ts';

interface Asked {
  readonly query: CompiledQuery;
  readonly resolve: (result: QueryResult<never>) => void;
  readonly reject: (reason: unknown) => void;
}

/** Runs the queries of one turn of the event loop on one connection, in one round trip. */
export class QueriesTogether implements DatabaseConnection {
  readonly #run: (queries: readonly CompiledQuery[]) => Promise<readonly QueryResult<unknown>[]>;
  #asked: Asked[] = [];

  /** @param run answers queries in order; if one fails, all fail. */
  constructor(run: (queries: readonly CompiledQuery[]) => Promise<readonly QueryResult<unknown>[]>) {
    this.#run = run;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#asked.length === 0) process.nextTick(() => void this.#ask());
    return new Promise<QueryResult<R>>((resolve, reject) => {
      this.#asked.push({ query, resolve: resolve as Asked['resolve'], reject });
    });
  }

  readonly streamQuery = refuseStream;

  async #ask(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    try {
      const results = await this.#run(asked.map(({ query }) => query));
      for (const [index, { resolve }] of asked.entries()) resolve(results[index] as QueryResult<never>);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}

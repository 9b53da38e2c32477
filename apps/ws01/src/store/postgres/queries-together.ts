import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { refuseStream } from '../refuse-stream.ts';

interface Asked {
  readonly query: CompiledQuery;
  readonly resolve: (result: QueryResult<never>) => void;
  readonly reject: (reason: unknown) => void;
}

/** Gives queries that are asked in one turn of the event loop to one connection, so that they take one round trip. */
export class QueriesTogether implements DatabaseConnection {
  readonly #run: (queries: readonly CompiledQuery[]) => Promise<readonly QueryResult<unknown>[]>;
  #asked: Asked[] = [];

  /** @param run answers queries in their order; when one of them fails, so do all. */
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

import type { Compilable, CompiledQuery, InferResult, Kysely } from 'kysely';
import { BoundDatabase, send } from './scope.ts';
import type { Tables } from './tables/tables.ts';

/** A query built once for each engine and run with other parameters each time. */
export interface PreparedQuery<Params extends object, Row> {
  /** Every row, in the order of the query. */
  all(db: Kysely<Tables>, params: Params): Promise<Row[]>;
  /** The first row, `undefined` when there is none. */
  first(db: Kysely<Tables>, params: Params): Promise<Row | undefined>;
  /** For queries that change rows: how many it changed. */
  run(db: Kysely<Tables>, params: Params): Promise<number>;
  /**
   * Inside a write, for queries whose outcome does not matter to the rest of it: as {@link run}, and nobody waits for it. It
   * goes to PostgreSQL along with the next query that is awaited, or with the commit. When it fails, the write does.
   */
  send(tx: Kysely<Tables>, params: Params): void;
}

/** Stands in a query for the parameter of that name. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A query with the place of each of its values: a parameter's name, or the constant itself. */
interface Compiled {
  readonly query: CompiledQuery;
  readonly values: readonly unknown[];
}

/**
 * Builds a query once, because building it costs several times the CPU time that SQLite needs to run it:
 *
 *     const articleByGuid = prepare((db, params: { guid: string }) =>
 *       db.selectFrom('articles').selectAll().where('guid', '=', params.guid),
 *     );
 *     const article = await articleByGuid.first(db, { guid });
 *
 * `db` is what `read` or `write` of the store handed out, on either engine. `params` holds placeholders while the
 * query is built: each may stand only where a value stands, by its name (no spreading, no arithmetic); and the query
 * has the same shape for all values (`where owner is null` and `where owner = ?` are two queries).
 */
export function prepare<Params extends object, Query extends Compilable>(
  build: (db: Kysely<Tables>, params: Params) => Query,
): PreparedQuery<Params, InferResult<Query>[number]> {
  // One adapter stands for one open store.
  const compiled = new WeakMap<object, Compiled>();
  const bind = (db: Kysely<Tables>, params: Params): CompiledQuery => {
    const executor = db.getExecutor();
    let made = compiled.get(executor.adapter);
    if (made === undefined) {
      made = compile(build(db, placeholders<Params>()));
      compiled.set(executor.adapter, made);
    }
    const parameters: unknown[] = [];
    for (const value of made.values) {
      parameters.push(value instanceof Placeholder ? params[value.name as keyof Params] : value);
    }
    const { sql, queryId, query: node } = made.query;
    return { query: node, queryId, sql, parameters };
  };
  const execute = (db: Kysely<Tables>, params: Params) => {
    const query = bind(db, params);
    // Straight to the connection where there is nothing in between, such as a plugin.
    return db instanceof BoundDatabase
      ? db.target.executeQuery<InferResult<Query>[number]>(query)
      : db.getExecutor().executeQuery<InferResult<Query>[number]>(query);
  };
  return {
    all: async (db, params) => (await execute(db, params)).rows,
    first: async (db, params) => (await execute(db, params)).rows[0],
    run: async (db, params) => Number((await execute(db, params)).numAffectedRows ?? 0),
    send: (tx, params) => send(tx, bind(tx, params)),
  };
}

function compile(query: Compilable): Compiled {
  const compiled = query.compile();
  return { query: compiled, values: compiled.parameters };
}

/** An object that has a placeholder under every name, typed as the parameters it stands for. */
function placeholders<Params extends object>(): Params {
  return new Proxy({} as Params, {
    get: (_, name) => new Placeholder(String(name)),
    ownKeys: () => {
      throw new TypeError('The parameters of a prepared query are named one by one, not spread.');
    },
  });
}

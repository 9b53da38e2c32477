import type { Compilable, CompiledQuery, InferResult, Kysely } from 'kysely';
import { BoundDatabase, send } from './scope.ts';
import type { Tables } from './tables/tables.ts';
import { type WordsIn, words } from './words.ts';

/** A query that is built once per engine and run with different parameters. */
export interface PreparedQuery<Params extends object, Row> {
  /** Returns all rows, in the order of the query. */
  all(db: Kysely<Tables>, params: Params): Promise<Row[]>;
  /** Returns the first row; `undefined` if there is none. */
  first(db: Kysely<Tables>, params: Params): Promise<Row | undefined>;
  /** For queries that change rows: returns how many it changed. */
  run(db: Kysely<Tables>, params: Params): Promise<number>;
  /**
   * Inside a write, for queries whose result is not needed: as {@link run} without waiting.
   * PostgreSQL gets it with the next awaited query, or with the commit. If it fails, the write
   * fails.
   */
  send(tx: Kysely<Tables>, params: Params): void;
}

/** Represents the parameter of that name in a query. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A compiled query. Each value is a parameter's name or a constant. */
interface Compiled {
  readonly query: CompiledQuery;
  readonly values: readonly unknown[];
}

/**
 * Builds a query once, because building it costs several times the CPU time that SQLite needs to
 * run it:
 *
 *     const articleByGuid = prepare((db, params: { guid: string }) =>
 *       db.selectFrom('articles').selectAll().where('guid', '=', params.guid),
 *     );
 *     const article = await articleByGuid.first(db, { guid });
 *
 * `db` is what `read` or `write` of the store handed out, on either engine. `params` holds
 * placeholders while the query is built: each may stand only where a value stands, by its name (no
 * spreading, no arithmetic); and the query has the same shape for all values (`where owner is null`
 * and `where owner = ?` are two queries).
 */
export function prepare<Params extends object, Query extends Compilable>(
  build: (db: Kysely<Tables>, params: Params) => Query,
): PreparedQuery<Params, InferResult<Query>[number]> {
  // There is one adapter per open store.
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
    // Runs directly on the connection if there is no plugin in between.
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

/** Returns an object with a placeholder for every property, typed as the parameters. */
function placeholders<Params extends object>(): Params {
  return new Proxy({} as Params, {
    get: (_, name) => new Placeholder(String(name)),
    ownKeys: () => {
      throw new TypeError('The parameters of a prepared query are named one by one, not spread.');
    },
  });
}

/**
 * Returns some columns of a row: `columns(row, 'id kind', 'created_at')`. Unlike a spread it also
 * takes the parameters of a prepared query.
 * @param texts their names, in the order of the statement, with blanks between them.
 */
export function columns<Row extends object, const Texts extends readonly string[]>(
  row: Row,
  ...texts: { [At in keyof Texts]: WordsIn<Texts[At]> extends keyof Row ? Texts[At] : never }
): Pick<Row, WordsIn<Texts[number]> & keyof Row> {
  const listed = words(...(texts as readonly string[])) as (keyof Row)[];
  return Object.fromEntries(listed.map((name) => [name, row[name]])) as never;
}

import { type CompiledQuery, type Kysely, sql } from 'kysely';
import type { Store } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables.ts';

/** A store that notes the queries that its reads make. */
export interface RecordingStore {
  readonly store: Store;
  /** By their SQL, each as it was made last. */
  readonly queries: ReadonlyMap<string, CompiledQuery>;
}

export function recordReads(store: Store): RecordingStore {
  const queries = new Map<string, CompiledQuery>();
  const record = (db: Kysely<Tables>) => {
    const executor = db.getExecutor();
    const executeQuery: typeof executor.executeQuery = (query, options) => {
      queries.set(query.sql, query);
      return executor.executeQuery(query, options);
    };
    return overriding(db, { getExecutor: () => overriding(executor, { executeQuery }) });
  };
  const read = <T>(work: (db: Kysely<Tables>) => Promise<T>) => store.read((db) => work(record(db)));
  return { store: overriding(store, { read }), queries };
}

/** How the engine goes about a query: the lines of its plan. On PostgreSQL it is run, on SQLite it is not. */
export async function explain(db: Kysely<Tables>, engine: Store['engine'], query: CompiledQuery): Promise<string[]> {
  const prefix = engine === 'sqlite' ? 'explain query plan' : 'explain (analyze, costs off, timing off, summary off)';
  const explained = { ...sql`select 1`.compile(db), sql: `${prefix} ${query.sql}`, parameters: query.parameters };
  const { rows } = await db.getExecutor().executeQuery<Record<string, unknown>>(explained);
  return rows.map((row) => String(row.detail ?? row['QUERY PLAN']));
}

/** An object with some of its members in place of its own; what remains still works on the object itself. */
function overriding<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(name in members ? members : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

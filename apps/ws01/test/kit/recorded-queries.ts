import { type CompiledQuery, type Kysely, sql } from 'kysely';
import { postgresDialect } from '../../src/store/postgres/store.ts';
import { type BoundDatabase, binderOf } from '../../src/store/scope.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import type { Store } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables/tables.ts';

/** A store that notes the queries that its reads and writes make. */
export interface RecordingStore {
  readonly store: Store;
  /** By their SQL, each as it was made last. */
  readonly queries: Map<string, CompiledQuery>;
}

export function recordQueries(store: Store): RecordingStore {
  const queries = new Map<string, CompiledQuery>();
  const bind = binderOf(store.engine === 'sqlite' ? sqliteDialect : postgresDialect);
  const record = (db: Kysely<Tables>) => {
    const executor = db.getExecutor();
    return bind({
      executeQuery: <Row>(query: CompiledQuery) => {
        queries.set(query.sql, query);
        return executor.executeQuery(query as CompiledQuery<Row>);
      },
      streamQuery: <Row>(query: CompiledQuery, chunkSize: number) =>
        executor.stream(query as CompiledQuery<Row>, chunkSize),
    });
  };
  // A write must be the store's own: its queries may also be sent without waiting.
  const recordWrite = (tx: Kysely<Tables>) => {
    const { target } = tx as BoundDatabase;
    const execute = target.executeQuery.bind(target);
    target.executeQuery = (query) => {
      queries.set(query.sql, query);
      return execute(query);
    };
    return tx;
  };
  const recording: Store = {
    engine: store.engine,
    metrics: store.metrics,
    failed: store.failed,
    unmarked: store.unmarked,
    read: (work) => store.read((db) => work(record(db))),
    browse: (work) => store.browse((db) => work(record(db))),
    scan: (work) => store.scan((db) => work(record(db))),
    snapshot: (work) => store.snapshot((db) => work(record(db))),
    write: (work, limits) => store.write((tx) => work(recordWrite(tx)), limits),
    check: () => store.check(),
    close: () => store.close(),
  };
  return { store: recording, queries };
}

/**
 * How the engine goes about a query: the lines of its plan. On PostgreSQL one that changes nothing is run, on SQLite
 * none is.
 */
export async function explain(
  db: Kysely<Tables>,
  engine: Store['engine'],
  query: CompiledQuery,
): Promise<string[]> {
  const analyze =
    query.query.kind === 'SelectQueryNode' ? 'analyze, timing off, summary off, ' : '';
  const prefix = engine === 'sqlite' ? 'explain query plan' : `explain (${analyze}costs off)`;
  const explained = {
    ...sql`select 1`.compile(db),
    sql: `${prefix} ${query.sql}`,
    parameters: query.parameters,
  };
  const { rows } = await db.getExecutor().executeQuery<Record<string, unknown>>(explained);
  return rows.map((row) => String(row.detail ?? row['QUERY PLAN']));
}

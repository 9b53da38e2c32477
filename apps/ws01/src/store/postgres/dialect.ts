import { type Dialect, DummyDriver, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';

/** Of an engine without advisory locks: rows of a table stand for them. */
export class RowLockAdapter extends PostgresAdapter {}

/** As {@link postgresDialect}, for such an engine. */
export const rowLockDialect: Dialect = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createAdapter: () => new RowLockAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
};

/** PostgreSQL's SQL for Kysely. Connections are bound by the store, so the dialect's own driver reaches none. */
export const postgresDialect: Dialect = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
};

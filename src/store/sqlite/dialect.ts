import { type Dialect, DummyDriver, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';

/** SQLite's SQL for Kysely. Connections are bound by the store, so the dialect's own driver reaches none. */
export const sqliteDialect: Dialect = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
};

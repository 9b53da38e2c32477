import { type Dialect, DummyDriver, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';

/** The adapter of an engine without advisory locks; rows of a table replace them. */
export class RowLockAdapter extends PostgresAdapter {}

/** As {@link postgresDialect}, for an engine without advisory locks. */
export const rowLockDialect: Dialect = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createAdapter: () => new RowLockAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
};

/** PostgreSQL's dialect for Kysely. The store binds connections, so the dialect's own driver is never used. */
export const postgresDialect: Dialect = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
};

import {
  type Dialect,
  DummyDriver,
  type LimitNode,
  type OffsetNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/** SQLite's SQL for Kysely. Connections are bound by the store, so the dialect's own driver reaches none. */
export const sqliteDialect: Dialect = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => new Compiler(),
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
};

/**
 * A parameter that is a `limit` by itself makes SQLite compile the statement again each time it is bound, because its
 * plan depends on the value: six times what a small query takes. In a sum it is only a value.
 */
class Compiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    this.append(' + 0');
  }

  protected override visitOffset(node: OffsetNode): void {
    super.visitOffset(node);
    this.append(' + 0');
  }
}

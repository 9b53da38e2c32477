import {
  type Dialect,
  DummyDriver,
  type LimitNode,
  type OffsetNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/**
 * SQLite's dialect for Kysely. The store binds connections, so the dialect's own driver is never
 * used.
 */
export const sqliteDialect: Dialect = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => new Compiler(),
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
};

/**
 * SQLite compiles a statement again each time a parameter is bound that is a bare `limit`, because
 * the plan depends on it: six times the cost of a small query. In a sum it is only a value.
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

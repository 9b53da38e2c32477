/** SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_ROWID. */
const SQLITE_UNIQUE: ReadonlySet<unknown> = new Set([1555, 2067, 2579]);

/** PostgreSQL's unique_violation. */
const POSTGRES_UNIQUE = '23505';

/** Whether a query failed because a row with the same unique or primary key exists. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === POSTGRES_UNIQUE || (code === 'ERR_SQLITE_ERROR' && SQLITE_UNIQUE.has(errcode));
}

import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { SQLITE_FILE } from '../../store/sqlite/file.ts';

/**
 * Whether a service has a database open: what it writes meanwhile a copy would lack, and a restore
 * would lose.
 * @returns `undefined` when there is no SQLite database, or it is too damaged to tell.
 * @throws {DependencyError} when PostgreSQL cannot be asked.
 */
export async function isOpenByService({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<boolean | undefined> {
  if (databaseUrl !== undefined) {
    const { otherConnections } = await import('../../store/postgres/snapshot.ts');
    return (await otherConnections(databaseUrl)) > 0;
  }
  const { isOpenElsewhere } = await import('../../store/sqlite/replace.ts');
  return isOpenElsewhere(resolve(dataDir, SQLITE_FILE));
}

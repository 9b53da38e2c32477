import type { TestContext } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { loadConfig, retentionDays } from '../../src/config/config.ts';
import { indexAdverts } from '../../src/domain/adverts/search-index.ts';
import { runHousekeeping } from '../../src/domain/housekeeping.ts';
import { openStore } from '../../src/store/open.ts';
import type { TestDatabase } from './database.ts';
import { drive } from './drive.ts';
import { believingClock } from './purge-clock.ts';
import { startService } from './service.ts';
import { listenToPostgres, listenToSqlite } from './wire-statements.ts';

/** Long after everything that is kept for a while; ms. */
const LATER = 100 * 365 * DAY_MS;

/**
 * Every statement that a service sends to its database while each operation is called and its house is kept, read from the
 * connection itself; without those of the schema's history.
 */
export async function recordStatements(
  test: Pick<TestContext, 'after'>,
  database: TestDatabase,
): Promise<ReadonlySet<string>> {
  const t = test as TestContext;
  await (await database.open()).check();
  const { databaseUrl, statements } = await listening(t, database);
  const service = await startService(t, { ...database, databaseUrl });
  await drive(service.url);
  const store = await openStore({ databaseUrl, dataDir: database.dataDir, guest: true });
  const clock = () => Date.now() + LATER;
  const onFailure = (error: unknown) => {
    throw error;
  };
  await runHousekeeping({
    store,
    purgeClock: await believingClock(store, clock),
    kept: retentionDays(loadConfig({})),
    onFailure,
  });
  // The service begins it half a minute after its start: only a slow machine sees it then.
  await indexAdverts(store, { many: 1 });
  await store.close();
  await service.app.stop();
  return statements;
}

async function listening(t: TestContext, { databaseUrl }: TestDatabase) {
  if (databaseUrl === undefined) return { databaseUrl, statements: listenToSqlite(t) };
  const url = new URL(databaseUrl);
  const wire = await listenToPostgres(t, Number(url.port));
  url.port = String(wire.port);
  return { databaseUrl: url.href, statements: wire.statements };
}

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext } from 'node:test';
import pg from 'pg';
import { openStore } from '../../src/store/open.ts';
import type { Engine, Store, StoreOptions } from '../../src/store/store.ts';
import { postgresUrl } from './postgres-server.ts';
import { sharedPostgresPort } from './shared-postgres.ts';

const ENGINES: readonly Engine[] = ['sqlite', 'postgres'];

/** An empty database of one test's own, removed after it. */
export interface TestDatabase {
  readonly engine: Engine;
  /** For `DATABASE_URL`; `undefined` on SQLite. */
  readonly databaseUrl: string | undefined;
  /** For `DATA_DIR`: an empty temporary folder, on both engines. */
  readonly dataDir: string;
  /** Opens a store on it, migrated, closed after the test. */
  open(options?: Partial<StoreOptions>): Promise<Store>;
}

/** Makes an empty database for a test. */
export type FreshDatabase = (test: TestContext) => Promise<TestDatabase>;

/**
 * Declares one suite for each engine:
 *
 *     forEachEngine((engine, fresh) => {
 *       it('keeps rows', async (t) => {
 *         const store = await (await fresh(t)).open();
 *       });
 *     });
 */
export function forEachEngine(declare: (engine: Engine, fresh: FreshDatabase) => void): void {
  for (const engine of ENGINES) {
    describe(engine, () => declare(engine, (test) => freshDatabase(engine, test)));
  }
}

/** An empty database on an engine. */
export async function freshDatabase(engine: Engine, test: TestContext): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ws01-test-'));
  const databaseUrl = engine === 'postgres' ? await createDatabase() : undefined;
  const stores: Store[] = [];
  test.after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    if (databaseUrl !== undefined) {
      await dropDatabase(databaseUrl);
    }
    // A service that is killed after this may still write into it; were this to fail, it would not be killed.
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
  return {
    engine,
    databaseUrl,
    dataDir,
    async open(options = {}) {
      const store = await openStore({ databaseUrl, dataDir, ...options });
      stores.push(store);
      return store;
    },
  };
}

async function createDatabase(): Promise<string> {
  const name = `test_${randomBytes(10).toString('hex')}`;
  const port = await sharedPostgresPort();
  await administer(port, `create database ${name}`);
  return postgresUrl(port, name);
}

async function dropDatabase(url: string): Promise<void> {
  const { port, pathname } = new URL(url);
  await administer(Number(port), `drop database if exists ${pathname.slice(1)} with (force)`);
}

async function administer(port: number, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl(port, 'postgres') });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

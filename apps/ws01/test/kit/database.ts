import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext } from 'node:test';
import { BY_NIGHT, LANE } from '../../../../packages/asmx/test/kit/lane.ts';
import { openStore } from '../../src/store/open.ts';
import type { Engine, Store, StoreOptions } from '../../src/store/store.ts';
import { copySchemaTo, postgresWithSchema } from './empty-schema.ts';
import { runOnce } from './operator.ts';
import { postgresUrl } from './postgres-server.ts';
import { sharedPostgresPort } from './shared-postgres.ts';

const BOTH: readonly Engine[] = ['sqlite', 'postgres'];

/** A database of one test's own, removed after it. */
export interface TestDatabase {
  readonly engine: Engine;
  /** For `DATABASE_URL`; `undefined` on SQLite. */
  readonly databaseUrl: string | undefined;
  /** For `DATA_DIR`: a temporary folder, on both engines; SQLite's database is all that is in it. */
  readonly dataDir: string;
  /** End what works on it, such as a service; called before it is removed, the last one first. */
  readonly users?: (() => unknown)[];
  /** Opens a store on it, migrated, closed after the test. */
  open(options?: Partial<StoreOptions>): Promise<Store>;
}

/** Makes a database for a test. */
export type FreshDatabase = (test: Pick<TestContext, 'after'>) => Promise<TestDatabase>;

/** Declares the tests of one engine; gets {@link freshDatabase} and {@link emptyDatabase} of it. */
type DeclareTests = (engine: Engine, fresh: FreshDatabase, empty: FreshDatabase) => void;

/**
 * Declares one suite for each engine; for rules, which are the same on both. The lanes of the day try SQLite alone: `npm run
 * test:night` tries both.
 *
 *     forEachEngine((engine, fresh) => {
 *       it('keeps rows', async (t) => {
 *         const store = await (await fresh(t)).open();
 *       });
 *     });
 */
export function forEachEngine(declare: DeclareTests): void {
  declareFor(BY_NIGHT ? BOTH : ['sqlite'], declare);
}

/**
 * As {@link forEachEngine}, on both by day too: for tests of the store, of lists, and those that together send PostgreSQL
 * every statement there is. The fast lane has no server.
 */
export function forBothEngines(declare: DeclareTests): void {
  declareFor(LANE === 'fast' ? ['sqlite'] : BOTH, declare);
}

function declareFor(engines: readonly Engine[], declare: DeclareTests): void {
  for (const engine of engines) {
    const fresh: FreshDatabase = (test) => freshDatabase(engine, test);
    const empty: FreshDatabase = (test) => emptyDatabase(engine, test);
    describe(engine, () => declare(engine, fresh, empty));
  }
}

/** A database with the schema of this version, as after `ws01 migrate`, and nothing else. */
export async function freshDatabase(
  engine: Engine,
  test: Pick<TestContext, 'after'>,
): Promise<TestDatabase> {
  const database = await makeDatabase(
    engine,
    test,
    engine === 'postgres' ? postgresWithSchema : undefined,
  );
  if (engine === 'sqlite') await copySchemaTo(database.dataDir);
  return database;
}

/** A database that nothing has been done with: SQLite has no file yet, PostgreSQL no table. For tests of migrations and of first starts. */
export function emptyDatabase(
  engine: Engine,
  test: Pick<TestContext, 'after'>,
): Promise<TestDatabase> {
  return makeDatabase(engine, test);
}

async function makeDatabase(
  engine: Engine,
  test: Pick<TestContext, 'after'>,
  template?: (port: number) => Promise<string>,
): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ws01-test-'));
  const databaseUrl = engine === 'postgres' ? await createDatabase(template) : undefined;
  const stores: Store[] = [];
  const users: (() => unknown)[] = [];
  test.after(async () => {
    // What a test registers later runs later: a service would wait a minute for a database that is gone.
    for (const end of users.toReversed()) await end();
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
    users,
    async open(options = {}) {
      const store = await openStore({ databaseUrl, dataDir, ...options });
      stores.push(store);
      return store;
    },
  };
}

async function createDatabase(template?: (port: number) => Promise<string>): Promise<string> {
  const name = `test_${randomBytes(10).toString('hex')}`;
  const port = await sharedPostgresPort();
  const from = template === undefined ? '' : ` template ${await template(port)} strategy file_copy`;
  await administer(port, `create database ${name}${from}`);
  return postgresUrl(port, name);
}

async function dropDatabase(url: string): Promise<void> {
  const { port, pathname } = new URL(url);
  await administer(Number(port), `drop database if exists ${pathname.slice(1)} with (force)`);
}

async function administer(port: number, sql: string): Promise<void> {
  await runOnce(postgresUrl(port, 'postgres'), sql);
}

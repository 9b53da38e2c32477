import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { openStore } from '../../src/store/open.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/open.ts';
import type { Engine, Store } from '../../src/store/store.ts';
import { postgresUrl, startPostgresServer } from '../../test/kit/postgres-server.ts';

export const ENGINES: readonly Engine[] = ['sqlite', 'postgres'];

/** A database of the bench's own, on either engine, that can be filled past the store. */
export interface BenchDatabase {
  readonly store: Store;
  /** Runs the statement of the engine at hand. */
  load(statements: Readonly<Record<Engine, string>>): Promise<void>;
  /** Does at once what the engine does by itself in the course of time: checkpoint; on PostgreSQL vacuum and analyze. */
  settle(): Promise<void>;
  /** Removes it. */
  close(): Promise<void>;
}

/** An empty database with the schema of the service. */
export function openBenchDatabase(engine: Engine): Promise<BenchDatabase> {
  return engine === 'sqlite' ? openSqlite() : openPostgres();
}

async function openSqlite(): Promise<BenchDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ws01-bench-'));
  const store = await openStore({ dataDir });
  const loader = new DatabaseSync(join(dataDir, SQLITE_FILE));
  loader.exec('pragma synchronous = off; pragma cache_size = -2000000');
  return {
    store,
    load: async ({ sqlite }) => loader.exec(sqlite),
    settle: async () => loader.exec('pragma wal_checkpoint(truncate)'),
    async close() {
      loader.close();
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function openPostgres(): Promise<BenchDatabase> {
  const server = await startPostgresServer('ws01-bench-');
  const databaseUrl = postgresUrl(server.port, 'postgres');
  const store = await openStore({ databaseUrl, dataDir: tmpdir() });
  const loader = new pg.Client({ connectionString: databaseUrl });
  await loader.connect();
  return {
    store,
    async load({ postgres }) {
      await loader.query(postgres);
    },
    async settle() {
      await loader.query('vacuum (analyze)');
      await loader.query('checkpoint');
    },
    async close() {
      await loader.end();
      await store.close();
      await server.dispose();
    },
  };
}

/**
 * Times calls that are made one after another, after a tenth as many to warm up.
 * @returns the median and in parentheses the 99th percentile; ms.
 */
export async function timed(count: number, call: () => unknown): Promise<string> {
  for (let warm = 0; warm < count / 10; warm++) {
    await call();
  }
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toPrecision(2);
  return `${at(0.5)} (${at(0.99)})`;
}

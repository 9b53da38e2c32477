import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { openStore } from '../../src/store/open.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/open.ts';
import type { Engine, Store } from '../../src/store/store.ts';
import { postgresUrl, startPostgresServer } from '../../test/kit/postgres-server.ts';
import { cpuMicros } from './sides/process-stats.ts';

export const ENGINES: readonly Engine[] = ['sqlite', 'postgres'];

/** A database of the bench's own, on either engine, that can be filled past the store. */
export interface BenchDatabase {
  readonly store: Store;
  /** Runs the statement of the engine at hand. */
  load(statements: Readonly<Record<Engine, string>>): Promise<void>;
  /** Does at once what the engine does by itself in the course of time: checkpoint; on PostgreSQL vacuum and analyze. */
  settle(): Promise<void>;
  /** CPU time used so far by this process and, on PostgreSQL, by the server's connections; µs. */
  cpu(): Promise<number>;
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
    cpu: async () => ownCpu(),
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
    async cpu() {
      const { rows } = await loader.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = 'ws01' or leader_pid is not null`,
      );
      return rows.reduce((sum, { pid }) => sum + cpuMicros(pid), ownCpu());
    },
    async close() {
      await loader.end();
      await store.close();
      await server.dispose();
    },
  };
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { openStore } from '../../apps/ws01/src/store/open.ts';
import { SQLITE_FILE } from '../../apps/ws01/src/store/sqlite/file.ts';
import type { Engine, Store } from '../../apps/ws01/src/store/store.ts';
import { postgresUrl, startPostgresServer } from '../../apps/ws01/test/kit/postgres-server.ts';
import { cpuMicros } from './sides/process-stats.ts';

export const ENGINES: readonly Engine[] = ['sqlite', 'postgres'];

/** A database of the bench's own, on either engine, that can be filled past the store. */
export interface BenchDatabase {
  readonly store: Store;
  /** Runs the statement of the engine at hand. */
  load(statements: Readonly<Record<Engine, string>>): Promise<void>;
  /** The statement of the engine at hand, and the number in the only column of its only row. */
  ask(statement: string): Promise<number>;
  /**
   * Fills a table while those of its indexes are away that only find rows, and makes them again, as
   * the schema has them: sorted once, instead of a page changed here and there for each row.
   */
  filling(table: string, fill: () => Promise<void>): Promise<void>;
  /** For `load` on SQLite: a function of the engine's that is written here. */
  define(name: string, work: (text: string) => string | Uint8Array): void;
  /**
   * Does at once what the engine does by itself in the course of time: checkpoint; on PostgreSQL
   * vacuum and analyze.
   */
  settle(): Promise<void>;
  /** CPU time used so far by this process and, on PostgreSQL, by the server's connections; µs. */
  cpu(): Promise<number>;
  /** What tells {@link cpu} at once, of the connections that there are now; µs. */
  work(): Promise<() => number>;
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
  const indexes = loader.prepare(
    `select name, sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null order by rowid`,
  );
  return {
    store,
    load: async ({ sqlite }) => loader.exec(sqlite),
    ask: async (statement) => onlyNumber(loader.prepare(statement).get()),
    async filling(table, fill) {
      const away = indexes.all(table);
      for (const { name } of away) loader.exec(`drop index ${name}`);
      await fill();
      for (const { sql } of away) loader.exec(String(sql));
    },
    define: (name, work) =>
      loader.function(name, { deterministic: true }, (text) => work(String(text))),
    settle: async () => loader.exec('pragma wal_checkpoint(truncate)'),
    cpu: async () => ownCpu(),
    work: async () => ownCpu,
    async close() {
      loader.close();
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** What a server for millions of rows would be given, on the disk; the rest is as in tests: nothing is synced. */
const POSTGRES_SETTINGS = {
  shared_buffers: '2GB',
  max_wal_size: '8GB',
  effective_cache_size: '8GB',
};

async function openPostgres(): Promise<BenchDatabase> {
  const server = await startPostgresServer('ws01-bench-', {
    parent: tmpdir(),
    settings: POSTGRES_SETTINGS,
  });
  const databaseUrl = postgresUrl(server.port, 'postgres');
  const store = await openStore({ databaseUrl, dataDir: tmpdir() });
  const loader = new pg.Client({ connectionString: databaseUrl });
  await loader.connect();
  await loader.query(`set maintenance_work_mem = '1GB'`);
  await loader.query(`set work_mem = '512MB'`);
  const work = async () => {
    const { rows } = await loader.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = 'ws01' or leader_pid is not null`,
    );
    return () => rows.reduce((sum, { pid }) => sum + cpuMicros(pid), ownCpu());
  };
  return {
    store,
    async load({ postgres }) {
      await loader.query(postgres);
    },
    ask: async (statement) => onlyNumber((await loader.query(statement)).rows[0]),
    async filling(table, fill) {
      const { rows } = await loader.query<{ name: string; sql: string }>(
        // Without `only`, partitions get the index of a partitioned table too.
        `select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as sql from pg_index
          where indrelid = $1::regclass and indexrelid not in (select conindid from pg_constraint)`,
        [table],
      );
      for (const { name } of rows) await loader.query(`drop index ${name}`);
      await fill();
      for (const { sql } of rows) await loader.query(sql);
    },
    define: () => {},
    async settle() {
      await loader.query('vacuum (analyze)');
      await loader.query('checkpoint');
    },
    cpu: async () => (await work())(),
    work,
    async close() {
      await loader.end();
      await store.close();
      await server.dispose();
    },
  };
}

function onlyNumber(row: Readonly<Record<string, unknown>> | undefined): number {
  return Number(Object.values(row ?? {})[0]);
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

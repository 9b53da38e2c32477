import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { CallContext } from '../src/domain/context.ts';
import { countOperations } from '../src/domain/counts.ts';
import { openStore } from '../src/store/open.ts';
import { SQLITE_FILE } from '../src/store/sqlite/open.ts';
import type { Engine, Store } from '../src/store/store.ts';
import { postgresUrl, startPostgresServer } from '../test/kit/postgres-server.ts';
import { explain, recordReads } from '../test/kit/recorded-queries.ts';

export const summary = 'countUserPosted and countIpPosted over 10^4 to 10^7 rows of the ledger, on both engines';

/** Posts of an ordinary user, and of an ordinary address. */
const ORDINARY = 100;

/** Posts of heavy users; each joins when it is at most a tenth of the ledger. */
const HEAVY = [1_000, 10_000, 100_000, 1_000_000];

const DAYS = 90;
const CALLS = 2_000;
const WARM_UP = 200;

/** A ledger that grows. */
interface Ledger {
  readonly store: Store;
  /** Adds rows: `count` of them, by `posters` users and as many addresses at random, or all by one when it is named. */
  fill(rows: { first: number; count: number; firstPoster: number; posters: number; heavy?: string }): Promise<void>;
  /** Lets the engine tidy up as it does by itself in the course of time. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** `npm run bench -- counts [rows at most] [engine]` */
export async function run([most = '10000000', only]: readonly string[]): Promise<void> {
  const engines: readonly Engine[] = ['sqlite', 'postgres'];
  for (const engine of engines.filter((one) => only === undefined || one === only)) {
    const ledger = engine === 'sqlite' ? await openSqliteLedger() : await openPostgresLedger();
    try {
      await measureLedger(engine, ledger, Number(most));
    } finally {
      await ledger.close();
    }
  }
}

async function measureLedger(engine: Engine, ledger: Ledger, most: number): Promise<void> {
  const { store, queries } = recordReads(ledger.store);
  const calls = callsOver(store);
  console.log(`\n${engine}: a call’s time in ms, one after another, median (99th percentile)\n`);
  console.log('| rows | user, 7 days | user, all kinds, 90 days | address, 7 days | address, all kinds, 90 days |');
  console.log('| --- | --- | --- | --- | --- |');
  for (let rows = 0, next = 10_000; next <= most; rows = next, next *= 10) {
    await grow(ledger, rows, next);
    await ledger.settle();
    const posters = next / ORDINARY;
    const cells: string[] = [];
    for (const by of ['user', 'address'] as const) {
      cells.push(await timed(CALLS, () => calls[by](nameOf(by, random(posters)), '7', 'article')));
      cells.push(await timed(CALLS, () => calls[by](nameOf(by, random(posters)), String(DAYS), 'all')));
    }
    console.log(`| ${next.toLocaleString('en')} | ${cells.join(' | ')} |`);
  }
  console.log('\n| posts of a heavy user | all kinds, 90 days | one kind, 7 days |');
  console.log('| --- | --- | --- |');
  for (const posts of HEAVY.filter((count) => count * 10 <= most)) {
    const user = nameOf('user', `heavy-${posts}`);
    const all = await timed(20, () => calls.user(user, String(DAYS), 'all'));
    console.log(
      `| ${posts.toLocaleString('en')} | ${all} | ${await timed(20, () => calls.user(user, '7', 'article'))} |`,
    );
  }
  for (const query of queries.values()) {
    const plan = await ledger.store.read((db) => explain(db, engine, query));
    console.log(`\n${query.sql}\n    ${plan.join('\n    ')}`);
  }
}

/** Brings the ledger from some rows to more. */
async function grow(ledger: Ledger, rows: number, next: number): Promise<void> {
  let first = rows;
  for (const posts of HEAVY) {
    if (posts * 10 <= next && posts * 10 > rows) {
      await ledger.fill({ first, count: posts, firstPoster: 0, posters: 1, heavy: `heavy-${posts}` });
      first += posts;
    }
  }
  const firstPoster = rows / ORDINARY;
  await ledger.fill({ first, count: next - first, firstPoster, posters: next / ORDINARY - firstPoster });
}

type Poster = 'user' | 'address';

function nameOf(by: Poster, poster: number | string): string {
  return by === 'user' ? `user-${poster}` : `2001:db8:${hex(Number(poster) >> 16)}:${hex(Number(poster) & 0xffff)}::1`;
}

function hex(number: number): string {
  return number.toString(16);
}

function random(below: number): number {
  return Math.floor(Math.random() * below);
}

function callsOver(store: Store) {
  const operations = countOperations({ store, clock: Date.now, timeZone: 'UTC' });
  const context: CallContext = {
    caller: { kind: 'service', tokenId: 'bench', userId: undefined },
    address: '127.0.0.1',
    requestId: 'bench',
  };
  const tokenId = undefined;
  return {
    user: async (userId: string, lastFewDays: string, level: string) =>
      operations.countUserPosted({ tokenId, userId, lastFewDays, level }, context),
    address: async (IP: string, lastFewDays: string, level: string) =>
      operations.countIpPosted({ tokenId, IP, lastFewDays, level }, context),
  };
}

/** @returns the median and the 99th percentile; ms. */
async function timed(count: number, call: () => Promise<string>): Promise<string> {
  for (let warm = 0; warm < Math.min(WARM_UP, count); warm++) {
    await call();
  }
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(3);
  return `${at(0.5)} (${at(0.99)})`;
}

async function openSqliteLedger(): Promise<Ledger> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ws01-bench-'));
  const store = await openStore({ dataDir });
  const loader = new DatabaseSync(join(dataDir, SQLITE_FILE));
  loader.exec('pragma synchronous = off; pragma cache_size = -2000000');
  return {
    store,
    async fill({ first, count, firstPoster, posters, heavy }) {
      loader.exec(`
        insert into postings (kind, record_key, user_id, network, at)
        with recursive numbers(i) as (select ${first} union all select i + 1 from numbers where i < ${first + count - 1}),
        drawn as (select i, ${firstPoster} + abs(random()) % ${posters} as u, ${firstPoster} + abs(random()) % ${posters} as a,
          ${Date.now()} - abs(random()) % ${DAYS * 86_400_000} as at from numbers)
        select 1 + i % 4, printf('record-%010d', i), ${heavy === undefined ? "'user-' || u" : `'user-${heavy}'`},
          ${heavy === undefined ? "printf('2001:db8:%x:%x::/64', a >> 16, a & 65535)" : `'${heavy}'`}, at from drawn`);
    },
    async settle() {
      loader.exec('pragma wal_checkpoint(truncate)');
    },
    async close() {
      loader.close();
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function openPostgresLedger(): Promise<Ledger> {
  const server = await startPostgresServer('ws01-bench-');
  const databaseUrl = postgresUrl(server.port, 'postgres');
  const store = await openStore({ databaseUrl, dataDir: tmpdir() });
  const loader = new pg.Client({ connectionString: databaseUrl });
  await loader.connect();
  return {
    store,
    async fill({ first, count, firstPoster, posters, heavy }) {
      await loader.query(`
        insert into postings (kind, record_key, user_id, network, at)
        select 1 + i % 4, 'record-' || lpad(i::text, 10, '0'), ${heavy === undefined ? "'user-' || u" : `'user-${heavy}'`},
          ${heavy === undefined ? "'2001:db8:' || to_hex(a >> 16) || ':' || to_hex(a & 65535) || '::/64'" : `'${heavy}'`}, at
        from (select i, ${firstPoster} + floor(random() * ${posters})::int as u, ${firstPoster} + floor(random() * ${posters})::int as a,
          ${Date.now()} - floor(random() * ${DAYS * 86_400_000})::bigint as at
          from generate_series(${first}, ${first + count - 1}) as i) as drawn`);
    },
    async settle() {
      await loader.query('vacuum (analyze) postings');
      await loader.query('checkpoint');
    },
    async close() {
      await loader.end();
      await store.close();
      await server.dispose();
    },
  };
}

import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { indexRecords } from '../apps/ws01/src/domain/search/indexing.ts';
import { bringUpToDate, openUnchanged } from '../apps/ws01/src/store/open.ts';
import { postgresUrl, startPostgresServer } from '../apps/ws01/test/kit/postgres-server.ts';
import type { BenchOptions } from './kit/bench.ts';
import { printGoal, printTable, progress, thousands } from './kit/report.ts';

export const summary =
  'PostgreSQL: an upgrade from 0.2.0 with writers beside it, p99 of their writes: [rows of articles]';

const SCHEMA = new URL(
  '../apps/ws01/test/store/earlier-releases/0.2.0.postgres.sql',
  import.meta.url,
);
const COLUMNS =
  'guid, owner, caption, content, category_key, contact_phone, status, from_url, revision, created_at, updated_at';
const VALUES = `'user-' || n % 1000, 'Flat ' || n, repeat('Two rooms. ', 20), null, '', 0, '', 1, n, n`;

/** Writers, and the pause of each between two writes; ms. */
const WRITERS = 4;
const PAUSE_MS = 20;

/** The times of writes; ms. */
class Writing {
  readonly #clients: readonly pg.Client[];
  readonly #prefix: string;
  #times: number[] = [];
  #stopped = false;
  #running: Promise<unknown> = Promise.resolve();
  #next = 0;

  constructor(clients: readonly pg.Client[], prefix: string) {
    this.#clients = clients;
    this.#prefix = prefix;
  }

  start(): void {
    this.#running = Promise.all(this.#clients.map((client) => this.#write(client)));
  }

  /** Returns the 99th percentile, the longest and the number of the writes since it was asked last. */
  take(): { readonly p99: number; readonly most: number; readonly writes: number } {
    const times = this.#times.toSorted((a, b) => a - b);
    this.#times = [];
    const at = (share: number) => times[Math.ceil(times.length * share) - 1] ?? Number.NaN;
    return { p99: at(0.99), most: at(1), writes: times.length };
  }

  stop(): Promise<unknown> {
    this.#stopped = true;
    return this.#running;
  }

  async #write(client: pg.Client): Promise<void> {
    while (!this.#stopped) {
      const n = this.#next++;
      const begun = performance.now();
      await client.query(
        `insert into articles (${COLUMNS}) select $1 || n, ${VALUES} from (select $2::int as n) as one`,
        [this.#prefix, n],
      );
      await client.query(
        `update articles set caption = 'Flat, changed', updated_at = updated_at + 1 where guid = $1`,
        [`row-${(n * 7919) % 1000}`],
      );
      this.#times.push(performance.now() - begun);
      await pause(PAUSE_MS);
    }
  }
}

/** `npm run bench -- upgrade [rows]` */
export async function run(args: readonly string[], { quick }: BenchOptions): Promise<unknown> {
  const rows = Number(args[0] ?? (quick ? 2_000 : 1_000_000));
  const seconds = quick ? 1 : 30;
  const server = await startPostgresServer('ws01-upgrade-', {
    parent: tmpdir(),
    settings: { shared_buffers: '1GB', max_wal_size: '4GB' },
  });
  const databaseUrl = postgresUrl(server.port, 'postgres');
  const connect = async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    return client;
  };
  const clients = await Promise.all(Array.from({ length: WRITERS + 1 }, connect));
  const [filler, ...writers] = clients as [pg.Client, ...pg.Client[]];
  try {
    await filler.query(readFileSync(SCHEMA, 'utf8'));
    progress(`filling ${thousands(rows)} articles`);
    await filler.query(
      `insert into articles (${COLUMNS}) select 'row-' || n, ${VALUES} from generate_series(0, ${rows}) as n`,
    );
    await filler.query('vacuum analyze articles');
    const writing = new Writing(writers, 'new-');
    writing.start();
    await pause(seconds * 1_000);
    const before = writing.take();
    progress('upgrading');
    const begun = performance.now();
    const store = await openUnchanged({ databaseUrl, dataDir: tmpdir() });
    await bringUpToDate(store, { databaseUrl });
    const took = performance.now() - begun;
    const during = writing.take();
    progress('indexing words for a while');
    const indexing = indexRecords(store).catch(() => {});
    await pause(seconds * 1_000);
    const indexed = writing.take();
    await writing.stop();
    await store.close();
    await indexing;
    const line = (what: string, { p99, most, writes }: typeof before) => [
      what,
      `${writes}`,
      p99.toFixed(1),
      most.toFixed(1),
    ];
    console.log(`\n${thousands(rows)} articles; the upgrade took ${(took / 1000).toFixed(1)} s`);
    printTable(
      ['', 'writes', 'p99, ms', 'longest, ms'],
      [line('before', before), line('upgrade', during), line('words are indexed', indexed)],
    );
    const ratio = during.p99 / before.p99;
    printGoal('p99 of writes at most 3 times', `${ratio.toFixed(1)} times`, ratio <= 3);
    return { rows, took, before, during, indexed };
  } finally {
    for (const client of clients) await client.end();
    await server.dispose();
  }
}

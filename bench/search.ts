import type { Principal } from '../apps/ws01/src/api/principal.ts';
import { indexRecords } from '../apps/ws01/src/domain/search/indexing.ts';
import type { Engine } from '../apps/ws01/src/store/store.ts';
import { apiOf } from '../apps/ws01/test/kit/api.ts';
import { ownerSql } from './growth/area.ts';
import type { BenchOptions } from './kit/bench.ts';
import { type BenchDatabase, ENGINES, openBenchDatabase } from './kit/database.ts';
import { printGoal, printTable, progress } from './kit/report.ts';
import { insertRows } from './kit/rows.ts';
import { timeCalls } from './kit/timing.ts';

export const summary =
  'CPU time of searches by words at 10^6 articles, and of indexing them: [engine] [rows]';

const GOAL_MS = 100;

/** Words that only the oldest articles have, and how many have each. */
const OLDEST = [
  ['zeppelin', 1],
  ['seldom', 1_000],
  ['bygone', 30_000],
] as const;

/** What is looked for, and what of all articles has it. */
const SEARCHES: readonly (readonly [about: string, words: string])[] = [
  ['none', 'zzzz'],
  ['the oldest one', 'zeppelin'],
  ['the oldest 1,000', 'seldom'],
  ['the oldest 30,000', 'bygone'],
  ['all', 'flat'],
  ['one in 50', 'place49'],
  ['one in 5,000', 'street4999'],
  ['none, of two frequent words', 'place49 zeppelin'],
  ['one in 5 by one letter', 'e'],
  ['the oldest one by its key', '0000000000'],
  ['all by one Chinese character', '房'],
  ['one in 100 by one Chinese character', '龙'],
  ['one in 100 by two', '龙华'],
  ['all by five', '东京站前公'],
  ['an address', '192.0.2.77'],
];

interface Figure {
  readonly engine: Engine;
  readonly about: string;
  readonly path: string;
  /** Of this process with its threads and of the database server, a call; ms. */
  readonly cpu: number;
  readonly median: number;
  readonly items: number;
  readonly total: number | null | undefined;
  /** Whether there is more to look through although the page is not full. */
  readonly isPart: boolean;
}

/** `npm run bench -- search [engine] [rows]`. */
export async function run(
  args: readonly string[],
  { quick }: Pick<BenchOptions, 'quick'>,
): Promise<readonly Figure[]> {
  const chosen = ENGINES.filter((engine) => args.includes(engine));
  const rows = Number(args.find((arg) => /^\d+$/.test(arg)) ?? (quick ? 1_000 : 1_000_000));
  const figures: Figure[] = [];
  for (const engine of chosen.length === 0 ? ENGINES : chosen) {
    const database = await openBenchDatabase(engine);
    try {
      figures.push(...(await measure(engine, database, rows)));
    } finally {
      await database.close();
    }
  }
  return figures;
}

async function measure(
  engine: Engine,
  database: BenchDatabase,
  rows: number,
): Promise<readonly Figure[]> {
  await fill(database, rows);
  await database.settle();
  progress(`${engine}: ${rows.toLocaleString('en')} articles are there`);
  const before = await database.cpu();
  const began = performance.now();
  // PostgreSQL makes the index of the terms when all are there; so does no service.
  await database.filling('record_search', () =>
    indexRecords(database.store, (indexed) => progress(`${engine}: ${indexed} indexed`)),
  );
  const took = (performance.now() - began) / 1_000;
  const each = ((await database.cpu()) - before) / rows;
  await database.settle();
  console.log(
    `\n${engine}: indexed in ${took.toFixed(0)} s, ${each.toFixed(0)} µs of CPU an article; ` +
      `${await indexBytes(engine, database)} MB\n`,
  );
  const api = apiOf(database.store);
  const principal: Principal = { kind: 'admin', name: 'bench', role: 'owner', id: '1' };
  const ask = async (path: string) => {
    const request = new Request(`http://localhost/api/v1${path}`);
    const answer = await api.fetch(request, { principal, address: '192.0.2.1' });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const figures: Figure[] = [];
  for (const [about, words] of SEARCHES) {
    const q = encodeURIComponent(words);
    for (const path of [
      `/articles?total=true&q=${q}`,
      `/articles?state=held&q=${q}`,
      `/search?q=${q}`,
    ]) {
      const { items, next, total } = await ask(path);
      const { cpu, median } = await timeCalls(() => ask(path), database.cpu, 10);
      const isPart = items.length < 50 && next != null;
      figures.push({ engine, about, path, cpu, median, items: items.length, total, isPart });
    }
  }
  report(figures);
  return figures;
}

/** Articles of which the number 0 is the oldest. */
async function fill(database: BenchDatabase, rows: number): Promise<void> {
  const growth = { from: 0, to: rows };
  const oldest = OLDEST.map(
    ([word, count]) => `case when i < ${count} then '${word} ' else '' end`,
  );
  const time = `1780000000000 + i * 1000`;
  await insertRows(database, 'articles', growth, ({ key }) => ({
    guid: key('i'),
    owner: ownerSql(growth),
    caption: `${oldest.join(' || ')} || 'Flat ' || i || ' place' || (i % 50)`,
    content: [
      `'Bright and quiet, near the park, street' || (i % 5000)`,
      `' 东京站前公寓出租，两室一厅，朝南，房'`,
      `case when i % 100 = 0 then '龙华' else '' end`,
      `case when i % 5 = 0 then ' elevator' else '' end`,
    ].join(' || '),
    category_key: `'category-' || (i % 997)`,
    contact_phone: `'+1 212 555 0100'`,
    status: 0,
    from_url: `''`,
    ip: `'192.0.2.' || (i % 250)`,
    created_at: time,
    updated_at: time,
    revision: 1,
  }));
}

async function indexBytes(engine: Engine, database: BenchDatabase): Promise<number> {
  const bytes = await database.ask(
    engine === 'sqlite'
      ? `select sum(pgsize) from dbstat where name like 'record_search%' or name like '%search_records%'`
      : `select pg_total_relation_size('record_search') + pg_total_relation_size('search_records')`,
  );
  return Math.round(bytes / 1e6);
}

function report(figures: readonly Figure[]): void {
  printTable(
    ['who has it', 'asked', 'CPU ms', 'ms', 'items', 'total'],
    figures.map(({ about, path, cpu, median, items, total, isPart }) => [
      about,
      `\`${decodeURIComponent(path)}\``,
      cpu.toFixed(1),
      median.toFixed(1),
      isPart ? `${items}, more to look through` : String(items),
      String(total ?? '–'),
    ]),
  );
  const worst = figures.toSorted((one, other) => other.cpu - one.cpu)[0]!;
  printGoal(
    `each under ${GOAL_MS} ms of CPU`,
    `${worst.cpu.toFixed(1)} ms for ${worst.path}`,
    worst.cpu < GOAL_MS,
  );
}

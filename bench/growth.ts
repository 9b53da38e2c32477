import { sql } from 'kysely';
import { isFailureOf } from '../apps/ws01/src/failure/dependency-error.ts';
import type { Engine, Store } from '../apps/ws01/src/store/store.ts';
import { explain, recordQueries } from '../apps/ws01/test/kit/recorded-queries.ts';
import { adverts } from './growth/adverts.ts';
import type { Area, Workload } from './growth/area.ts';
import { articles } from './growth/articles.ts';
import { counts } from './growth/counts.ts';
import { credentials } from './growth/credentials.ts';
import { images } from './growth/images.ts';
import { links } from './growth/links.ts';
import { mail } from './growth/mail.ts';
import { phone, users } from './growth/people.ts';
import { reviews } from './growth/reviews.ts';
import type { BenchOptions } from './kit/bench.ts';
import { type BenchDatabase, ENGINES, openBenchDatabase } from './kit/database.ts';
import { openOperations } from './kit/operations.ts';
import { printTable, progress } from './kit/report.ts';
import { callsFor, MOST, type Timing, timeCalls } from './kit/timing.ts';

export const summary =
  'cost of every operation over 10^3 to 10^7 rows: [area or operation] [engine] [rows at most] [plans]';

const AREAS: readonly Area[] = [
  articles,
  adverts,
  images,
  users,
  phone,
  mail,
  links,
  counts,
  reviews,
  credentials,
];

const LEAST_ROWS = 1_000;

/** From so many ms on, the table says for how long other calls had to wait. */
const HELD_TOLD = 50;

interface Choice {
  readonly engines: readonly Engine[];
  /** An area's name, or what a call's name begins with; empty for all. */
  readonly wanted: string;
  readonly most: number;
  /** Calls of a kind at most. */
  readonly calls: number;
  readonly plans: boolean;
}

/** One cell of a table; without a timing when the store gave up the call. */
interface Figure extends Partial<Timing> {
  readonly engine: Engine;
  readonly area: string;
  readonly name: string;
  readonly rows: number;
}

/**
 * `npm run bench -- growth [area or operation] [engine] [rows at most] [plans]`, in any order;
 * without an engine on both.
 * @returns the cells of all tables.
 */
export async function run(
  args: readonly string[],
  { quick }: Pick<BenchOptions, 'quick'>,
): Promise<readonly Figure[]> {
  const choice = readChoice(args, quick);
  const figures: Figure[] = [];
  for (const engine of choice.engines) {
    console.log(
      `\n${engine}: a call’s time in ms, one call after another: median (99th percentile), CPU ms a call`,
    );
    for (const area of AREAS) figures.push(...(await measureArea(engine, area, choice)));
  }
  return figures;
}

function readChoice(args: readonly string[], quick: boolean): Choice {
  const engines = ENGINES.filter((engine) => args.includes(engine));
  const isOther = (arg: string) => arg !== 'plans' && !ENGINES.some((engine) => engine === arg);
  const rest = args.filter(isOther);
  return {
    engines: engines.length === 0 ? ENGINES : engines,
    wanted: rest.find((arg) => Number.isNaN(Number(arg))) ?? '',
    most: Number(
      rest.find((arg) => !Number.isNaN(Number(arg))) ?? (quick ? LEAST_ROWS : 1_000_000),
    ),
    calls: quick ? 5 : MOST,
    plans: args.includes('plans'),
  };
}

/** Lets the tables of an area grow, times its calls at each size and prints how they grew. */
async function measureArea(engine: Engine, area: Area, choice: Choice): Promise<readonly Figure[]> {
  const { wanted, most, calls, plans } = choice;
  const figures: Figure[] = [];
  const isWanted = ({ name }: Workload) => area.name === wanted || name.startsWith(wanted);
  const database = await openBenchDatabase(engine);
  const operations = await openOperations(database.store);
  try {
    if (!area.workloads(operations, LEAST_ROWS, database.store).some(isWanted)) return figures;
    const sizes: number[] = [];
    for (let rows = LEAST_ROWS; rows <= Math.min(most, area.most); rows *= 10) {
      await telling(
        `${engine}, ${area.name}: filling to ${rows.toLocaleString('en')} rows`,
        async () => {
          await area.fill(database, { from: sizes.at(-1) ?? 0, to: rows });
          await database.settle();
        },
      );
      sizes.push(rows);
      for (const workload of area.workloads(operations, rows, database.store).filter(isWanted)) {
        const timing = await measure(workload, database, calls);
        figures.push({ engine, area: area.name, name: workload.name, rows, ...timing });
        progress(
          `${engine}, ${rows.toLocaleString('en')} rows, ${workload.name}: ${cellOf(timing)}`,
        );
      }
    }
    printTable(
      [`${area.name}, rows`, ...sizes.map((rows) => rows.toLocaleString('en'))],
      [...Map.groupBy(figures, ({ name }) => name)].map(([name, row]) => [
        name,
        ...row.map(cellOf),
      ]),
    );
    if (plans) await printPlans(engine, area, sizes.at(-1)!, database, isWanted);
    return figures;
  } finally {
    await operations.close();
    await database.close();
  }
}

async function measure(
  { prepare, call }: Workload,
  database: BenchDatabase,
  most: number,
): Promise<Partial<Timing>> {
  await prepare?.(callsFor(most));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await timeCalls(call, () => database.cpu(), most);
    } catch (error) {
      if (!isBusy(error)) throw error;
      await untilScans(database.store);
    }
  }
  return {};
}

/** A machine that stands still for ten seconds makes a call late, too, but hardly so often. */
const ATTEMPTS = 3;

const isBusy = (error: unknown) => isFailureOf('database', error, 'busy');

/** Waits for the scan that nobody waits for any more, which on SQLite others would have to wait for. */
async function untilScans(store: Store): Promise<void> {
  for (let attempt = 0; attempt < 30; attempt++) {
    try {
      return void (await store.scan((db) => sql`select 1`.execute(db)));
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }
}

function cellOf({ median, p99, cpu, held }: Partial<Timing>): string {
  if (median === undefined || p99 === undefined || cpu === undefined || held === undefined)
    return 'refused';
  const shown = (ms: number) => (ms >= 99.5 ? ms.toFixed(0) : ms.toPrecision(2));
  const waited = held < HELD_TOLD ? '' : `, others waited ${held.toFixed(0)}`;
  return `${shown(median)} (${shown(p99)}), ${shown(cpu)}${waited}`;
}

/** Makes each call once more and shows how the engine goes about its queries. */
async function printPlans(
  engine: Engine,
  area: Area,
  rows: number,
  database: BenchDatabase,
  isWanted: (workload: Workload) => boolean,
): Promise<void> {
  const { store, queries } = recordQueries(database.store);
  const operations = await openOperations(store);
  const shown = new Set<string>();
  try {
    for (const { name, prepare, call } of area
      .workloads(operations, rows, store)
      .filter(isWanted)) {
      await prepare?.(1);
      queries.clear();
      await call(0);
      console.log(`\n${name}`);
      for (const query of queries.values()) {
        if (shown.has(query.sql)) continue;
        shown.add(query.sql);
        const plan = await database.store.read((db) => explain(db, engine, query));
        if (plan.length > 0) console.log(`\n    ${query.sql}\n        ${plan.join('\n        ')}`);
      }
    }
  } finally {
    await operations.close();
  }
}

/** Tells whoever waits what was done and how long it took. */
async function telling(what: string, work: () => Promise<void>): Promise<void> {
  const started = performance.now();
  await work();
  progress(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

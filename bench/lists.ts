import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '../apps/ws01/src/api/principal.ts';
import { loadConfig } from '../apps/ws01/src/config/config.ts';
import { indexRecords } from '../apps/ws01/src/domain/search/indexing.ts';
import type { Engine } from '../apps/ws01/src/store/store.ts';
import { apiOf } from '../apps/ws01/test/kit/api.ts';
import type { BenchOptions } from './kit/bench.ts';
import { type BenchDatabase, ENGINES, openBenchDatabase } from './kit/database.ts';
import { printGoal, printTable, progress } from './kit/report.ts';
import { fillHistory } from './lists/history.ts';
import { pagesOf, visitorOf } from './lists/pages.ts';
import { fillAll, fillList, ROWS } from './lists/rows.ts';
import { type Ask, type Way, waysOf } from './lists/ways.ts';

export const summary =
  'CPU time of every list, filter, order and search at 10^6 rows of a kind: [kind ...] [engine] [rows]';

const GOAL_MS = 100;

/** The history of calls is no list of rows. */
const HISTORY = 'history';
/** All kinds in one database, which have so many rows together. */
const ALL = 'all';
/** The same, as pages of the console. */
const CONSOLE = 'console';
const LISTS = Object.keys(ROWS);
const KINDS = [...LISTS, HISTORY, ALL, CONSOLE];

/** What a way took. */
interface Figure extends Way {
  readonly engine: Engine;
  readonly kind: string;
  /** Of this process with its threads and of the database server, a call; ms. */
  readonly cpu: number;
}

/**
 * `npm run bench -- lists [kind ...] [engine] [rows]`, in any order; without a kind all, one after
 * another in a database each.
 * @returns what each way to ask took.
 */
export async function run(
  args: readonly string[],
  { quick }: Pick<BenchOptions, 'quick'>,
): Promise<readonly Figure[]> {
  const engines = ENGINES.filter((engine) => args.includes(engine));
  const kinds = KINDS.filter((kind) => args.includes(kind));
  const rows = Number(args.find((arg) => /^\d+$/.test(arg)) ?? (quick ? 1_000 : 1_000_000));
  const figures: Figure[] = [];
  for (const engine of engines.length === 0 ? ENGINES : engines) {
    const own: Figure[] = [];
    for (const kind of kinds.length === 0 ? KINDS : kinds)
      own.push(...(await measureKind(engine, kind, rows)));
    report(engine, rows, own);
    figures.push(...own);
  }
  return figures;
}

async function measureKind(engine: Engine, kind: string, rows: number): Promise<readonly Figure[]> {
  const database = await openBenchDatabase(engine);
  try {
    await fill(database, kind, rows);
    const api = apiFor(database);
    const ask = kind === CONSOLE ? await visitorOf(database.store, api) : askerOf(api);
    const ways = kind === CONSOLE ? pagesOf(LISTS) : await waysOf(kind, rows, ask);
    const figures: Figure[] = [];
    for (const way of ways) {
      using clock = timePassesBy(await database.work());
      const used = async () => (await database.cpu()) - clock.spent();
      const figure = { engine, kind, ...way, cpu: await cpuOf(used, way, ask) };
      if (figure.cpu > GOAL_MS) progress(`${engine}, ${kind}: ${cellOf(figure)}`);
      figures.push(figure);
    }
    const [first, ...others] = worstOf(figures).slice(0, 6);
    progress(`${engine}, ${kind}: ${[first!, ...others].map(cellOf).join('; ')}`);
    return figures;
  } finally {
    await database.close();
  }
}

async function fill(database: BenchDatabase, kind: string, rows: number): Promise<void> {
  if (kind === HISTORY) await fillHistory(database, rows);
  else if (kind === ALL || kind === CONSOLE) await fillAll(database, rows);
  else await fillList(database, kind, rows);
  await database.settle();
  progress(`${database.store.engine}: ${rows.toLocaleString('en')} rows of ${kind} are there`);
  const before = await database.cpu();
  // PostgreSQL makes the index of the terms when all are there; so does no service.
  await database.filling('record_search', () => indexRecords(database.store));
  const each = ((await database.cpu()) - before) / rows;
  await database.settle();
  progress(`${database.store.engine}: indexed, ${each.toFixed(0)} µs of CPU a row`);
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

function apiFor({ store }: BenchDatabase) {
  const baseUrl = () => 'https://example.com/ws';
  return apiOf(store, {
    limits: loadConfig({}),
    targets: { baseUrl, shortBaseUrl: baseUrl },
  });
}

/** A clock by work. */
interface WorkClock extends Disposable {
  /** CPU time that it has taken itself, which is no work; µs. */
  readonly spent: () => number;
}

/** A search asks for the time some hundred times, and to look at all processes takes 0.2 ms or more. */
const LOOK_MS = 5;

/**
 * Lets the time by which a page ends pass as work is done, until it is disposed of: on a busy machine
 * a page would end after less work than on a free core.
 * @param work CPU time, µs.
 */
function timePassesBy(work: () => number): WorkClock {
  const { now } = performance;
  let spent = 0;
  let told = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  performance.now = () => {
    const at = now.call(performance);
    if (at - lookedAt < LOOK_MS) return told;
    lookedAt = at;
    const before = ownThread();
    const done = work();
    spent += ownThread() - before;
    told = (done - spent) / 1_000;
    return told;
  };
  return {
    spent: () => spent,
    [Symbol.dispose]: () => {
      performance.now = now;
    },
  };
}

function ownThread(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function askerOf(api: ReturnType<typeof apiFor>): Ask {
  return async function ask(path, role = 'owner'): Promise<{ readonly body: string }> {
    const principal: Principal = { kind: 'admin', name: 'bench', role, id: '1' };
    // A report is remembered for a second.
    if (path.startsWith('/history')) await sleep(1_100);
    const [url, method] = path.split(' ').toReversed() as [string, string?];
    const body = method === undefined ? {} : { method, body: '{}', headers: JSON_TYPE };
    const request = new Request(`http://localhost/api/v1${url}`, body);
    const answer = await api.fetch(request, { principal, address: '192.0.2.1' });
    const text = await answer.text();
    // Others may have the machine for so long that a query is given up.
    if (answer.status === 503) return ask(path, role);
    if (!answer.ok && ![403, 404].includes(answer.status))
      throw new Error(`${path}: ${answer.status} ${text}`);
    return { body: text };
  };
}

/**
 * CPU time of a call; ms. One call is enough for what is far from the dearest; of others it is the
 * median of three means of three calls.
 * @param used CPU time so far; µs.
 */
async function cpuOf(used: () => Promise<number>, { path, role }: Way, ask: Ask): Promise<number> {
  const mean = async (calls: number) => {
    const before = await used();
    for (let call = 0; call < calls; call++) await ask(path, role);
    return ((await used()) - before) / 1_000 / calls;
  };
  await ask(path, role);
  const once = await mean(1);
  if (once < GOAL_MS / 4) return once;
  return [await mean(3), await mean(3), await mean(3)].toSorted((one, other) => one - other)[1]!;
}

const worstOf = (figures: readonly Figure[]) =>
  figures.toSorted((one, other) => other.cpu - one.cpu);

/** Long words are shown by what they stand for. */
const shownPath = ({ path, about }: Figure) =>
  path.length > 80 ? `${path.slice(0, 40)}… (${about ?? 'last page'})` : decodeURIComponent(path);
const cellOf = (figure: Figure) =>
  `${figure.cpu.toFixed(1)} \`${shownPath(figure)}\`${figure.role === 'owner' ? '' : ` (${figure.role})`}`;

/** A line a kind: the plain first page, the dearest list, and the dearest searches; then what misses the goal. */
function report(engine: Engine, rows: number, figures: readonly Figure[]): void {
  console.log(
    `\n${engine}, ${rows.toLocaleString('en')} rows of each kind: CPU ms of the service and the database\n`,
  );
  const lines = [...Map.groupBy(figures, ({ kind }) => kind)].map(([kind, own]) => {
    const dearest = (which: (figure: Figure) => boolean) => {
      const [worst] = worstOf(own.filter(which));
      return worst === undefined ? '–' : cellOf(worst);
    };
    const plain = own.find(({ path }) => path === `/${kind}?`);
    return [
      kind,
      String(own.length),
      plain?.cpu.toFixed(1) ?? '–',
      dearest(({ about }) => about === undefined),
      dearest(({ about, path }) => about !== undefined && !path.startsWith('/search')),
      dearest(({ path }) => path.startsWith('/search')),
    ];
  });
  printTable(
    ['rows', 'ways', 'first page', 'dearest list', 'dearest list by words', 'dearest search'],
    lines,
  );
  const missed = worstOf(figures).filter(({ cpu }) => cpu > GOAL_MS);
  for (const figure of missed) console.log(`- ${figure.kind}: ${cellOf(figure)}`);
  const [worst] = worstOf(figures);
  if (worst !== undefined)
    printGoal(
      `each under ${GOAL_MS} ms`,
      `${worst.cpu.toFixed(1)} ms for ${worst.path}`,
      worst.cpu < GOAL_MS,
    );
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '../apps/ws01/src/api/principal.ts';
import { indexRecords } from '../apps/ws01/src/domain/search/indexing.ts';
import type { Engine } from '../apps/ws01/src/store/store.ts';
import { apiOf } from '../apps/ws01/test/kit/api.ts';
import { type ListsDocument, pairsOf, queriesOf } from '../apps/ws01/test/kit/list-queries.ts';
import type { BenchOptions } from './kit/bench.ts';
import { type BenchDatabase, ENGINES, openBenchDatabase } from './kit/database.ts';
import { printGoal, printTable, progress } from './kit/report.ts';
import { fillHistory } from './lists/history.ts';
import { fillList, ROWS, timeOf } from './lists/rows.ts';
import { SEARCHES } from './lists/words.ts';

export const summary =
  'CPU time of every list, filter, order and search at 10^6 rows of a kind: [kind ...] [engine] [rows]';

const GOAL_MS = 100;

/** The history of calls is no list of rows. */
const HISTORY = 'history';
const KINDS = [...Object.keys(ROWS), HISTORY];

/** What texts are looked for: what no row has, and what a tenth of all have. */
const TEXTS = ['nothing', 'heavy'];

/** What else is read of rows of a kind; `*`: of each. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  articles: ['/public/ratings?categoryGuid=heavy', '/public/ratings?categoryGuid=nothing'],
  codes: ['/funnel'],
  mails: ['/queues'],
  deliveries: ['/queues', '/webhooks', '/webhooks?state=late'],
  history: ['1h', '24h', '7d', '30d', '90d'].map((range) => `/history?range=${range}`),
  '*': ['/users/heavy/data'],
};

type Ask = (path: string) => Promise<{ readonly body: string }>;

/** One way to ask. */
interface Figure {
  readonly engine: Engine;
  readonly kind: string;
  readonly path: string;
  /** What a search is for; `undefined` for other ways. */
  readonly about: string | undefined;
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
    const ask = askerOf(database);
    const paths = await pathsOf(kind, rows, ask);
    const figures: Figure[] = [];
    for (const { path, about } of paths)
      figures.push({ engine, kind, path, about, cpu: await cpuOf(database, path, ask) });
    const [first, ...others] = worstOf(figures).slice(0, 6);
    progress(`${engine}, ${kind}: ${[first!, ...others].map(cellOf).join('; ')}`);
    return figures;
  } finally {
    await database.close();
  }
}

async function fill(database: BenchDatabase, kind: string, rows: number): Promise<void> {
  if (kind === HISTORY) await fillHistory(database, rows);
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

function askerOf({ store }: BenchDatabase): Ask {
  const baseUrl = () => 'https://example.com/ws';
  const api = apiOf(store, { targets: { baseUrl, shortBaseUrl: baseUrl } });
  const principal: Principal = { kind: 'admin', name: 'bench', role: 'owner', id: '1' };
  return async function ask(path): Promise<{ readonly body: string }> {
    // A report is remembered for a second.
    if (path.startsWith('/history')) await sleep(1_100);
    const request = new Request(`http://localhost/api/v1${path}`);
    const answer = await api.fetch(request, { principal, address: '192.0.2.1' });
    const body = await answer.text();
    // Others may have the machine for so long that a query is given up.
    if (answer.status === 503) return ask(path);
    if (!answer.ok && answer.status !== 404) throw new Error(`${path}: ${answer.status} ${body}`);
    return { body };
  };
}

/** CPU time of a call; ms. One call is enough for what is far from the dearest. */
async function cpuOf(database: BenchDatabase, path: string, ask: Ask): Promise<number> {
  const mean = async (calls: number) => {
    const before = await database.cpu();
    for (let call = 0; call < calls; call++) await ask(path);
    return ((await database.cpu()) - before) / 1_000 / calls;
  };
  await ask(path);
  const once = await mean(1);
  return once < GOAL_MS / 4 ? once : mean(5);
}

/** Every way to ask for the rows of a kind. */
async function pathsOf(
  kind: string,
  rows: number,
  ask: Ask,
): Promise<readonly Pick<Figure, 'path' | 'about'>[]> {
  const document = JSON.parse((await ask('/openapi.json')).body) as ListsDocument;
  const ofKind = (path: string) => kindOf(path) === kind;
  const single = queriesOf(document, TEXTS).map(realistic(rows)).filter(ofKind);
  const lists = [
    ...single,
    ...pairsOf(document, TEXTS).map(realistic(rows)).filter(ofKind),
    ...(BESIDE[kind] ?? []),
    ...BESIDE['*']!,
  ];
  for (const path of single) lists.push(...(await lastPages(path, ask)));
  const listed = (way: string) =>
    single.filter((path) => path.startsWith(`/${kind}?${way}`) && !path.endsWith('nothing'));
  const [sorted = ''] = listed('sort=').filter((path) => !path.includes('=-'));
  const ways = listed('q=').length === 0 ? [] : [`/${kind}?total=true`, sorted];
  const [ofMany] = await longOf(
    listed('').filter((path) => path.endsWith('=heavy') && !path.includes('?q=')),
    ask,
  );
  if (ways.length > 0 && ofMany !== undefined)
    ways.push(`${ofMany}&total=true`, `${ofMany}&${sorted.split('?')[1]}`);
  const searches = SEARCHES.flatMap(([about, words]) => {
    const q = `q=${encodeURIComponent(words)}`;
    return [`/search?${q}`, ...ways.map((way) => `${way}&${q}`)].map((path) => ({ path, about }));
  });
  return [...new Set(lists)]
    .map((path) => ({ path, about: undefined as string | undefined }))
    .concat(searches);
}

/** Those of some lists that have a second page. */
async function longOf(paths: readonly string[], ask: Ask): Promise<readonly string[]> {
  const found = await Promise.all(paths.map(async (path) => nextOf(await ask(path))));
  return paths.filter((_, at) => found[at] !== undefined);
}

/** With the day in the middle and the article that has rows. */
const realistic = (rows: number) => (path: string) =>
  path
    .replaceAll(encodeURIComponent('2026-01-01T00:00:00Z'), timeOf(rows / 2).toISOString())
    .replace('/articles/x/', '/articles/heavy/');

/** The kind whose rows a list shows: articles of `/public/feeds/articles.atom`. */
function kindOf(path: string): string {
  if (path.startsWith('/articles/heavy/revisions')) return 'revisions';
  return path.replace(/^\/(public\/)?(feeds\/)?/, '').split(/[/?.]/)[0]!;
}

/** The last page of a list, as its cursor leads there. The first page from the other end has the place. */
async function lastPages(path: string, ask: Ask): Promise<readonly string[]> {
  const next = nextOf(await ask(path));
  if (next === undefined) return [];
  const [list, query] = path.split('?');
  const options = new URLSearchParams(query);
  options.set('sort', turned(next.order).replace('~', ''));
  const end = nextOf(await ask(`${list}?${options}`));
  if (end === undefined) return [];
  const place = JSON.stringify([turned(end.order), ...end.place]);
  const cursor = Buffer.from(place).toString('base64url');
  return [`${path}&cursor=${cursor}`];
}

/** The order and the place in it that the cursor of the next page stands for; `undefined` without one. */
function nextOf({ body }: { readonly body: string }) {
  const next = /"next":"([\w-]+)"/.exec(body)?.[1];
  if (next === undefined) return undefined;
  const read = JSON.parse(Buffer.from(next, 'base64url').toString());
  const [order, ...place] = read as [string, ...unknown[]];
  return { order, place };
}

const turned = (order: string) =>
  order.includes('-') ? order.replace('-', '') : order.replace(/^~?/, '$&-');

const worstOf = (figures: readonly Figure[]) =>
  figures.toSorted((one, other) => other.cpu - one.cpu);

/** Long words are shown by what they stand for. */
const shownPath = ({ path, about }: Figure) =>
  path.length > 80 ? `${path.slice(0, 40)}… (${about ?? 'last page'})` : decodeURIComponent(path);
const cellOf = (figure: Figure) => `${figure.cpu.toFixed(1)} \`${shownPath(figure)}\``;

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

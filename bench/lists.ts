import type { Engine } from '../apps/ws01/src/store/store.ts';
import { apiOf } from '../apps/ws01/test/kit/api.ts';
import { type ListsDocument, pairsOf, queriesOf } from '../apps/ws01/test/kit/list-queries.ts';
import type { BenchOptions } from './kit/bench.ts';
import { ENGINES, openBenchDatabase } from './kit/database.ts';
import { printGoal, printTable, progress } from './kit/report.ts';
import { fillList, ROWS } from './lists/rows.ts';

export const summary =
  'CPU time of the first page of every list of the HTTP API, however it is asked for, at 10^6 rows of its kind: [kind] [engine] [rows]';

/** What texts are looked for: what no row has, what a tenth of all have, and a word of every row. */
const TEXTS = ['nothing', 'heavy', 'a'];

/** What the one search for everything is asked. */
const SEARCHES = ['heavy', 'ada1@example.com', '+12125550100', '192.0.2.1', '01930b9e-0000-7000-8000-000000000000'];

/** Ratings that sites ask for. */
const RATINGS = ['keys=heavy,nothing,user-1', 'categoryGuid=heavy', 'categoryGuid=nothing'].map(
  (query) => `/public/ratings?${query}`,
);

/** Lists that people make by hand, with a few rows and nothing that grows behind them. */
const FEW = ['admins'];

const GOAL_MS = 100;

type Ask = (path: string) => Promise<{ readonly body: string }>;

/** One way to ask for a list. */
interface Figure {
  readonly engine: Engine;
  readonly kind: string;
  readonly path: string;
  readonly rows: number;
  /** Of this process with its threads and of the database server, a call; ms. */
  readonly cpu: number;
}

/**
 * `npm run bench -- lists [kind] [engine] [rows]`, in any order; without a kind all, one after another in a database each.
 * @returns what each way to ask took.
 */
export async function run(args: readonly string[], { quick }: Pick<BenchOptions, 'quick'>): Promise<readonly Figure[]> {
  const engines = ENGINES.filter((engine) => args.includes(engine));
  const kinds = Object.keys(ROWS).filter((kind) => args.includes(kind));
  const rows = Number(args.find((arg) => /^\d+$/.test(arg)) ?? (quick ? 1_000 : 1_000_000));
  const figures: Figure[] = [];
  for (const engine of engines.length === 0 ? ENGINES : engines) {
    const own: Figure[] = [];
    for (const kind of kinds.length === 0 ? Object.keys(ROWS) : kinds) {
      own.push(...(await measureKind(engine, kind, rows, quick ? 1 : 10)));
    }
    report(engine, rows, own);
    figures.push(...own);
  }
  return figures;
}

async function measureKind(engine: Engine, kind: string, rows: number, calls: number): Promise<readonly Figure[]> {
  const database = await openBenchDatabase(engine);
  try {
    await fillList(database, kind, rows);
    await database.settle();
    progress(`${engine}: ${rows.toLocaleString('en')} rows of ${kind} are there`);
    const api = apiOf(database.store);
    const ask: Ask = async (path) => {
      const principal = { kind: 'admin', name: 'bench', role: 'owner', id: '1' } as const;
      const answer = await api.fetch(new Request(`http://localhost/api/v1${path}`), { principal, address: '' });
      const body = await answer.text();
      if (!answer.ok && answer.status !== 404) throw new Error(`${path}: ${answer.status}`);
      return { body };
    };
    const document = (await (
      await api.fetch(new Request('http://localhost/api/v1/openapi.json'))
    ).json()) as ListsDocument;
    const ofKind = (path: string) => kindOf(path) === kind;
    const single = queriesOf(document, TEXTS).filter(ofKind);
    const paths = [
      ...single,
      ...pairsOf(document, TEXTS).filter(ofKind),
      ...(kind === 'articles' || kind === 'reviews' ? RATINGS : []),
      ...(kind === 'codes' ? ['/funnel'] : []),
      ...(kind === 'mails' || kind === 'sms' ? ['/queues'] : []),
      ...SEARCHES.map((text) => `/search?q=${encodeURIComponent(text)}`),
    ].map((path) => path.replace('/articles/x/', '/articles/heavy/'));
    for (const path of single) paths.push(...(await lastPages(path, ask)));
    const cpuOf = async (path: string, times: number) => {
      const before = await database.cpu();
      for (let call = 0; call < times; call++) await ask(path);
      return ((await database.cpu()) - before) / 1_000 / times;
    };
    const figures: Figure[] = [];
    for (const path of new Set(paths)) {
      await ask(path);
      const once = await cpuOf(path, 1);
      // Once is enough for what is far from the dearest.
      const cpu = once < GOAL_MS / 4 && !single.includes(path) ? once : await cpuOf(path, calls);
      figures.push({ engine, kind, path, rows, cpu });
    }
    progress(`${engine}, ${kind}: ${worstOf(figures).map(cellOf).slice(0, 3).join('; ')}`);
    return figures;
  } finally {
    await database.close();
  }
}

/** The kind whose rows a list shows: articles of `/public/feeds/articles.atom`. */
function kindOf(path: string): string {
  const [kind] = path.replace(/^\/(public\/)?(feeds\/)?/, '').split(/[/?.]/);
  if (ROWS[kind!] === undefined && !FEW.includes(kind!)) throw new Error(`${path} has no rows in bench/lists/rows.ts.`);
  return kind!;
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
  const cursor = Buffer.from(JSON.stringify([turned(end.order), ...end.place])).toString('base64url');
  return [`${path}&cursor=${cursor}`];
}

/** The order and the place in it that the cursor of the next page stands for; `undefined` without one. */
function nextOf({ body }: { readonly body: string }) {
  const next = /"next":"([\w-]+)"/.exec(body)?.[1];
  if (next === undefined) return undefined;
  const [order, ...place] = JSON.parse(Buffer.from(next, 'base64url').toString()) as [string, ...unknown[]];
  return { order, place };
}

const turned = (order: string) => (order.includes('-') ? order.replace('-', '') : order.replace(/^~?/, '$&-'));

const worstOf = (figures: readonly Figure[]) => figures.toSorted((one, other) => other.cpu - one.cpu);
const cellOf = ({ path, cpu }: Figure) => `${path} ${cpu.toFixed(1)}`;

/** A line a kind: the plain first page, and the dearest ways to ask. */
function report(engine: Engine, rows: number, figures: readonly Figure[]): void {
  console.log(`\n${engine}, ${rows.toLocaleString('en')} rows of each kind: CPU ms of the service and the database\n`);
  const lines = [...Map.groupBy(figures, ({ kind }) => kind)].map(([kind, own]) => {
    const plain = own.find(({ path }) => path === `/${kind}?`);
    const [dearest] = worstOf(own);
    return [kind, plain?.cpu.toFixed(1) ?? '–', String(own.length), dearest!.cpu.toFixed(1), `\`${dearest!.path}\``];
  });
  printTable(['list', 'first page', 'ways to ask', 'dearest', 'which'], lines);
  const [worst] = worstOf(figures);
  if (worst !== undefined) {
    printGoal(`each under ${GOAL_MS} ms`, `${worst.cpu.toFixed(1)} ms for ${worst.path}`, worst.cpu < GOAL_MS);
  }
}

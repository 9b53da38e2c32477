import type { Role } from '../../apps/ws01/src/contract/roles.ts';
import { type ListsDocument, pairsOf, queriesOf } from '../../apps/ws01/test/kit/list-queries.ts';
import { timeOf } from './rows.ts';
import { SEARCHES, WITH_FILTERS } from './words.ts';

/** One way to ask. */
export interface Way {
  readonly path: string;
  /** What a search is for; `undefined` for other ways. */
  readonly about: string | undefined;
  readonly role: Role;
}

/** Asks by a path, after a method that is not GET. */
export type Ask = (path: string, role?: Role) => Promise<{ readonly body: string }>;

/** What texts are looked for: what no row has, and what a tenth of all have. */
const TEXTS = ['nothing', 'heavy'];

/** What else is read of rows of a kind; `*`: of each. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  articles: ['/public/ratings?categoryGuid=heavy', '/public/ratings?categoryGuid=nothing'],
  codes: ['/funnel'],
  mails: ['/queues'],
  deliveries: ['/queues', '/webhooks', '/webhooks?state=late'],
  history: ['', '&operation=operation-1'].flatMap((more) =>
    ['1h', '24h', '7d', '30d', '90d'].map((range) => `/history?range=${range}${more}`),
  ),
  all: ['ban', 'unban'].map((verb) => `POST /users/heavy/${verb}?preview=true`),
  '*': ['/users/heavy/data'],
};

/** Every way to ask for the rows of a kind: as an owner all, and the plain ones in each role. */
export async function waysOf(kind: string, rows: number, ask: Ask): Promise<readonly Way[]> {
  const document = JSON.parse((await ask('/openapi.json')).body) as ListsDocument;
  const ofKind = (path: string) => kind === 'all' || kindOf(path) === kind;
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
  const filters = queriesOfFilters(kind, single);
  for (const filter of single.includes(`/${kind}?`) ? ['', ...filters] : [])
    lists.push(`/${kind}?${filter}&limit=100`, `/${kind}?${filter}&limit=100&total=true`);
  const searches = SEARCHES.flatMap(([about, words]) => {
    const q = `q=${encodeURIComponent(words)}`;
    return [`/search?${q}`, ...ways.map((way) => `${way}&${q}`)].map((path) => ({ path, about }));
  });
  const narrowed = ways.length === 0 ? [] : wordsWith(kind, filters);
  const later = ways.length === 0 ? [] : await laterPages(kind, ask);
  const plain = single.map((path) => ({ path, about: undefined }));
  return [
    ...[...new Set(lists)].map((path) => ({ path, about: undefined, role: 'owner' as const })),
    ...[...searches, ...narrowed, ...later].map((way) => ({ ...way, role: 'owner' as const })),
    ...(['moderator', 'reader'] as const).flatMap((role) =>
      [...plain, ...searches].map((way) => ({ ...way, role })),
    ),
  ];
}

/** What a kind is filtered by: each filter with each of its values. */
const queriesOfFilters = (kind: string, single: readonly string[]): readonly string[] =>
  single
    .filter((path) => path.startsWith(`/${kind}?`))
    .map((path) => path.split('?')[1]!)
    .filter((query) => query !== '' && !/^(q|sort|limit|total)=/.test(query));

/** Words with each filter, and with every two of them, with their total. */
function wordsWith(kind: string, filters: readonly string[]) {
  const pairs = filters.flatMap((one, at) =>
    filters
      .slice(at + 1)
      .filter((other) => other.split('=')[0] !== one.split('=')[0])
      .map((other) => `${one}&${other}`),
  );
  const asked = (filter: string) => (words: string) => ({
    path: `/${kind}?${filter}&total=true&q=${encodeURIComponent(words)}`,
    about: `${words} by ${decodeURIComponent(filter)}`,
  });
  return [
    ...filters.flatMap((filter) => WITH_FILTERS.map(asked(filter))),
    ...pairs.flatMap((filter) => WITH_FILTERS.slice(0, 2).map(asked(filter))),
  ];
}

/** The fourth page of what some words find. */
async function laterPages(kind: string, ask: Ask) {
  const found: { readonly path: string; readonly about: string }[] = [];
  for (const words of WITH_FILTERS) {
    const first = `/${kind}?q=${encodeURIComponent(words)}`;
    let path: string | undefined = first;
    for (let page = 1; page < 4 && path !== undefined; page++) {
      const next: string | undefined = NEXT.exec((await ask(path)).body)?.[1];
      path = next && `${first}&cursor=${next}`;
    }
    if (path !== undefined) found.push({ path, about: `${words}, page 4` });
  }
  return found;
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

const NEXT = /"next":"([\w-]+)"/;

/** The order and the place in it that the cursor of the next page stands for; `undefined` without one. */
function nextOf({ body }: { readonly body: string }) {
  const next = NEXT.exec(body)?.[1];
  if (next === undefined) return undefined;
  const read = JSON.parse(Buffer.from(next, 'base64url').toString());
  const [order, ...place] = read as [string, ...unknown[]];
  return { order, place };
}

const turned = (order: string) =>
  order.includes('-') ? order.replace('-', '') : order.replace(/^~?/, '$&-');

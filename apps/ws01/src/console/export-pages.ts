import type { Context } from 'hono';
import type { Item } from '../api/kind.ts';
import { apiFor, type ItemPage } from './api-client.ts';
import type { ExportPages } from './csv.ts';
import type { ConsoleDeps, ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;
type Deps = Pick<ConsoleDeps, 'api' | 'exportRows'>;

/** Number of records that an export asks for at once. */
const PAGE_ROWS = 100;

/** Reads the records of a list of the API page by page, up to the limit of an export. */
export async function* exportOf(
  deps: Deps,
  c: C,
  path: string,
  query = new URLSearchParams(),
): ExportPages {
  const most = deps.exportRows;
  query.delete('cursor');
  for (let left = most; ; ) {
    query.set('limit', String(Math.min(left, PAGE_ROWS)));
    const { items, next } = await apiFor(deps, c).get<ItemPage>(`${path}?${query}`);
    yield items;
    left -= items.length;
    if (next === null) return undefined;
    if (left <= 0) return truncated(deps, c);
    query.set('cursor', next);
  }
}

/**
 * Reads the records of several kinds as one list, the newest first, up to the limit of an export. Each has its kind in
 * the member `list`.
 */
export async function* exportOfKinds(
  deps: Deps,
  c: C,
  kinds: readonly string[],
  query: URLSearchParams,
): ExportPages {
  const sources = kinds.map((kind) =>
    itemsOf(exportOf({ ...deps, exportRows: deps.exportRows + 1 }, c, `/${kind}`, query), kind),
  );
  const heads = await Promise.all(sources.map((source) => source.next()));
  let page: Item[] = [];
  for (let left = deps.exportRows; ; left--) {
    const newest = newestOf(heads);
    if (newest === -1 || left === 0 || page.length === PAGE_ROWS) {
      yield page;
      page = [];
    }
    if (newest === -1) return undefined;
    if (left === 0) return truncated(deps, c);
    page.push(heads[newest]!.value as Item);
    heads[newest] = await sources[newest]!.next();
  }
}

async function* itemsOf(pages: ExportPages, list: string): AsyncGenerator<Item, undefined> {
  for await (const page of pages) for (const item of page) yield { list, ...item };
  return undefined;
}

/** The place of the newest of some records; -1 when all have come to their end. */
function newestOf(heads: readonly IteratorResult<Item, undefined>[]): number {
  const times = heads.map(({ done, value }) => (done ? '' : String(value.createdAt)));
  const newest = times.toSorted().at(-1) ?? '';
  return newest === '' ? -1 : times.indexOf(newest);
}

function truncated({ exportRows: most }: Deps, c: C): string {
  return c.get('visit').translate('list.truncated', { most });
}

import { say } from '../../contract/sentence.ts';
import { canonicalKey } from '../../domain/values/keys.ts';
import { beginningOf, isolated } from '../../domain/values/shown-text.ts';
import { isSeen } from '../../domain/values/unseen.ts';
import { conditionsOf, itemOf } from '../kind.ts';
import { getRoute, type KindDeps, listRoute, pageParameters } from '../kind-routes.ts';
import { readPage } from '../list-query.ts';
import { invalid } from '../problem.ts';
import { type ApiCall, Raw, type Route } from '../route.ts';
import { integer, list, object, text } from '../schema.ts';
import { atomOf, type Feed, jsonFeedOf } from './feeds.ts';
import {
  PUBLIC_ADVERTS,
  PUBLIC_ARTICLES,
  PUBLIC_IMAGES,
  type PublicArticle,
  pictureOfIcon,
  RATING,
  ratingOf,
} from './kinds.ts';

export interface PublicRouteDeps extends KindDeps {
  readonly site: PublicSite;
}

/** What public answers say of the site, and to whom. It may change while the service runs. */
export interface PublicSite {
  /** The title of feeds. */
  readonly serviceName: string;
  /** The URL of an article's page, with `{guid}` for its key; `undefined`: the API's URL. */
  readonly publicArticleUrl: string | undefined;
  /** Whether published records can be read without a credential. */
  readonly publicReading: boolean;
  readonly publicOrigins: readonly string[] | undefined;
}

/** Public routes: everyone may read published records without a credential. */
export function publicRoutes(deps: PublicRouteDeps): readonly Route[] {
  const routes = [
    listRoute(PUBLIC_ARTICLES, deps),
    getRoute(PUBLIC_ARTICLES, deps),
    listRoute(PUBLIC_ADVERTS, deps),
    getRoute(PUBLIC_ADVERTS, deps),
    listRoute(PUBLIC_IMAGES, deps),
    ratingRoute(deps),
    ratingsRoute(deps),
    feedRoute(deps, 'atom'),
    feedRoute(deps, 'json'),
  ];
  return routes.map((route) => ({ ...route, tag: 'public', role: 'public' }));
}

function ratingRoute({ store }: PublicRouteDeps): Route {
  return {
    method: 'get',
    path: '/public/ratings/{key}',
    id: 'getPublicRating',
    tag: 'public',
    summary: 'What the reviews of anything add up to; of what nobody reviewed, nothing',
    role: 'public',
    result: RATING,
    run: async ({ path }) => (await ratingsOf({ store }, [canonicalKey(path.key!)]))[0]!.rating,
  };
}

function ratingsRoute(deps: PublicRouteDeps): Route {
  const most = deps.limits.apiPageItems;
  const rated = { ...object({ key: text('What is rated.'), rating: RATING }), title: 'Rated' };
  return {
    method: 'get',
    path: '/public/ratings',
    id: 'listPublicRatings',
    tag: 'public',
    summary: `The ratings of up to ${most} keys, or of the newest articles of a category`,
    role: 'public',
    query: {
      keys: text('Keys, with commas between them.', { maxLength: most * 65 }),
      categoryGuid: text('The category.'),
      limit: integer('Articles of the category at most.', {
        minimum: 1,
        maximum: most,
        default: 50,
      }),
    },
    result: object({ items: list('In the order of the keys, or the newest first.', rated) }),
    async run(call) {
      const { keys, categoryGuid } = call.query;
      if ((keys === undefined) === (categoryGuid === undefined)) {
        throw invalid('keys', 'Give either keys or categoryGuid.');
      }
      if (keys === undefined) return { items: await ratingsOfCategory(deps, call) };
      const wanted = String(keys).split(',').map(canonicalKey);
      if (wanted.length > most)
        throw invalid('keys', say`keys must have at most ${{ most }} keys.`);
      return { items: await ratingsOf(deps, wanted) };
    },
  };
}

async function ratingsOf({ store }: Pick<PublicRouteDeps, 'store'>, keys: readonly string[]) {
  const rows = await store.scan((db) =>
    db.selectFrom('review_tallies').selectAll().where('subject', 'in', keys).execute(),
  );
  const sums = new Map(rows.map((row) => [row.subject, row]));
  const NONE = { votes: 0, positive: 0, marks: 0, ratings: 0 };
  return keys.map((key) => ({ key, rating: ratingOf(sums.get(key) ?? NONE) }));
}

async function ratingsOfCategory(deps: PublicRouteDeps, call: ApiCall) {
  const { rows } = await readArticles(deps, call);
  return rows.map((row) => ({ key: row.guid, rating: ratingOf(row) }));
}

function readArticles({ store, shown, limits }: PublicRouteDeps, call: ApiCall) {
  const { categoryGuid, limit, cursor } = call.query;
  return readPage<PublicArticle>(store, {
    ...PUBLIC_ARTICLES,
    sort: 'created',
    order: PUBLIC_ARTICLES.orders.created!,
    descending: true,
    conditions: conditionsOf(PUBLIC_ARTICLES, { categoryGuid }, shown(call), call.principal),
    limit: limit as number,
    cursor: cursor as string | undefined,
    reading: { rows: limits.apiRowsRead, ms: limits.apiReadMs },
  });
}

const FEEDS = {
  atom: { write: atomOf, type: 'application/atom+xml; charset=utf-8' },
  json: { write: jsonFeedOf, type: 'application/feed+json; charset=utf-8' },
} as const;

function feedRoute(deps: PublicRouteDeps, format: keyof typeof FEEDS): Route {
  const { limit, cursor } = pageParameters(['created'], '-created', deps.limits);
  return {
    method: 'get',
    path: `/public/feeds/articles.${format}`,
    id: `feedArticles${format === 'atom' ? 'Atom' : 'Json'}`,
    tag: 'public',
    summary: `The newest articles as a feed: ${format === 'atom' ? 'Atom' : 'JSON Feed 1.1'}`,
    role: 'public',
    query: { categoryGuid: text('Only those of this category.'), limit: limit!, cursor: cursor! },
    result: text('The feed.'),
    contentType: FEEDS[format].type,
    async run(call) {
      const { write, type } = FEEDS[format];
      return new Raw(write(await feedOf(deps, call, format)), type);
    },
  };
}

async function feedOf(deps: PublicRouteDeps, call: ApiCall, format: string): Promise<Feed> {
  const { rows, next } = await readArticles(deps, call);
  const context = deps.shown(call);
  const api = `${context.baseUrl}/api/v1/public`;
  const category = call.query.categoryGuid as string | undefined;
  const urlWith = (more: Record<string, string>) => {
    const query = new URLSearchParams({
      ...(category === undefined ? {} : { categoryGuid: category }),
      ...more,
    });
    return `${api}/feeds/articles.${format}${query.size === 0 ? '' : `?${query}`}`;
  };
  return {
    title: category === undefined ? deps.site.serviceName : `${deps.site.serviceName}: ${category}`,
    url: urlWith({}),
    next: next === undefined ? undefined : urlWith({ cursor: next }),
    entries: rows.map((row) => {
      const picture = pictureOfIcon(row.icon, context.baseUrl);
      const id = `${api}/articles/${encodeURIComponent(row.guid)}`;
      const item = itemOf(PUBLIC_ARTICLES.fields, row, context, call.principal, false) as Record<
        string,
        string | null
      >;
      return {
        id,
        url: deps.site.publicArticleUrl?.replaceAll('{guid}', encodeURIComponent(row.guid)) ?? id,
        title: isolated(titleOf(item) || row.guid),
        summary: isolated(item.excerpt ?? ''),
        category: item.categoryGuid ?? null,
        image: picture === undefined ? null : imageToRead(picture),
        createdAt: item.createdAt!,
        updatedAt: item.updatedAt!,
      };
    }),
  };
}

/** The title of an entry: the caption, or the beginning of the text. */
function titleOf({ caption, excerpt }: Record<string, string | null>): string {
  return caption && isSeen(caption) ? caption : beginningOf(excerpt ?? '', FEED_TITLE_CHARS);
}

const FEED_TITLE_CHARS = 100;

/** The widest picture of most readers of feeds; pixels. */
const FEED_WIDTH = 1280;

function imageToRead({ url, srcset }: { readonly url: string; readonly srcset: string | null }) {
  return srcset === null ? url : `${url}?w=${FEED_WIDTH}`;
}

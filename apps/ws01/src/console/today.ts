import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { isSeen } from '../domain/values/unseen.ts';
import type { ApiClient, ItemPage } from './api-client.ts';
import { dayNamed, instantOfDay, type NamedDay } from './days.ts';
import { ago, type Content, type Html } from './layout.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { iconsOf, thumb } from './pictures.ts';
import { readOn } from './read-on.ts';
import { cut } from './text.ts';
import type { TextKey } from './texts/en.ts';
import { tag } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** What people bring to a site, each with the words for a number of it. */
const BROUGHT: readonly (readonly [kind: string, text: TextKey])[] = [
  ['articles', 'today.articles'],
  ['adverts', 'today.adverts'],
  ['images', 'today.images'],
  ['reviews', 'today.reviews'],
  ['links', 'today.links'],
];

/** Where no index counts a list, counting stops here; more is shown as "99+". */
const COUNTED = 99;

/** The newest articles that are shown. */
const NEWEST = 6;

/** What is new on the site today and in the last 7 days, where the reader is, and its newest articles. */
export async function siteToday(c: C, api: ApiClient, now: number): Promise<Content> {
  const { translate, timeZone } = c.get('visit');
  const countsSince = (day: NamedDay) => {
    const from = dayNamed(timeZone, now, day);
    const query = new URLSearchParams({
      createdFrom: instantOfDay(timeZone, 'createdFrom', { format: 'date-time' }, from),
    });
    return Promise.all(BROUGHT.map(([kind]) => orUndefined(countOf(api, kind, query))));
  };
  const [newest, today, week] = await Promise.all([
    orUndefined(api.get<ItemPage>(`/articles?limit=${NEWEST}`)),
    countsSince('today'),
    countsSince('week'),
  ]);
  if (newest === undefined || newest.items.length === 0) return '';
  const icons = await iconsOf(api, { name: 'articles', key: 'guid' }, newest.items);
  const cards = BROUGHT.map(([kind, text], at) => {
    const [count, inWeek] = [today[at] ?? 0, week[at] ?? 0];
    const said = (number: number) => (number === COUNTED ? `${number}+` : String(number));
    return html`<li class="card"><a href="${HOME}/${kind}?createdFrom=today">
<strong>${said(count)}</strong>
${translate(text, { count })}</a>
<a class="hint" href="${HOME}/${kind}?createdFrom=week">${translate('today.week', { count: said(inWeek) })}</a></li>`;
  });
  return html`<section aria-labelledby="today"><h2 id="today">${translate('today.title')}</h2>
<ul class="cards counts">${cards}</ul>
<h3>${translate('today.newest')}</h3>
<ul class="news">${newest.items.map((item) =>
    newsItem(
      c,
      `${HOME}/articles/${segmentOf(String(item.guid))}`,
      String(item.caption),
      icons.get(String(item.guid)),
      item,
    ),
  )}</ul></section>`;
}

async function countOf(api: ApiClient, kind: string, query: URLSearchParams): Promise<number> {
  const { total, items } = await api.get<ItemPage>(`/${kind}?${query}&limit=1&total=true`);
  if (typeof total === 'number' || items.length === 0) return total ?? 0;
  return (await readOn(api, `/${kind}`, query, COUNTED)).items.length;
}

/** A record as a card: its picture, if it has one, and what it is called. */
export function newsItem(
  c: C,
  path: string,
  title: string,
  picture: string | undefined,
  item: Item,
): Html {
  const { translate } = c.get('visit');
  const shown = isSeen(title) ? cut(title, 80) : translate('app.noTitle');
  return html`<li><a href="${path}">${picture === undefined ? '' : thumb(picture)}<bdi>${shown}</bdi></a>
<span>${tag(translate, String(item.state))} ${ago(String(item.createdAt))}</span></li>`;
}

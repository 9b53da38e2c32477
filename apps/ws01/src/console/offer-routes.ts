import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { type ApiClient, apiFor, type ItemPage } from './api-client.ts';
import type { ConsolePageDeps } from './layout.ts';
import { nameOf } from './lists.ts';
import { kindsOf } from './names.ts';
import { CATEGORIES } from './offers.ts';
import { orUndefined } from './or-undefined.ts';
import type { ConsoleEnv } from './visit.ts';

/** The most that are offered of a kind. */
const MOST = 10;

/** The newest records whose categories are offered. */
const LOOKED_AT = 100;

/** The options of fields for the key of something: what there is, and what it is called. */
export function offerRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  app.get('/offers/:member', async (c) => {
    const words = (c.req.query('q') ?? '').trim().slice(0, 200);
    const all = await keysOffered(deps, c, c.req.param('member'), words);
    return c.html(
      html`${all.map(([key, name]) => html`<option value="${key}">${name === key ? '' : name}</option>`)}`,
    );
  });
  return app;
}

/** The keys that a member may have, each with what it is called, of what begins as or has the words. */
export async function keysOffered(
  deps: ConsolePageDeps,
  c: Context<ConsoleEnv>,
  member: string,
  words: string,
): Promise<readonly (readonly [key: string, name: string])[]> {
  const { translate } = c.get('visit');
  const api = apiFor(deps, c);
  const categories = CATEGORIES.has(member) ? await categoriesOf(api, member, words) : [];
  const offers = await Promise.all(
    kindsOf(member, {}).map(async (name) => {
      const kind = deps.kindsByName.get(name);
      const items = kind === undefined ? [] : await found(api, name, words);
      return items.map(
        (item) => [String(item[kind!.key]), nameOf(translate, kind!, item)] as const,
      );
    }),
  );
  return [...categories.map((key) => [key, key] as const), ...offers.flat()];
}

/** The newest records of a kind that have words, as far as the reader may read them. */
async function found(api: ApiClient, kind: string, words: string): Promise<ItemPage['items']> {
  const query = new URLSearchParams({ limit: String(MOST), ...(words !== '' && { q: words }) });
  return (await orUndefined(api.get<ItemPage>(`/${kind}?${query}`)))?.items ?? [];
}

/** The categories of the newest records that begin as what is typed, those with the most records first. */
async function categoriesOf(api: ApiClient, member: string, typed: string): Promise<string[]> {
  const path = `/${CATEGORIES.get(member)}?limit=${LOOKED_AT}`;
  const items = (await orUndefined(api.get<ItemPage>(path)))?.items ?? [];
  const keys = items.map((item) => String(item[member] ?? '')).filter((key) => key !== '');
  return [...Map.groupBy(keys, (key) => key)]
    .filter(([key]) => key.toLowerCase().startsWith(typed.toLowerCase()))
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([key]) => key)
    .slice(0, MOST);
}

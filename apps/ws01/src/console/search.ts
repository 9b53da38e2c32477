import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { mayActAs } from '../contract/roles.ts';
import { WS01 } from '../contract/service.ts';
import { lettersApart } from '../domain/values/letters-apart.ts';
import { COUNTED } from '../records/list.ts';
import { type ApiClient, apiFor, type ItemPage } from './api-client.ts';
import type { Catalog, Kind } from './catalog.ts';
import { callsPath } from './history.ts';
import { labelled } from './labelled.ts';
import { type Translate, translator } from './language.ts';
import type { ConsolePageDeps, Content, Html } from './layout.ts';
import { nameOf } from './lists.ts';
import { menuFor } from './menu.ts';
import { type Names, namesOf } from './names.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { personSummary } from './person-summary.ts';
import { listAsked } from './search-operators.ts';
import { dataTable } from './tables.ts';
import { cut } from './text.ts';
import { SETTING_TEXTS } from './texts/settings.ts';
import { addressText, shown, wordFor } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** Records shown per kind whose list has more. */
const SHOWN = 5;

/**
 * The search page: pages of the console that are called so, the record with the given key, and records of each kind
 * that contain the words.
 */
export function searchRoutes(deps: ConsolePageDeps, catalog: Catalog): Hono<ConsoleEnv> {
  const { show } = deps;
  const app = new Hono<ConsoleEnv>();
  app.get('/search', async (c) => {
    const { translate } = c.get('visit');
    const words = (c.req.query('q') ?? '').trim().slice(0, 200).toWellFormed();
    if (words === '')
      return show(c, {
        title: translate('search.title'),
        content: html`<p>${translate('app.search.hint')}</p><p>${translate('search.operators')}</p>`,
      });
    const api = apiFor(deps, c);
    const kinds = [...catalog.kinds.values()].filter(({ role }) =>
      mayActAs(c.get('admin').role, role),
    );
    const list = listAsked(c, kinds, words);
    if (list !== undefined) return c.redirect(list, 303);
    const [exact, calls] = await Promise.all([
      findEverywhere(api, kinds, words),
      callsOf(api, words),
    ]);
    const pages = pagesCalled(deps, c, catalog, words);
    const isKnown = calls.length > 0 || pages.length > 0 || exact.some(isHit);
    const near = isKnown ? undefined : await findNear(api, kinds, words);
    const found = near?.found ?? exact;
    const hits = found.filter(isHit);
    const names = await namesOf(api, [...calls, ...hits.flatMap(({ items }) => items)]);
    const parts = found.filter(({ isPart }) => isPart);
    const ofKind = (name: string) => hits.find(({ kind }) => kind.name === name)?.items ?? [];
    const about = { users: ofKind('users'), texts: ofKind('sms') };
    const person = await personSummary(c, api, words, about);
    const called = pagePart(c, pages);
    const isKey = hits[0] !== undefined && isMeant(hits[0], words);
    const isNothing = hits.length === 0 && calls.length === 0 && pages.length === 0;
    const nothing = parts.length > 0 ? 'search.nothingYet' : 'search.nothing';
    const told = isNothing || near !== undefined ? nothing : 'search.results';
    const asFilters = LIKE_FILTER.test(words) ? translate('search.operators') : '';
    const asNear = near === undefined ? '' : translate('search.near', { near: near.words });
    const advice = [asNear, isNothing ? asFilters : ''];
    const ways = isNothing ? waysOn(translate, kinds) : '';
    const content = html`${advice.map((text) => text && html`<p>${text}</p>`)}${ways}
${person}${isKey ? '' : called}${callTable(c, calls, names)}${hits.map((hit) => hitList(c, near?.words ?? words, hit, names))}${isKey ? called : ''}
${parts.length === 0 ? '' : lookOn(c, words, parts)}${auditWay(translate, kinds, words)}`;
    const asked = cut(words, 60);
    const title = translate(told, { words: asked });
    const tab = `${asked} – ${translate('search.title')}`;
    // By keyboard the first thing that was found is the next stop.
    return show(c, { title, tab, content, focus: true });
  });
  return app;
}

/**
 * Pages of the menu, settings, and calls of an operation, whose names have the words, in either
 * language.
 */
export function pagesCalled(
  { servicePath }: ConsoleDeps,
  c: C,
  catalog: Catalog,
  words: string,
): readonly { readonly path: string; readonly text: string }[] {
  const { role } = c.get('admin');
  const visit = c.get('visit');
  const menuIn = (translate: Translate) =>
    menuFor({ ...visit, translate }, role, catalog, servicePath).flatMap(({ links }) => links);
  const inEnglish = menuIn(translator('en'));
  const inChinese = menuIn(translator('zh'));
  const menu = menuIn(visit.translate).map((link, at) => {
    return { ...link, names: [inEnglish[at]!.text, inChinese[at]!.text] };
  });
  const settings = Object.entries(role === 'owner' ? SETTING_TEXTS : {}).map(
    ([variable, [english, chinese]]) => ({
      path: `${HOME}/settings/${variable}`,
      text: visit.language === 'zh' ? chinese : english,
      names: [english, chinese, variable],
    }),
  );
  const operations = WS01.operations.map(({ name }) => ({
    path: callsPath({ range: '7d', operation: name }),
    text: labelled(visit.translate, visit.translate('overview.calls'), name),
    names: [name],
  }));
  const spacedOut = (text: string) => text.toLowerCase().replaceAll('_', ' ');
  const asked = spacedOut(words).match(/\S+/g) ?? [words];
  const isCalled = (name: string) => {
    const spaced = ` ${spacedOut(name)}`;
    // Words of Chinese have nothing between them.
    return asked.every((word) =>
      spaced.includes(/^\p{Script=Han}/u.test(word) ? word : ` ${word}`),
    );
  };
  return [...menu, ...settings, ...operations]
    .filter(({ names }) => names.some(isCalled))
    .slice(0, SHOWN);
}

function pagePart(c: C, pages: ReturnType<typeof pagesCalled>): Content {
  if (pages.length === 0) return '';
  const links = pages.map(({ path, text }) => html`<li><a href="${path}">${text}</a></li>`);
  return html`<section aria-labelledby="s-pages"><h2 id="s-pages">${c.get('visit').translate('search.pages')}</h2>
<ul class="hits">${links}</ul></section>`;
}

/** What looks like a filter, and is neither the address of a page nor of a machine. */
const LIKE_FILTER = /(?:^|\s)\p{L}+[:：][^/]/u;

/** Reads the logged calls with a request id. */
async function callsOf(api: ApiClient, words: string): Promise<readonly Item[]> {
  const page = await orUndefined(api.get<{ items: readonly Item[] }>(`/calls/${segmentOf(words)}`));
  return page?.items ?? [];
}

function callTable(c: C, calls: readonly Item[], names: Names): Content {
  const { translate, language } = c.get('visit');
  if (calls.length === 0) return '';
  // What is looked for comes first: on a phone the rest is beside the page.
  const columns = [
    'operation',
    'status',
    'error',
    'reason',
    'at',
    'binding',
    'ms',
    'address',
    'userId',
  ];
  if (mayActAs(c.get('admin').role, 'owner')) columns.push('tokenId');
  return html`<section aria-labelledby="s-calls"><h2 id="s-calls">${translate('search.calls')}</h2>
${dataTable(
  translate('search.calls'),
  columns.map((name) => wordFor(translate, 'field', name)),
  calls.map((item) =>
    columns.map((name) =>
      shown(
        {
          translate,
          language,
          names,
          short: true,
          item: name === 'reason' && item.error !== null ? item : {},
        },
        name,
        name === 'at' ? { format: 'date-time' } : undefined,
        item[name],
      ),
    ),
  ),
)}</section>`;
}

/** What the search of the API answers. */
interface FoundKeys {
  readonly items: readonly {
    readonly kind: string;
    readonly key: string;
    readonly title: string | null;
    readonly matched: string;
  }[];
  readonly further: readonly string[];
}

/** Asks the search of the API. */
export const findKeys = (api: ApiClient, words: string): Promise<FoundKeys> =>
  api.get<FoundKeys>(`/search?q=${encodeURIComponent(words)}`);

/** What is shown of a kind. */
interface Found {
  readonly kind: Kind;
  readonly items: readonly Item[];
  /** How many its list finds, where that goes on; null where nothing counts them. */
  readonly total: number | null;
  /** Whether there is more to look through. */
  readonly isPart: boolean;
}

/**
 * Asks the search of the API, and reads what it found: of a kind whose list goes on, the first few.
 * @returns the kinds in the order of their first records; the one with that very key is first.
 */
async function findEverywhere(
  api: ApiClient,
  kinds: readonly Kind[],
  words: string,
): Promise<readonly Found[]> {
  const { items, further } = await findKeys(api, words);
  const all: Found[] = [];
  // One kind after the other: of more than a hundred reads at once SQLite refuses some.
  for (const kind of kinds) {
    const keys = items.filter((hit) => hit.kind === kind.name).map(({ key }) => key);
    const total = keys.length > SHOWN ? await totalOf(api, kind, words) : 0;
    // A list that finds fewer by the words cannot go on: the search also knows phone numbers.
    const goesOn = total === null || total >= keys.length;
    const some = new Set([words, ...keys.slice(0, goesOn ? SHOWN : keys.length)]);
    const found = await Promise.all(
      [...some].map((key) => orUndefined<Item>(api.get(`/${kind.name}/${segmentOf(key)}`))),
    );
    const isPart = further.includes(kind.name);
    const there = found.filter((one) => one !== undefined);
    all.push({ kind, items: there, total: goesOn ? total : 0, isPart });
  }
  const placeOf = (found: Found) => {
    const first = items.findIndex((hit) => hit.kind === found.kind.name);
    return isMeant(found, words) ? -1 : first === -1 ? items.length : first;
  };
  return all.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** Whether the record with the very key is there. */
const isMeant = ({ kind, items }: Found, words: string): boolean =>
  items.some((item) => item[kind.key] === words);

/** How many records the list of a kind finds by words; null where nothing counts them. */
async function totalOf(api: ApiClient, kind: Kind, words: string): Promise<number | null> {
  if (!kind.hasSearch) return 0;
  const query = new URLSearchParams({ q: words, total: 'true', limit: '1' });
  return (await api.get<ItemPage>(`/${kind.name}?${query}`)).total ?? null;
}

const isHit = ({ items }: Found): boolean => items.length > 0;

/**
 * How many letters are taken off the end of each word where nothing was found, one after the other.
 * A word keeps three quarters, and five letters: what is left of "theme" must not be "the".
 */
const LEFT_OUT = [1, 2, 3];
const LEAST_KEPT = 5;
const keptOf = (letters: number) => Math.max(LEAST_KEPT, Math.ceil((letters * 3) / 4));

/** So short words are taken as they are; in words of twice as many letters one may be wrong. */
const SHORT = 3;

/** Only such words may have wrong letters. */
export const HAS_LETTERS_ALONE = /^[\p{L}\s]+$/u;

/**
 * What is called, or begins, nearly as the words do: "bycicle" finds a bicycle; `undefined` where
 * nothing does.
 */
async function findNear(
  api: ApiClient,
  kinds: readonly Kind[],
  words: string,
): Promise<{ readonly words: string; readonly found: readonly Found[] } | undefined> {
  if (!HAS_LETTERS_ALONE.test(words)) return undefined;
  const all = words.split(/\s+/);
  const shorter = LEFT_OUT.map((count) =>
    all
      .map((word) => [...word])
      .map((letters) =>
        letters.slice(0, Math.max(keptOf(letters.length), letters.length - count)).join(''),
      )
      .join(' '),
  );
  const called = await calledNearly(api, all);
  const tried = new Set([words]);
  for (const near of [called ?? words, ...shorter]) {
    if (tried.has(near)) continue;
    tried.add(near);
    const found = await findEverywhere(api, kinds, near);
    if (found.some(isHit)) return { words: near, found };
  }
  return undefined;
}

/** The words, of those that the newest records with the same first letters are called by. */
export async function calledNearly(
  api: ApiClient,
  words: readonly string[],
): Promise<string | undefined> {
  const { items } = await findKeys(api, words.map((word) => [...word][0]).join(' '));
  const names = items.map(({ title }) => title ?? '').join(' ');
  const known = [...new Set(names.toLowerCase().match(/\p{L}+/gu))];
  const near = words.map((word) => nearestOf(word.toLowerCase(), known));
  return near.includes(undefined) ? undefined : near.join(' ');
}

/** The word that is at most two letters apart, of a short one at most one. */
function nearestOf(word: string, known: readonly string[]): string | undefined {
  if (word.length <= SHORT) return word;
  const most = word.length <= 2 * SHORT ? 1 : 2;
  const apart = known.map((one) => [one, lettersApart(word, one, most)] as const);
  const near = apart.filter(([, letters]) => letters <= most);
  return near.toSorted(([, one], [, other]) => one - other)[0]?.[0];
}

/** Says how words are found, and leads to the lists that were searched. */
function waysOn(translate: Translate, kinds: readonly Kind[]): Html {
  const links = kinds
    .filter(({ name, hasSearch }) => hasSearch && name !== 'audit')
    .map(({ name }) => {
      const text = wordFor(translate, 'kind', name);
      return html`<li><a class="chip" href="${HOME}/${name}">${text}</a></li>`;
    });
  return html`<p>${translate('search.looked')}</p><ul class="chips">${links}</ul>`;
}

/** Leads to the list of the audit trail, where these words are looked for in all entries. */
function auditWay(translate: Translate, kinds: readonly Kind[], words: string): Content {
  if (!kinds.some(({ name }) => name === 'audit')) return '';
  const path = `${HOME}/audit?q=${encodeURIComponent(words)}`;
  const text = translate('search.audit', { words: cut(words, 60) });
  return html`<p class="hint"><a href="${path}">${text}</a></p>`;
}

/** Says which kinds have more to look through, with links that go on there. */
function lookOn(c: C, words: string, parts: readonly { kind: Kind }[]): Content {
  const { translate } = c.get('visit');
  const links = parts.map(
    ({ kind }) =>
      html`<li><a href="${HOME}/${kind.name}?q=${encodeURIComponent(words)}">${wordFor(translate, 'kind', kind.name)}</a></li>`,
  );
  return html`<div class="notice">${translate('search.part')}<ul>${links}</ul></div>`;
}

/**
 * Members that say how it stands with a record, and when it came; the first that its kind has
 * counts.
 */
export const STATES = ['operation', 'state', 'status', 'step', 'targetKey'];
const TIMES = ['createdAt', 'at'];

/** Shows the first of some members that a record has. */
export function beside(
  c: C,
  { fields }: Kind,
  item: Item,
  members: readonly string[],
  names?: Names,
): Content {
  const member = members.find((one) => one in fields && item[one] != null);
  if (member === undefined) return '';
  const { translate } = c.get('visit');
  const showing = { translate, short: true, item, ...(names !== undefined && { names }) };
  return shown(showing, member, fields[member], item[member]);
}

function hitList(c: C, words: string, { kind, items, total }: Found, names: Names): Content {
  const { translate } = c.get('visit');
  const name = wordFor(translate, 'kind', kind.name);
  const hit = (item: Item) => {
    const path = `${HOME}/${kind.name}/${segmentOf(String(item[kind.key]))}`;
    const called = nameOf(translate, kind, item, names);
    const text = /^https?:\/\/\S+$/.test(called) ? addressText(called) : called;
    return html`<li><a href="${path}">${text}</a>
${beside(c, kind, item, STATES, names)} ${beside(c, kind, item, TIMES, names)}</li>`;
  };
  return html`<section aria-labelledby="s-${kind.name}"><h2 id="s-${kind.name}">${name}</h2>
<ul class="hits">${items.map(hit)}</ul>
${total === 0 ? '' : html`<p><a href="${HOME}/${kind.name}?q=${encodeURIComponent(words)}">${allOf(translate, name, total)}</a></p>`}
</section>`;
}

/** What the link to all of a kind says. @param total how many there are; null for more than were counted. */
function allOf(translate: Translate, kind: string, total: number | null): string {
  if (total === null) return translate('search.allMore', { kind, count: SHOWN });
  const count = Math.min(total, COUNTED);
  return translate(total > COUNTED ? 'search.allMore' : 'search.allOf', { kind, count });
}

import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { mayActAs } from '../contract/roles.ts';
import { type ApiClient, apiFor } from './api-client.ts';
import type { Catalog, Kind } from './catalog.ts';
import type { ConsolePageDeps, Content, Html } from './layout.ts';
import { nameOf } from './lists.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import {
  beside,
  calledNearly,
  findKeys,
  HAS_LETTERS_ALONE,
  pagesCalled,
  STATES,
} from './search.ts';
import { OPERATOR } from './search-operators.ts';
import { oneOf } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** The most pages, records, and records of a kind, that are suggested. */
const PAGES = 3;
const RECORDS = 5;
const OF_KIND = 3;

/**
 * Suggests where one may go by what is typed, as options of the box: pages that are called so, then
 * records that the search of the API finds with one request.
 */
export async function suggestions(
  deps: ConsolePageDeps,
  c: C,
  catalog: Catalog,
  typed: string,
): Promise<readonly Html[]> {
  const words = wordsOf(typed);
  if (words === '') return [];
  const { translate } = c.get('visit');
  const pages = pagesCalled(deps, c, catalog, words)
    .slice(0, PAGES)
    .map(({ path, text }) => option(path, text, translate('search.page')));
  const ways = [...pages, ...(await recordsFor(deps, c, words))];
  return ways.length > 0 ? ways : nearly(deps, c, words);
}

/** Where nothing is found: the search for the nearest words that records are called by. */
async function nearly(deps: ConsolePageDeps, c: C, words: string): Promise<readonly Html[]> {
  if (!HAS_LETTERS_ALONE.test(words)) return [];
  const near = await calledNearly(apiFor(deps, c), words.split(/\s+/));
  if (near === undefined || near === words.toLowerCase()) return [];
  const path = `${HOME}/search?q=${encodeURIComponent(near)}`;
  return [option(path, c.get('visit').translate('search.didYouMean', { near }), '')];
}

/** The option that leads to all that is found; none where nothing is searched. */
export function allResults(c: C, typed: string): readonly Html[] {
  const words = wordsOf(typed);
  const path = `${HOME}/search?q=${encodeURIComponent(words)}`;
  return words === ''
    ? []
    : [option(path, c.get('visit').translate('search.everything', { words }), '⏎')];
}

/** What is searched by what is typed: words with a filter, `state:pending`, ask for a list. */
function wordsOf(typed: string): string {
  const words = typed.trim().slice(0, 200).toWellFormed();
  return words.split(/\s+/).some((word) => OPERATOR.test(word)) ? '' : words;
}

/** The records that the search of the API has first; only these are read, by their keys. */
async function recordsFor(deps: ConsolePageDeps, c: C, words: string): Promise<readonly Html[]> {
  const { role } = c.get('admin');
  const api = apiFor(deps, c);
  const { items } = await findKeys(api, words);
  const ofKind = new Map<string, number>();
  const isOfFew = ({ kind }: (typeof items)[0]) => {
    const count = (ofKind.get(kind) ?? 0) + 1;
    ofKind.set(kind, count);
    return count <= OF_KIND;
  };
  const few = items
    .filter(isOfFew)
    .flatMap(({ kind: name, key }) => {
      const kind = deps.kindsByName.get(name);
      return kind !== undefined && mayActAs(role, kind.role) ? [{ kind, key }] : [];
    })
    .slice(0, RECORDS);
  const found = await Promise.all(few.map((hit) => recordOption(c, api, hit)));
  return found.filter((one) => one !== undefined);
}

async function recordOption(
  c: C,
  api: ApiClient,
  { kind, key }: { readonly kind: Kind; readonly key: string },
): Promise<Html | undefined> {
  const { translate } = c.get('visit');
  const path = `/${kind.name}/${segmentOf(key)}`;
  const item = await orUndefined(api.get<Item>(path));
  if (item === undefined) return undefined;
  const about = html`${oneOf(translate, kind.name)} ${beside(c, kind, item, STATES)}`;
  return option(`${HOME}${path}`, nameOf(translate, kind, item), about);
}

const option = (path: string, name: string, about: Content): Html =>
  html`<li role="option" data-url="${path}"><bdi>${name}</bdi> <span>${about}</span></li>`;

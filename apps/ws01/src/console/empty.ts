import type { Context } from 'hono';
import { html } from 'hono/html';
import type { OperationName } from '../contract/service.ts';
import { TAGS } from '../web/language.ts';
import type { Kind } from './catalog.ts';
import { createLink } from './create.ts';
import type { Content, Html } from './layout.ts';
import { filtersOf } from './list-filters.ts';
import { withSettings } from './setting-links.ts';
import { cut } from './text.ts';
import { en, type TextKey } from './texts/en.ts';
import { oneOf, wordFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** What fills lists that nobody fills here: a call of an app. */
const CALLS: Readonly<Record<string, OperationName>> = {
  codes: 'CreateVerifyCode',
  inbox: 'SendEmail',
  mails: 'SendEmail',
  queues: 'SendEmail',
  reviews: 'submitReview',
  sms: 'CreateVerifyCode',
};

/** A list without records: what it is for, and the button that makes the first; or that nothing meets the filters. */
export function emptyList(c: C, kind: Kind, isFiltered: boolean): Html {
  const { translate } = c.get('visit');
  if (!isFiltered) return emptyPart(c, kind.name, createLink(c, kind));
  const filters = filtersOf(c, kind);
  const { q: words = '' } = filters;
  const said = { kind: oneOf(translate, kind.name), words: cut(words, 60) };
  const all = [wayToAll(c, kind), ...(words === '' ? [] : [wayToSearch(c, words)])];
  const ways = html`<ul class="chips">${all.map((way) => html`<li>${way}</li>`)}</ul>`;
  if (Object.keys(filters).length === 0) return emptyBox(translate('list.empty'), ways);
  const isByWords = words !== '' && Object.keys(filters).length === 1;
  return emptyBox(translate(isByWords ? 'list.noneHas' : 'list.noneMeets', said), ways);
}

/** Leads to the whole list of a kind. */
export function wayToAll(c: C, { name }: Pick<Kind, 'name'>): Html {
  const { translate } = c.get('visit');
  const kind = wordFor(translate, 'kind', name);
  const called = kind.charAt(0).toLowerCase() + kind.slice(1);
  return html`<a href="${HOME}/${name}">${translate('list.all', { kind: called })}</a>`;
}

/** Leads to a search of everything for words. */
export const wayToSearch = (c: C, words: string): Html =>
  html`<a href="${HOME}/search?q=${encodeURIComponent(words)}">${c.get('visit').translate('list.everywhere', { words: cut(words, 60) })}</a>`;

/** A page with nothing on it yet: what it is for, and the button that begins. @param made what makes the first here. */
export function emptyPart(c: C, name: string, made: Content = ''): Html {
  const { translate } = c.get('visit');
  const key = `empty.${name}`;
  const about = translate(Object.hasOwn(en, key) ? (key as TextKey) : 'list.empty');
  return emptyBox(withSettings(c, about), made === '' ? callLink(c, name) : made);
}

const emptyBox = (about: Content, way: Content): Html =>
  html`<div class="empty" id="records" tabindex="-1"><p>${about}</p>
${way}</div>`;

/** Leads to how an app makes the call that fills a list. */
function callLink(c: C, name: string): Content {
  const { translate, language, servicePath } = c.get('visit');
  const operation = CALLS[name];
  if (operation === undefined) return '';
  const path = `${servicePath}?lang=${TAGS[language]}&op=${operation}`;
  return html`<a class="button" href="${path}">${translate('empty.call', { operation })}</a>`;
}

import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import { type FieldSchema, type Kind, seenBy, sortsFor } from './catalog.ts';
import { dayNamed, instantOfDay, isNamedDay, NAMED_DAYS, type NamedDay } from './days.ts';
import { icon } from './icons.ts';
import { labelled } from './labelled.ts';
import type { Translate } from './language.ts';
import { type Content, folded, type Html, time } from './layout.ts';
import { LIVE } from './live.ts';
import { offered } from './offers.ts';
import { cut } from './text.ts';
import type { TextKey } from './texts/en.ts';
import { TOLD } from './told-once.ts';
import { fieldFor, wordFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** What a list is narrowed by; the list may be of several kinds. */
export type Filtered = Pick<Kind, 'name' | 'filters' | 'sorts' | 'sort' | 'hasSearch'>;

/** Returns the parameters of a request that the API knows and that have a value. */
export function queryOf(c: C, kind: Filtered, now: number): URLSearchParams {
  const { timeZone } = c.get('visit');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(c.req.query())) {
    if (name === 'limit' || value === '' || !isKnown(c, kind, name, value)) continue;
    const schema = kind.filters[name];
    const day = isDate(schema) ? dayNamed(timeZone, now, value) : value;
    query.set(name, instantOfDay(timeZone, name, schema, day));
  }
  return query;
}

/** What the named days are called. */
export const DAY_TEXTS = {
  today: 'list.today',
  week: 'list.week',
  month: 'list.month',
} as const satisfies Record<NamedDay, TextKey>;

const isDate = (schema: FieldSchema | undefined) => schema?.format === 'date-time';

const isInstant = (value: string) => value.includes('T') && !Number.isNaN(Date.parse(value));

/** Whether a parameter is one of this list, for this role. */
export function isKnown(
  c: C,
  { filters, sorts, hasSearch }: Filtered,
  name: string,
  value: string,
): boolean {
  const { role } = c.get('admin');
  if (name === 'sort') return sortsFor(role, { filters, sorts }).includes(value);
  if (name === 'limit') return SIZES.some((size) => String(size) === value);
  if (name === 'cursor' || (name === 'q' && hasSearch)) return true;
  return Object.hasOwn(seenBy(role, filters), name);
}

/** The parameter with the pages before this one. */
export const TRAIL = 'trail';

/** The parameters of a list's own address, without what belongs to this page alone. */
export function ownQuery(c: C): Record<string, string> {
  const own = Object.entries(c.req.query());
  const isOwn = ([name, value]: [string, string]) => name !== TOLD && name !== LIVE && value !== '';
  return Object.fromEntries(own.filter(isOwn));
}

/** How many records a page may have; the second is usual. */
const SIZES = [25, 50, 100];

/** How many records a page of the list has. */
export function sizeOf(c: C): number {
  const usual = c.get('visit').isNarrow ? SIZES[0]! : SIZES[1]!;
  return SIZES.find((size) => String(size) === c.req.query('limit')) ?? usual;
}

/** Links to pages with fewer or more records. */
export function sizeLinks(c: C, kind: Kind): Html {
  const { cursor: _, [TRAIL]: __, ...own } = ownQuery(c);
  const links = SIZES.map(
    (size) =>
      html` <a href="${pathOf(kind, { ...own, limit: String(size) })}"${
        size === sizeOf(c) ? raw(' aria-current="true"') : ''
      }>${size}</a>`,
  );
  return html`<span class="per-page">${c.get('visit').translate('list.perPage')}${links}</span>`;
}

const pathOf = ({ name }: Filtered, query: Record<string, string>) =>
  `${HOME}/${name}?${new URLSearchParams(query)}`;

/** What the address narrows the list by. */
export function filtersOf(c: C, kind: Filtered): Readonly<Record<string, string>> {
  const { cursor: _, [TRAIL]: __, sort: ___, limit: ____, ...own } = ownQuery(c);
  const isFilter = ([name, value]: [string, string]) => isKnown(c, kind, name, value);
  return Object.fromEntries(Object.entries(own).filter(isFilter));
}

/** What the list is narrowed by, each with a link that leaves it out. */
export function chips(c: C, kind: Filtered): Content {
  const { translate } = c.get('visit');
  const { cursor: _, [TRAIL]: __, ...own } = ownQuery(c);
  const set = Object.entries(filtersOf(c, kind));
  if (set.length === 0) return '';
  const without = (names: readonly string[]) =>
    pathOf(kind, Object.fromEntries(Object.entries(own).filter(([name]) => !names.includes(name))));
  const chip = ([name, value]: [string, string]) => {
    const word = name === 'q' ? translate('list.words') : wordFor(translate, 'field', name);
    const told = html`<bdi>${valueText(c, kind.filters[name], value)}</bdi>`;
    const text = labelled(translate, word, told);
    return html`<li><a class="chip" href="${without([name])}"><span class="hidden">${translate('list.without')}
</span>${text} <span aria-hidden="true">×</span></a></li>`;
  };
  const all = without(set.map(([name]) => name));
  const none = html`<li><a href="${all}">${translate('list.clear')}</a></li>`;
  return html`<ul class="chips">${set.map(chip)}${set.length < 2 ? '' : none}${zoneOfDays(c, kind)}</ul>`;
}

/** Says whose days they are, where a day is chosen. */
function zoneOfDays(c: C, kind: Filtered): Content {
  const { translate, timeZone } = c.get('visit');
  const isDay = ([name, value]: [string, string]) =>
    isDate(kind.filters[name]) && !value.includes('T');
  if (!Object.entries(filtersOf(c, kind)).some(isDay)) return '';
  return html`<li class="hint">${translate('list.zone', { zone: timeZone })}</li>`;
}

/** The value of a filter in words. */
function valueText(c: C, schema: FieldSchema | undefined, value: string): Content {
  const { translate } = c.get('visit');
  if (isDate(schema) && isNamedDay(value)) return translate(DAY_TEXTS[value]);
  if (isDate(schema) && value.includes('T')) return time(value);
  return spoken(translate, schema, value) ?? cut(value, 60);
}

/** A word that a filter can have, as people say it; `undefined` for any text. */
function spoken(translate: Translate, schema: FieldSchema | undefined, word: string) {
  if (schema?.type === 'boolean') return translate(word === 'true' ? 'app.yes' : 'app.no');
  return schema?.enum?.includes(word) ? wordFor(translate, 'value', word) : undefined;
}

/**
 * Says which parameters of the address are no filters of this list: what is shown is not narrowed
 * by them.
 */
export function unknownFilters(c: C, kind: Kind): Content {
  const { translate } = c.get('visit');
  const unknown = Object.entries(ownQuery(c))
    .filter(([name, value]) => name !== TRAIL && !isKnown(c, kind, name, value))
    .map(([name, value]) => (name === 'sort' ? `sort=${value}` : name));
  const names = unknown.join(', ').slice(0, 200);
  const known = Object.fromEntries(
    Object.entries(ownQuery(c)).filter(([name, value]) => isKnown(c, kind, name, value)),
  );
  return unknown.length === 0
    ? ''
    : html`<p class="problem" role="alert">${translate('list.unknown', { names })}
<a href="${pathOf(kind, known)}">${translate('list.leaveOut')}</a></p>`;
}

/** Links to what was created lately. */
export function rangeLinks(c: C, kind: Filtered): Content {
  if (!('createdFrom' in kind.filters)) return '';
  const { translate } = c.get('visit');
  const { cursor: _, [TRAIL]: __, createdTo: ___, ...own } = ownQuery(c);
  const links = NAMED_DAYS.map(
    (createdFrom) =>
      html`<a href="${pathOf(kind, { ...own, createdFrom })}"${
        own.createdFrom === createdFrom ? raw(' aria-current="true"') : ''
      }>${translate(DAY_TEXTS[createdFrom])}</a> `,
  );
  return html`<p class="hint ranges">${links}</p>`;
}

/** Of more filters the last stand folded: a list begins in view. */
const MOST_FILTERS = 6;

/** The form of the filters; on a phone it is folded. */
export function filterForm(c: C, kind: Filtered): Content {
  const { translate, isNarrow } = c.get('visit');
  const own = c.req.query();
  const here = `${HOME}/${kind.name}`;
  const { role } = c.get('admin');
  const filters = Object.entries(seenBy(role, kind.filters));
  const sorts = sortsFor(role, kind);
  if (!kind.hasSearch && filters.length === 0 && sorts.length < 3) return '';
  // On a wide page the headings are links to the orders.
  const kept = (name: 'sort' | 'limit') =>
    own[name] === undefined ? '' : html`<input type="hidden" name="${name}" value="${own[name]}">`;
  const field = ([name, schema]: (typeof filters)[number]) =>
    filterField(c, name, schema, own[name] ?? '');
  const shown = filters.length > MOST_FILTERS ? MOST_FILTERS - 2 : filters.length;
  const more = filters.slice(shown);
  const isOpen = more.some(([name]) => own[name]);
  const sorted = own.sort ?? kind.sort;
  const form = html`<form class="filters" action="${here}" novalidate hx-get="${here}" hx-target="#list" hx-select="#list"
hx-swap="outerHTML" hx-push-url="true" hx-sync="this:replace">
${
  kind.hasSearch
    ? html`<div><label for="f-q">${translate('list.words')}</label>
<input id="f-q" name="q" type="search" value="${own.q ?? ''}" maxlength="200" autocomplete="off"
data-completions="${HOME}/completions?list=${kind.name}"></div>`
    : ''
}
${filters.slice(0, shown).map(field)}
${
  !isNarrow || sorts.length < 3
    ? kept('sort')
    : html`<div><label for="f-sort">${translate('list.sort')}</label><select id="f-sort" name="sort">${sorts.map(
        (sort) =>
          html`<option value="${sort === kind.sort ? '' : sort}"${sorted === sort ? raw(' selected') : ''}>${
            sort.startsWith('-') ? '↓ ' : '↑ '
          }${fieldFor(translate, kind.name, sort.replace('-', ''))}</option>`,
      )}</select></div>`
}
${kept('limit')}
<button>${icon('app', 'filter')}${translate('list.filter')}</button>
${
  more.length === 0
    ? ''
    : html`<details${isOpen ? raw(' open') : ''}><summary>${translate('list.moreFilters')}</summary>
<div class="filters-rest">${more.map(field)}</div></details>`
}
</form>`;
  return folded('filters', translate('list.filters'), form);
}

function filterField(c: C, name: string, schema: FieldSchema, value: string): Html {
  const { translate } = c.get('visit');
  const { format, enum: words, type } = schema;
  const label = html`<label for="f-${name}">${wordFor(translate, 'field', name)}</label>`;
  const choices = words ?? (type === 'boolean' ? ['true', 'false'] : undefined);
  if (choices !== undefined) {
    const option = (word: string) => {
      const selected = word === value ? raw(' selected') : '';
      return html`<option value="${word}"${selected}>${spoken(translate, schema, word)}</option>`;
    };
    return html`<div>${label}<select id="f-${name}" name="${name}">
<option value="">${translate('list.any')}</option>${choices.map((word) => word !== null && option(word))}</select></div>`;
  }
  if (format === 'date-time' && (isNamedDay(value) || isInstant(value)))
    return noDateField(c, label, name, value);
  const kind = format === 'date-time' ? 'date' : 'text';
  const offers = offered(name, `f-${name}`);
  return html`<div>${label}<input id="f-${name}" name="${name}" type="${kind}"
value="${value}" maxlength="400" spellcheck="false"${offers.attributes}>${offers.list}</div>`;
}

/**
 * The field of a day that has a name, such as today, or of an instant, such as a point of a chart.
 * As a date the one would be another day tomorrow, and the other a whole day.
 */
function noDateField(c: C, label: Html, name: string, value: string): Html {
  const { translate, timeZone } = c.get('visit');
  const shownAs = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const;
  const called = (day: string) =>
    isNamedDay(day)
      ? translate(DAY_TEXTS[day])
      : // As `2026-11-27 16:00`, which every language reads.
        new Intl.DateTimeFormat('sv', shownAs).format(Date.parse(day));
  const option = (day: string) =>
    html`<option value="${day}"${day === value ? raw(' selected') : ''}>${called(day)}</option>`;
  const days = isNamedDay(value) ? NAMED_DAYS : [value];
  return html`<div>${label}<select id="f-${name}" name="${name}">
<option value="">${translate('list.any')}</option>${days.map(option)}</select></div>`;
}

/** The parameter by which the page of a message knows the filter of the inbox that led to it. */
const INBOX = 'inbox';

/** What the address of a message says of the inbox that leads to it. */
export const fromInbox = (c: C): URLSearchParams =>
  new URLSearchParams({ [INBOX]: String(new URLSearchParams(ownQuery(c))) });

/** The way back to the inbox, narrowed as it was; empty for who came from elsewhere. */
export function wayToInbox(c: C): Content {
  const filter = c.req.query(INBOX);
  if (filter === undefined) return '';
  const own = new URLSearchParams(filter);
  const path = `${HOME}/inbox${own.size === 0 ? '' : `?${own}`}`;
  return html`<a href="${path}">← ${c.get('visit').translate('nav.inbox')}</a> `;
}

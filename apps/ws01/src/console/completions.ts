import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { mayActAs } from '../contract/roles.ts';
import { type Catalog, type FieldSchema, type Kind, seenBy } from './catalog.ts';
import { NAMED_DAYS } from './days.ts';
import { labelled } from './labelled.ts';
import type { ConsolePageDeps } from './layout.ts';
import { DAY_TEXTS } from './list-filters.ts';
import { keysOffered } from './offer-routes.ts';
import { isWordFor, kindNamed, namesOfFilter, namesOfKind, OPERATOR } from './search-operators.ts';
import { allResults, suggestions } from './suggestions.ts';
import { wordFor } from './values.ts';
import type { ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;

/** The most that are offered besides all results; what is suggested leaves room for two filters. */
const MOST = 10;

/** A way to go on with what is typed. */
interface Completion {
  /**
   * What stands in the place of the last word: `state:pending`; with a colon at its end a value
   * follows.
   */
  readonly token: string;
  /** What it means, in words of the page. */
  readonly label: string;
}

/**
 * Offers where one may go by what somebody types into the search box, then kinds, filters and their
 * values for its last word.
 */
export function completionRoutes(deps: ConsolePageDeps, catalog: Catalog): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  app.get('/completions', async (c) => {
    const typed = (c.req.query('q') ?? '').slice(0, 400).toWellFormed();
    const role = c.get('admin').role;
    const kinds = [...deps.kindsByName.values()].filter((kind) => mayActAs(role, kind.role));
    const own = kinds.find(({ name }) => name === c.req.query('list'));
    const [, before = '', last = ''] = /^(.*\s)?(\S*)$/su.exec(typed) ?? [];
    const kind = own ?? kindNamed(kinds, before.split(/\s+/));
    const offers = kind === undefined ? ofAll(c, kinds, last) : await ofKind(deps, c, kind, last);
    const unique = new Map(offers.map((one) => [one.token, one]));
    unique.delete(last);
    const suggested = own === undefined ? await suggestions(deps, c, catalog, typed) : [];
    const syntax = [...unique.values()].map(({ token, label }) => {
      const value = `${before}${token}${/[:：]$/u.test(token) ? '' : ' '}`;
      return html`<li role="option" data-value="${value}">
<bdi>${label}</bdi> <code>${token}</code></li>`;
    });
    const ways = [...suggested, ...syntax].slice(0, MOST);
    const isOnTheWay = own === undefined && ways.length > 0;
    const shown = isOnTheWay ? [...ways, ...allResults(c, typed)] : ways;
    const said = c.get('visit').translate('search.offered', { count: shown.length });
    return c.html(html`${shown.length === 0 ? '' : html`<p data-said="${said}"></p>`}${shown}`);
  });
  return app;
}

/** Where no kind is named yet: kinds, and filters and values with their kind. */
function ofAll(c: C, kinds: readonly Kind[], last: string): readonly Completion[] {
  const { translate } = c.get('visit');
  const word = written(wordFor(translate, 'field', 'kind'));
  const called = (kind: Kind) => ({
    token: `${word}:${written(wordFor(translate, 'kind', kind.name))}`,
    label: wordFor(translate, 'kind', kind.name),
  });
  const [, name, value] = OPERATOR.exec(last) ?? [];
  const begun = name !== undefined && isWordFor(name, 'kind') ? value! : last;
  const named = kinds.filter(({ name: kind }) => begins(namesOfKind(kind), begun)).map(called);
  if (last === '' || (begun === value && name !== undefined)) return named;
  const inKinds = kinds.flatMap((kind) =>
    filterOffers(c, kind, last).map(({ token, label }) => ({
      token: `${called(kind).token} ${token}`,
      label: labelled(translate, called(kind).label, label),
    })),
  );
  return [...named, ...inKinds];
}

/** Where a kind is named: its filters and their values, also keys of what there is. */
async function ofKind(
  deps: ConsolePageDeps,
  c: C,
  kind: Kind,
  last: string,
): Promise<readonly Completion[]> {
  const { translate } = c.get('visit');
  const offers = filterOffers(c, kind, last);
  const [, name, value = ''] = OPERATOR.exec(last) ?? [];
  const found = filtersOf(c, kind).find(
    ([member]) => name !== undefined && begins(namesOfFilter(member), name, true),
  );
  if (found === undefined || offers.length > 0) return offers;
  const [member] = found;
  const keys = await keysOffered(deps, c, member, value);
  return keys.flatMap(([key = '', called = '']) =>
    /\s/.test(key)
      ? []
      : [
          {
            token: `${filterWord(c, member)}:${key}`,
            label: labelled(translate, wordFor(translate, 'field', member), called),
          },
        ],
  );
}

const filtersOf = (c: C, { filters }: Kind) => Object.entries(seenBy(c.get('admin').role, filters));

/** Filters that begin as what is typed, and their values that do. */
function filterOffers(c: C, kind: Kind, last: string): readonly Completion[] {
  const { translate } = c.get('visit');
  const [, name, value = ''] = OPERATOR.exec(last) ?? [];
  const all = filtersOf(c, kind);
  const valueOffers = ([member, schema]: [string, FieldSchema], begun: string) =>
    valuesOf(c, schema)
      .filter(([word, label]) => begins([word, label], begun))
      .map(([, label]) => ({
        token: `${filterWord(c, member)}:${written(label)}`,
        label: labelled(translate, wordFor(translate, 'field', member), label),
      }));
  if (name !== undefined)
    return all
      .filter(([member]) => begins(namesOfFilter(member), name, true))
      .flatMap((filter) => valueOffers(filter, value));
  const named = all
    .filter(([member]) => begins(namesOfFilter(member), last))
    .map(([member]) => ({
      token: `${filterWord(c, member)}:`,
      label: `${wordFor(translate, 'field', member)} …`,
    }));
  return last === '' ? named : [...named, ...all.flatMap((filter) => valueOffers(filter, last))];
}

/** The words that a filter can have, each with what it is called on the page. */
function valuesOf(c: C, { enum: words, type, format }: FieldSchema): (readonly [string, string])[] {
  const { translate } = c.get('visit');
  if (format === 'date-time') return NAMED_DAYS.map((day) => [day, translate(DAY_TEXTS[day])]);
  if (type === 'boolean')
    return (['true', 'false'] as const).map((word) => [
      word,
      translate(word === 'true' ? 'app.yes' : 'app.no'),
    ]);
  return (words ?? []).flatMap((word) =>
    word === null ? [] : [[word, wordFor(translate, 'value', word)] as const],
  );
}

/** The name of a filter, as one writes it before its colon. */
const filterWord = (c: C, member: string): string =>
  written(wordFor(c.get('visit').translate, 'field', member));

/** A name without blanks: `created-from`. */
const written = (name: string): string => name.trim().toLowerCase().replaceAll(/\s+/g, '-');

/** Whether a name, or a word of it, begins as what is typed; all begin as nothing does. */
function begins(names: readonly string[], typed: string, isWhole = false): boolean {
  const begun = written(typed);
  return names.some((name) => {
    const plain = written(name);
    if (isWhole) return plain === begun || written(name.replaceAll(/([A-Z])/g, ' $1')) === begun;
    return plain.startsWith(begun) || plain.includes(`-${begun}`);
  });
}

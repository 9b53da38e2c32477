import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import { mayActAs } from '../domain/admins/roles.ts';
import { apiFor, type Item, type ItemPage } from './api-client.ts';
import { type FieldSchema, type Kind, type KindsByName, seenBy, type Verb } from './catalog.ts';
import { codeFunnel } from './code-funnel.ts';
import { createLink } from './create.ts';
import { csvDownload } from './csv.ts';
import { exportOf } from './export-pages.ts';
import { LAYOUTS } from './kinds.ts';
import type { Translate } from './language.ts';
import type { Content, Html, Show } from './layout.ts';
import { segmentOf } from './paths.ts';
import { TOLD } from './told-once.ts';
import { ACTIONS, actionText, asInstant, shown, verbFor, wordFor } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** The list of each kind: filters, search, order, pages, export, and actions on several records. */
export function listRoutes(deps: ConsoleDeps, kindsByName: KindsByName, show: Show): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  for (const kind of kindsByName.values()) {
    app.get(`/${kind.name}`, async (c) => {
      const query = queryOf(c, kind);
      const page = await apiFor(deps, c).get<ItemPage>(`/${kind.name}?${query}`);
      const api = apiFor(deps, c);
      const above = kind.name === 'codes' ? await codeFunnel(c, api) : '';
      const content = html`${above}${listPage(c, kind, page)}`;
      return show(c, { title: wordFor(c.get('visit').translate, 'kind', kind.name), content, charts: above !== '' });
    });

    app.get(`/${kind.name}.csv`, (c) => {
      const pages = exportOf(deps, c, `/${kind.name}`, queryOf(c, kind));
      return csvDownload(deps, c, { name: kind.name, columns: Object.keys(fieldsOf(c, kind)), pages });
    });
  }
  return app;
}

/** Returns the parameters of a request that the API knows and that have a value. */
function queryOf(c: C, { filters: all, sorts, hasSearch }: Kind): URLSearchParams {
  const filters = seenBy(c.get('admin').role, all);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(c.req.query())) {
    const known = Object.hasOwn(filters, name) || name === 'cursor' || (name === 'q' && hasSearch);
    if (value !== '' && (known || (name === 'sort' && sorts.includes(value))))
      query.set(name, asInstant(filters[name], value));
  }
  return query;
}

function listPage(c: C, kind: Kind, { items, next }: ItemPage): Html {
  const { translate } = c.get('visit');
  const { [TOLD]: _, ...own } = c.req.query();
  const here = `${HOME}/${kind.name}`;
  const without = (name: string) => new URLSearchParams(Object.entries(own).filter(([other]) => other !== name));
  const following = without('cursor');
  if (next !== null) following.set('cursor', next);
  return html`${createLink(c, kind)}${addForm(c, kind)}${filterForm(c, kind)}
<div id="list">
${actForm(c, kind, items)}
<nav class="tools" aria-label="${translate('list.next')}">
${own.cursor === undefined ? '' : html`<a class="button" href="${here}?${without('cursor').toString()}">${translate('list.first')}</a>`}
${next === null ? '' : html`<a class="button" rel="next" href="${here}?${following.toString()}" hx-get="${here}?${following.toString()}" hx-target="#list" hx-select="#list" hx-swap="outerHTML show:window:top" hx-push-url="true">${translate('list.next')}</a>`}
<a href="${here}.csv?${without('cursor').toString()}">${translate('list.csv')}</a>
</nav>
</div>`;
}

/** The form for a record that is added by its key alone: it leads to the preview. */
function addForm(c: C, kind: Kind): Content {
  const { translate } = c.get('visit');
  const verb = verbsFor(c, kind).find(({ tail }) => tail === '/add');
  if (verb === undefined) return '';
  return html`<form method="post" action="${HOME}/${kind.name}/act" class="tools"><input type="hidden" name="verb" value="${verb.name}">
<label for="add-key">${wordFor(translate, 'field', kind.key)}</label><div><input id="add-key" name="key" inputmode="email" autocapitalize="none" autocomplete="off" spellcheck="false" maxlength="400" required></div><button>${verbFor(translate, kind.name, verb.name)}</button></form>`;
}

function filterForm(c: C, kind: Kind): Content {
  const { translate } = c.get('visit');
  const own = c.req.query();
  const here = `${HOME}/${kind.name}`;
  const filters = Object.entries(seenBy(c.get('admin').role, kind.filters));
  if (!kind.hasSearch && filters.length === 0 && kind.sorts.length < 3) return '';
  return html`<a class="skip" href="#records">${translate('list.skip')}</a>
<form class="filters" action="${here}" hx-get="${here}" hx-target="#list" hx-select="#list" hx-swap="outerHTML" hx-push-url="true" hx-trigger="submit, change">
${kind.hasSearch ? html`<div><label for="f-q">${translate('list.words')}</label><input id="f-q" name="q" type="search" value="${own.q ?? ''}" maxlength="200"></div>` : ''}
${filters.map(([name, schema]) => filterField(c, name, schema, own[name] ?? ''))}
${
  kind.sorts.length < 3
    ? ''
    : html`<div><label for="f-sort">${translate('list.sort')}</label><select id="f-sort" name="sort">${kind.sorts.map(
        (sort) =>
          html`<option value="${sort}"${(own.sort ?? kind.sort) === sort ? raw(' selected') : ''}>${sort.startsWith('-') ? '↓ ' : '↑ '}${wordFor(translate, 'field', sort.replace('-', ''))}</option>`,
      )}</select></div>`
}
<button>${translate('list.filter')}</button>
</form>`;
}

function filterField(c: C, name: string, { format, enum: words, type }: FieldSchema, value: string): Html {
  const { translate } = c.get('visit');
  const label = html`<label for="f-${name}">${wordFor(translate, 'field', name)}</label>`;
  const choices = words ?? (type === 'boolean' ? ['true', 'false'] : undefined);
  if (choices !== undefined) {
    const spoken = (word: string) =>
      type === 'boolean' ? translate(word === 'true' ? 'app.yes' : 'app.no') : wordFor(translate, 'value', word);
    return html`<div>${label}<select id="f-${name}" name="${name}"><option value="">${translate('list.any')}</option>${choices.map(
      (word) =>
        word !== null &&
        html`<option value="${word}"${word === value ? raw(' selected') : ''}>${spoken(word)}</option>`,
    )}</select></div>`;
  }
  const kind = format === 'date-time' ? 'date' : 'text';
  const shownValue = kind === 'date' ? value.slice(0, 10) : value;
  return html`<div>${label}<input id="f-${name}" name="${name}" type="${kind}" value="${shownValue}" maxlength="400" spellcheck="false"></div>`;
}

/** Shows the rows with checkboxes, and the actions for the selected ones. */
function actForm(c: C, kind: Kind, items: readonly Item[]): Html {
  const { translate } = c.get('visit');
  if (items.length === 0) return html`<p id="records" tabindex="-1">${translate('list.empty')}</p>`;
  const verbs = bulkVerbs(c, kind);
  const fields = fieldsOf(c, kind);
  const columns = (LAYOUTS[kind.name]?.columns ?? Object.keys(fields)).filter((name) => name in fields);
  const chosen = verbs.length > 0;
  return html`<form method="post" action="${HOME}/${kind.name}/act"><input type="hidden" name="back" value="${c.get('visit').path}">
<div class="scroll" id="records" role="group" aria-label="${wordFor(translate, 'kind', kind.name)}" tabindex="0"><table>
<thead><tr>${chosen ? html`<th scope="col"><input type="checkbox" data-all="key" aria-label="${translate('list.selectAll')}"></th>` : ''}${columns.map((name) => html`<th scope="col">${wordFor(translate, 'field', name)}</th>`)}</tr></thead>
<tbody>${items.map((item) => row(c, kind, columns, item, chosen))}</tbody>
</table></div>
${
  chosen
    ? html`<div class="tools"><label for="verb">${translate('list.withChosen')}</label><div><select id="verb" name="verb">${verbs.map((verb) => html`<option value="${verb.name}">${verbFor(translate, kind.name, verb.name)}</option>`)}</select></div><button>${translate('list.preview')}</button></div>`
    : ''
}
</form>`;
}

function row(c: C, kind: Kind, columns: readonly string[], item: Item, chosen: boolean): Html {
  const { translate } = c.get('visit');
  const key = String(item[kind.key]);
  const cells = columns.map((name): Content => shown(translate, name, kind.fields[name], item[name], true));
  const first = textOf(item, columns[0]!) === '' ? key : cells[0]!;
  return html`<tr>${chosen ? html`<td class="tight"><input type="checkbox" name="key" value="${key}" aria-label="${translate('list.select')}: ${nameOf(translate, kind, item)}"></td>` : ''}<td><a href="${HOME}/${kind.name}/${segmentOf(key)}">${plainly(kind, item, columns[0]!, first)}</a></td>${cells.slice(1).map((cell) => html`<td>${cell}</td>`)}</tr>`;
}

/** Shows a first cell without a link of its own, because it is inside one. */
function plainly(kind: Kind, item: Item, name: string, cell: Content): Content {
  const { format, enum: words } = kind.fields[name] ?? {};
  const text = textOf(item, name);
  return format === 'date-time' || words !== undefined || text === ''
    ? cell
    : text.length > 120
      ? `${text.slice(0, 120)}…`
      : text;
}

const textOf = (item: Item, name: string) =>
  item[name] === null || item[name] === undefined ? '' : String(item[name]);

/** Returns the name of a record for people. */
export function nameOf(translate: Translate, { name, key }: Kind, item: Item): string {
  const member = LAYOUTS[name]?.called.find((one) => textOf(item, one).trim() !== '') ?? key;
  const text = ACTIONS.has(member) ? actionText(translate, textOf(item, member)) : textOf(item, member);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Returns the members of a kind that the role sees. */
export function fieldsOf(c: C, { fields }: Kind): Kind['fields'] {
  return seenBy(c.get('admin').role, fields);
}

/** Returns the verbs that the role may use. */
export function verbsFor(c: C, { verbs }: Kind): readonly Verb[] {
  return verbs.filter(({ role }) => mayActAs(c.get('admin').role, role));
}

/** Returns the verbs that can be applied to several records at once. */
function bulkVerbs(c: C, kind: Kind): readonly Verb[] {
  return verbsFor(c, kind).filter(
    ({ name, required, method }) =>
      required.every((member) => member === 'reason') && method !== 'patch' && name !== 'add',
  );
}

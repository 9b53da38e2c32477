import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import { instantOf } from '../api/cursor.ts';
import type { Item } from '../api/kind.ts';
import { nameIn } from '../api/names-route.ts';
import { mayActAs } from '../contract/roles.ts';
import { isSeen } from '../domain/values/unseen.ts';
import { COUNTED } from '../records/list.ts';
import { type ApiClient, apiFor } from './api-client.ts';
import { type Kind, seenBy, sortsFor, type Verb } from './catalog.ts';
import { causeOf } from './causes.ts';
import { codeFunnel } from './code-funnel.ts';
import { AT_ONCE, isAtOnceForSeveral, isFinal } from './confirmation.ts';
import { createLink } from './create.ts';
import { csvDownload } from './csv.ts';
import { onceField } from './done-once.ts';
import { emptyList } from './empty.ts';
import { exportOf } from './export-pages.ts';
import { icon } from './icons.ts';
import { isApplicable, LAYOUTS, ONE_BY_ONE, rankOf, standingOf, UNDONE_BY } from './kinds.ts';
import { labelled } from './labelled.ts';
import type { Translate } from './language.ts';
import { type ConsolePageDeps, type Content, type Html, toTheSecond } from './layout.ts';
import {
  chips,
  filterForm,
  ownQuery,
  queryOf,
  rangeLinks,
  sizeLinks,
  sizeOf,
  TRAIL,
  unknownFilters,
} from './list-filters.ts';
import { liveBox, livePart } from './live.ts';
import { type Names, nameAt, namesOf } from './names.ts';
import { segmentOf } from './paths.ts';
import { iconsOf, thumb } from './pictures.ts';
import { type LookedThrough, readOn, seenOf, watchPage } from './read-on.ts';
import { savedPart } from './saved-filters.ts';
import { filtersAsked } from './search-operators.ts';
import { wrongAt } from './sign-in-pages.ts';
import { cellClass } from './tables.ts';
import { cut } from './text.ts';
import { toldOf } from './told.ts';
import { toldExport } from './told-export.ts';
import { ACTIONS, actionText, fieldFor, type Showing, shown, verbFor, wordFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';
import { sandboxNotices } from './warnings.ts';

type C = Context<ConsoleEnv>;

/** The list of each kind: filters, search, order, pages, export, and actions on several records. */
export function listRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const { kindsByName, show } = deps;
  const app = new Hono<ConsoleEnv>();
  for (const kind of kindsByName.values()) {
    app.get(`/${kind.name}`, async (c) => {
      const { query: asked, isFiltered } = filtersAsked(c, kind, c.req.query('q') ?? '');
      if (isFiltered) {
        const { q: _, cursor: __, [TRAIL]: ___, ...own } = ownQuery(c);
        const all = { ...own, ...Object.fromEntries(asked) };
        return c.redirect(`${HOME}/${kind.name}?${new URLSearchParams(all)}`, 303);
      }
      const api = apiFor(deps, c);
      const now = deps.clock();
      const query = queryOf(c, kind, now);
      const counted = new URLSearchParams([...query, ['total', 'true']]);
      const read = (asked: URLSearchParams, before?: LookedThrough) =>
        readOn(api, `/${kind.name}`, asked, sizeOf(c), before);
      const partOf = async (page: LookedThrough, goesOn = false) => {
        const told = await toldBy(api, kind, page.items);
        return listPart(c, kind, { page, goesOn, told, saved: await savedPart(deps, c, kind) });
      };
      const { look, grown } = watchPage((before) => read(query, before));
      const watched = livePart(deps, c, {
        look,
        part: async () => partOf(grown() ?? (await read(counted)), grown() !== undefined),
      });
      if (watched !== undefined) return watched;
      const page = await read(counted);
      const funnel = kind.name === 'codes' ? await codeFunnel(c, api) : '';
      const above = html`${sandboxNotices(deps, c, [kind.name])}${funnel}`;
      // What is looked for comes by itself, below what is there.
      const box = { id: 'list', seen: seenOf(page), hasRecords: !page.isPart };
      const list = liveBox(c, await partOf(page), box);
      const forms = html`${addForm(c, kind)}${isBare(c, page) ? '' : filterForm(c, kind)}`;
      const content = html`${above}${forms}
${list}`;
      return show(c, {
        title: wordFor(c.get('visit').translate, 'kind', kind.name),
        content,
        beside: isBare(c, page) ? '' : createLink(c, kind),
        charts: funnel !== '',
        records: !isBare(c, page),
      });
    });

    app.get(`/${kind.name}.csv`, (c) => {
      const pages = exportOf(deps, c, `/${kind.name}`, queryOf(c, kind, deps.clock()));
      const columns = Object.keys(fieldsOf(c, kind));
      return csvDownload(deps, c, {
        name: kind.name,
        ...(kind.name === 'audit' ? toldExport(deps, c, columns, pages) : { columns, pages }),
      });
    });
  }
  return app;
}

/** What rows are shown with besides the record. */
type ShownTold = Pick<Showing, 'details' | 'pictures'> & {
  readonly names: Names;
  /** The paths of the records' own pictures, by their keys. */
  readonly icons: ReadonlyMap<string, string>;
};

/** Reads what records of a kind lead to; of entries of the audit trail also what they tell. */
async function toldBy(api: ApiClient, kind: Kind, items: readonly Item[]): Promise<ShownTold> {
  if (kind.name === 'audit') return { ...(await toldOf(api, items)), icons: new Map() };
  const [names, icons] = await Promise.all([namesOf(api, items), iconsOf(api, kind, items)]);
  return { names, icons };
}

/** Whether a list has no records at all: then nothing is there to filter. */
const isBare = (c: C, { items, isPart }: LookedThrough): boolean =>
  items.length === 0 && !isPart && Object.keys(ownQuery(c)).length === 0;

/** What a page of a list shows. */
interface ListContent {
  readonly page: LookedThrough;
  /** Whether a page that is a part goes on by itself. */
  readonly goesOn: boolean;
  readonly told: ShownTold;
  readonly saved: Content;
}

function listPart(c: C, kind: Kind, { page, goesOn, told, saved }: ListContent): Html {
  const { items, isPart } = page;
  const said = isPart
    ? c.get('visit').translate('list.lookedPart', { count: items.length })
    : countText(c, page);
  if (isBare(c, page)) return emptyList(c, kind, false);
  const hint = !isPart && items.length > 0 ? html`<p class="hint">${said}</p>` : '';
  const progress = goesOn ? html` <progress></progress>` : '';
  const notice = isPart
    ? html`<p class="notice">${said} ${lookedUpTo(c, page)}${progress}</p>`
    : '';
  return html`<span hidden data-said="${said}"></span>
${chips(c, kind)}${saved}${unknownFilters(c, kind)}
<div class="above">${rangeLinks(c, kind)}${hint}</div>${notice}
${items.length === 0 && isPart ? html`<p id="records" tabindex="-1"></p>` : actForm(c, kind, items, told)}
${pageLinks(c, kind, page)}`;
}

/** How many records a list has, as far as they were counted. */
function countText(c: C, { items, total, atLeast, next }: LookedThrough): string {
  const { translate } = c.get('visit');
  if (total == null && atLeast !== undefined)
    return translate('list.countAtLeast', { count: Math.min(atLeast, COUNTED) });
  // What nothing counts has more than this page, unless it is the only one.
  const isOnly = next === null && ownQuery(c).cursor === undefined;
  const count = total ?? items.length;
  const hasMore = total == null ? !isOnly : total > COUNTED;
  return translate(hasMore ? 'list.countMore' : 'list.count', { count: Math.min(count, COUNTED) });
}

/** How far a list was looked through. */
function lookedUpTo(c: C, { next }: LookedThrough): Content {
  const { translate } = c.get('visit');
  const at = instantOf(next!);
  return at === undefined
    ? ''
    : labelled(translate, html`${translate('list.lookedUpTo')}`, toTheSecond(at));
}

/** So many pages back one can go; their cursors stand in the address. */
const MAX_TRAIL = 20;

/** Links to the pages around this one. */
function pageLinks(c: C, kind: Kind, { next, isPart }: LookedThrough): Html {
  const { translate } = c.get('visit');
  const here = `${HOME}/${kind.name}`;
  const { cursor, [TRAIL]: trail, ...own } = ownQuery(c);
  const before = trail === undefined ? [] : trail.split('.');
  const to = (more: Readonly<Record<string, string | undefined>>) =>
    `${here}?${new URLSearchParams(Object.entries({ ...own, ...more }).filter((one): one is [string, string] => !!one[1]))}`;
  const link = (path: string, rel: string, text: string) =>
    html`<a class="button" rel="${rel}" href="${path}" hx-get="${path}" hx-target="#list" hx-select="#list" hx-swap="outerHTML show:window:top" hx-push-url="true">${text}</a>`;
  const previous = before.at(-1);
  const passed = [...before, cursor ?? 'first'].slice(-MAX_TRAIL);
  return html`<nav class="tools" aria-label="${translate('list.next')}">
${cursor === undefined ? '' : html`<a class="button" href="${to({})}">${translate('list.first')}</a>`}
${
  previous === undefined
    ? ''
    : link(
        to({
          cursor: previous === 'first' ? undefined : previous,
          [TRAIL]: before.slice(0, -1).join('.'),
        }),
        'prev',
        translate('list.previous'),
      )
}
${next === null ? '' : link(to({ cursor: next, [TRAIL]: passed.join('.') }), 'next', translate(isPart ? 'list.lookOn' : 'list.next'))}
${sizeLinks(c, kind)} <a href="${here}.csv?${new URLSearchParams(own)}">${icon('app', 'csv')}${translate('list.csv')}</a>
</nav>`;
}

/** The form for a record that is added by its key alone: it leads to the preview. */
export function addForm(c: C, kind: Kind, why?: string): Content {
  const { translate } = c.get('visit');
  const wrong = wrongAt('add-key', why);
  const verb = verbsFor(c, kind).find(({ tail }) => tail === '/add');
  if (verb === undefined) return '';
  return html`<form method="post" action="${HOME}/${kind.name}/act" class="tools" novalidate><input type="hidden" name="verb" value="${verb.name}">
<label for="add-key">${wordFor(translate, 'field', kind.key)}</label><div><input id="add-key" name="key" inputmode="email" autocapitalize="none" autocomplete="off" spellcheck="false" maxlength="400" required${wrong.tied}>${wrong.below}</div><button>${verbFor(translate, kind.name, verb.name)}</button></form>`;
}

/** So many acts have a button each; of more one is chosen, and seen first. */
const MOST_BUTTONS = 3;

/** What is done with the selected records. @param why what is wrong with the choice that was sent. */
function bulkBar(c: C, kind: Kind, verbs: readonly Verb[], why?: string): Html {
  const { translate } = c.get('visit');
  const said = translate('list.withChosen');
  if (verbs.length <= MOST_BUTTONS && why === undefined)
    return html`<div class="tools bulk" role="group" aria-labelledby="chosen"><span id="chosen">${said}</span>
${verbs.map((verb) => bulkButton(c, kind, verb))}</div>`;
  const wrong = wrongAt('verb', why);
  const options = verbs.map(
    ({ name }) => html`<option value="${name}">${verbFor(translate, kind.name, name)}</option>`,
  );
  return html`<div class="tools bulk"><label for="verb">${said}</label>
<div><select id="verb" name="verb" required${wrong.tied}><option value="">${translate('list.choose')}</option>${options}</select>${wrong.below}</div>
<button>${translate('list.preview')}</button></div>`;
}

function bulkButton(c: C, kind: Kind, verb: Verb): Html {
  const undo = undoingVerb(c, kind, verb.name);
  const name = isAtOnceForSeveral(kind, verb, undo) ? AT_ONCE : 'verb';
  const rank = rankOf(kind.name, verb.name, isFinal(verb, undo));
  return html`<button name="${name}" value="${verb.name}" class="${rank}">${icon('verb', verb.name)}${verbFor(c.get('visit').translate, kind.name, verb.name)}</button>`;
}

/** The form that asks what is done with records that were chosen, where nothing was said. */
export function verbForm(c: C, kind: Kind, keys: readonly string[], back: string): Html {
  const why = c.get('visit').translate('act.noVerb');
  return html`<form method="post" action="${HOME}/${kind.name}/act" novalidate>
${[['back', back], ...keys.map((key) => ['key', key])].map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
)}${bulkBar(c, kind, bulkVerbs(c, kind), why)}</form>`;
}

/** Shows the rows with checkboxes, and the actions for the selected ones. */
function actForm(c: C, kind: Kind, items: readonly Item[], told: ShownTold): Html {
  const { translate } = c.get('visit');
  if (items.length === 0) return emptyList(c, kind, true);
  const verbs = bulkVerbs(c, kind).filter(({ name }) =>
    items.some((item) => isApplicable(kind.name, name, item)),
  );
  const fields = fieldsOf(c, kind);
  const columns = (LAYOUTS[kind.name]?.columns ?? Object.keys(fields)).filter(
    (name) => name in fields,
  );
  const chosen = verbs.length > 0;
  return html`<form method="post" action="${HOME}/${kind.name}/act" novalidate>${onceField()}<input type="hidden" name="back" value="${c.get('visit').path}">
<div class="scroll stack" id="records" role="group" aria-label="${wordFor(translate, 'kind', kind.name)}" tabindex="0"><table>
<thead><tr>${chosen ? html`<th scope="col"><input type="checkbox" data-all="key" aria-label="${translate('list.selectAll')}"></th>` : ''}${columns.map((name) => heading(c, kind, name))}</tr></thead>
<tbody>${items.map((item) => row(c, kind, item, { columns, told, chosen }))}</tbody>
</table></div>
${chosen ? bulkBar(c, kind, verbs) : ''}
</form>`;
}

/** The order of a list that its columns show. */
const ORDERED_BY: Readonly<Record<string, string>> = {
  createdAt: 'created',
  at: 'created',
  startedAt: 'created',
};

/** The heading of a column; where an index has its order, a link that sorts by it. */
function heading(c: C, kind: Kind, name: string): Html {
  const text = fieldFor(c.get('visit').translate, kind.name, name);
  const order = ORDERED_BY[name] ?? name;
  const ends = cellClass(text, isNumber(kind, name));
  if (!sortsFor(c.get('admin').role, kind).includes(order))
    return html`<th scope="col"${ends}>${text}</th>`;
  const { cursor: _, [TRAIL]: __, ...own } = ownQuery(c);
  const present = own.sort ?? kind.sort;
  const isDescending = present === `-${order}`;
  const isIt = isDescending || present === order;
  const sort = isIt && !isDescending ? `-${order}` : order;
  const state = isIt ? raw(` aria-sort="${isDescending ? 'descending' : 'ascending'}"`) : '';
  const arrow = isIt ? html` <span aria-hidden="true">${isDescending ? '↓' : '↑'}</span>` : '';
  return html`<th scope="col"${ends}${state}><a href="${HOME}/${kind.name}?${new URLSearchParams({ ...own, sort })}">${text}${arrow}</a></th>`;
}

/**
 * Members whose values say what they are: on a phone they stand in a line, without their labels for
 * who sees them.
 */
const SAID: ReadonlySet<string> = new Set([
  ...['state', 'status', 'createUserId', 'userId', 'owner', 'by', 'createdAt', 'at'],
  ...['targetKey', 'email', 'receiverEmail', 'reason', 'step', 'kind', 'host', 'events.key'],
  ...['reviews.subject', 'isPositive'],
]);

/** Members that only the page of a record has on a phone; some of one kind alone. */
const FAR: ReadonlySet<string> = new Set([
  ...['address', 'requestId', 'sender', 'events.kind', 'reports.targetKind'],
]);

/** Members that a record is called by on a phone, though they are not its first. */
const LEAD: ReadonlySet<string> = new Set([
  ...['action', 'operation', 'reports.targetKey', 'users.name'],
]);

/** What one comes to a list for: it has the room for it. */
const WHY: ReadonlySet<string> = new Set(['failures.reason']);

function onPhone(kind: Kind, name: string): 'far' | 'lead' | 'said' | 'said why' | '' {
  const isIn = (names: ReadonlySet<string>) => names.has(name) || names.has(`${kind.name}.${name}`);
  if (isIn(FAR)) return 'far';
  if (isIn(LEAD)) return 'lead';
  if (isIn(WHY)) return 'said why';
  return isIn(SAID) ? 'said' : '';
}

/** What rows of a table have in common. */
interface RowForm {
  readonly columns: readonly string[];
  readonly told: ShownTold;
  /** Whether rows can be chosen. */
  readonly chosen: boolean;
}

function row(c: C, kind: Kind, item: Item, { columns, told, chosen }: RowForm): Html {
  const { translate, language } = c.get('visit');
  const key = String(item[kind.key]);
  const cells = columns.map((column, at): Content => {
    const name = column === 'state' ? standingOf(kind.name, item) : column;
    const showing = { translate, language, ...told, short: true, item };
    const value = item[name] ?? calledInstead(kind, item, name);
    const cell = shown(showing, name, kind.fields[name], value);
    const isWhole = at === 0 || WHY.has(`${kind.name}.${name}`);
    if (isWhole || typeof cell !== 'string' || cell.length <= CLIPPED_CHARS) return cell;
    const whole = shown({ ...showing, short: false }, name, kind.fields[name], value);
    return html`<span class="clip" tabindex="0">${typeof whole === 'string' ? cut(whole, CLIP_CHARS) : whole}</span>`;
  });
  const name = nameOf(translate, kind, item, told.names);
  const first = isSeen(textOf(item, columns[0]!)) ? cells[0]! : name;
  const label = labelled(translate, translate('list.select'), name);
  const box = html`<td class="tight"><input type="checkbox" name="key" value="${key}" aria-label="${label}"></td>`;
  const path = `${HOME}/${kind.name}/${segmentOf(key)}`;
  // What is called after another record need not name it once more where there is little room.
  const named = isSeen(textOf(item, columns[0]!)) ? undefined : callingMember(kind, item);
  const rest = cells.slice(1).map((cell, at) => {
    const name = columns[at + 1]!;
    const heading = fieldFor(translate, kind.name, name);
    const own = name === named ? 'far' : onPhone(kind, name);
    return html`<td data-label="${heading}"${cellClass(cell, isNumber(kind, name), own)}>${cell}</td>`;
  });
  const text = plainly(kind, item, columns[0]!, first);
  // Where nothing has a picture, no place is kept for one.
  const picture = told.icons.size === 0 ? '' : thumb(told.icons.get(key));
  return html`<tr>${chosen ? box : ''}<td><a href="${path}">${picture}${text}</a></td>${rest}</tr>`;
}

/** Longer texts of a row stay in a frame, which has so much of them; UTF-16 code units. */
const CLIPPED_CHARS = 40;
const CLIP_CHARS = 2_000;

/** Whether a member is a number, which ends where the others of its column do. */
const isNumber = ({ fields }: Kind, name: string): boolean =>
  [fields[name]?.type ?? []].flat().some((type) => type === 'integer' || type === 'number');

/** Shows a first cell without a link of its own, because it is inside one. */
function plainly(kind: Kind, item: Item, name: string, cell: Content): Content {
  const { format, enum: words } = kind.fields[name] ?? {};
  const text = textOf(item, name);
  const isWord = words !== undefined || ACTIONS.has(name);
  return format === 'date-time' || isWord || !isSeen(text) ? cell : cut(text, 120);
}

const textOf = (item: Item, name: string) =>
  item[name] === null || item[name] === undefined ? '' : String(item[name]);

/** What a call failed with is whole where it stands for the call; UTF-16 code units. */
const CAUSE_CHARS = 300;

/**
 * Returns the name of a record for people.
 * @param names what is called by the key of another record, such as a review without a remark, has that one's name.
 */
export function nameOf(
  translate: Translate,
  { name, key, fields }: Kind,
  item: Item,
  names?: Names,
): string {
  const layout = LAYOUTS[name];
  if (name === 'failures') return cut(causeOf(translate, item), CAUSE_CHARS);
  const called = nameIn(layout, item) ?? textOf(item, key);
  const member = callingMember({ name }, item);
  const about = member === undefined ? undefined : nameAt(names, member, item);
  if (about !== undefined) return translate('app.about', { name: cut(about, 80) });
  const isWord = member !== undefined && fields[member]?.enum?.includes(called);
  const isAction = ACTIONS.has(layout?.called[0] ?? '');
  const plain = isAction ? actionText(translate, called) : called;
  const text = isWord ? wordFor(translate, 'value', called) : plain;
  return isSeen(text) ? cut(text, 80) : seenKey(translate, text);
}

/** The member that a record is called by; `undefined` where it is called by its key. */
function callingMember({ name }: Pick<Kind, 'name'>, item: Item): string | undefined {
  const called = nameIn(LAYOUTS[name], item);
  return LAYOUTS[name]?.called.find((one) => called !== undefined && item[one] === called);
}

/**
 * What stands where the first name of a record is missing: the next one that it has; `undefined`
 * without one.
 */
function calledInstead({ name, key }: Kind, item: Item, column: string): string | undefined {
  const [first, ...others] = LAYOUTS[name]?.called ?? [];
  return first === column
    ? nameIn({ called: others.filter((one) => one !== key) }, item)
    : undefined;
}

/** A key that people can see and press; of one that has nothing to see, that it has no title. */
function seenKey(translate: Translate, key: string): string {
  return isSeen(key) ? cut(key, 80) : translate('app.noTitle');
}

/** Returns the members of a kind that the role sees. */
export function fieldsOf(c: C, { fields }: Kind): Kind['fields'] {
  return seenBy(c.get('admin').role, fields);
}

/** Returns the verbs that pages offer to the role: without a mail server nothing is sent again. */
export function offeredVerbs(c: C, kind: Kind): readonly Verb[] {
  const isInVain = ({ name }: Verb) =>
    kind.name === 'mails' && name === 'retry' && !c.get('visit').sendsMail;
  return verbsFor(c, kind).filter((verb) => !isInVain(verb));
}

/** Returns the verbs that the role may use. */
export function verbsFor(c: C, { verbs }: Kind): readonly Verb[] {
  return verbs.filter(({ role }) => mayActAs(c.get('admin').role, role));
}

/**
 * Returns the verb that undoes another one, if the role may use it: the first that the kind has.
 */
export function undoingVerb(c: C, kind: Kind, name: string): Verb | undefined {
  const verbs = verbsFor(c, kind);
  return UNDONE_BY[name]
    ?.map((undo) => verbs.find((one) => one.name === undo))
    .find((verb) => verb !== undefined);
}

/** Returns the verbs that can be applied to several records at once. */
function bulkVerbs(c: C, kind: Kind): readonly Verb[] {
  const verbs = offeredVerbs(c, kind);
  // Publishing ends a hold as well.
  const isPublished = verbs.some(({ name }) => name === 'publish');
  return verbs.filter(
    ({ name, required }) =>
      required.every((member) => member === 'reason') &&
      !ONE_BY_ONE.has(name) &&
      !(name === 'release' && isPublished),
  );
}

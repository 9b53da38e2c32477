import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { isFirst } from './act-form.ts';
import { type ApiClient, apiFor, type ItemPage } from './api-client.ts';
import { buttonName, formOfActs, rejection } from './at-once.ts';
import { backupLinks } from './backup-links.ts';
import type { Kind, KindsByName, Verb } from './catalog.ts';
import { revisionsOf } from './editor.ts';
import { icon } from './icons.ts';
import { isApplicable, isDestructive, LAYOUTS, rankOf, standingOf } from './kinds.ts';
import { hintOf, sentenceOf } from './language.ts';
import { type ConsolePageDeps, type Content, type Html, time } from './layout.ts';
import { headingOfLink } from './link-heading.ts';
import { wayToInbox } from './list-filters.ts';
import { fieldsOf, nameOf, offeredVerbs, undoingVerb } from './lists.ts';
import { liveBox, livePart } from './live.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { isShownAbove } from './seen.ts';
import { dataTable } from './tables.ts';
import { type ToldEntries, toldOf, toldOfRecord } from './told.ts';
import { copyable, copyButton, fieldFor, shown, tabOf, tag, verbFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';
import { wayToList } from './way.ts';

type C = Context<ConsoleEnv>;

/** Entries of the history on a record's page. */
const HISTORY = 20;

/** Deliveries on the page of a webhook; the list of deliveries has all. */
const DELIVERIES = 10;

/** An additional part of the pages of one kind. */
export type Extra = (
  c: C,
  api: ApiClient,
  item: Item,
  more: Pick<ReadRecord, 'revisions' | 'deliveries' | 'suppression'>,
) => Promise<Content> | Content;

/** The page of one record: its members, its actions and its history. */
export function detailRoutes(
  deps: ConsolePageDeps,
  extras: Readonly<Record<string, Extra>>,
): Hono<ConsoleEnv> {
  const { kindsByName, show } = deps;
  const app = new Hono<ConsoleEnv>();
  app.get('/users/:key/export.json', async (c) => {
    const key = c.req.param('key').trim();
    const { body } = await apiFor(deps, c).stream(`/users/${segmentOf(key)}/export`);
    const disposition = `attachment; filename="person.json"; filename*=UTF-8''${extValue(key)}.json`;
    return c.body(body!, 200, {
      'Content-Type': 'application/json',
      'Content-Disposition': disposition,
    });
  });
  for (const kind of kindsByName.values()) {
    app.get(`/${kind.name}/:key`, async (c) => {
      const api = apiFor(deps, c);
      const key = c.req.param('key');
      const named = async (record: ReadRecord): Promise<NamedRecord> => {
        const told = await (kind.name === 'audit'
          ? toldOf(api, [record.item])
          : toldOfRecord(api, record));
        return { ...record, ...told };
      };
      const watched = livePart(deps, c, {
        look: () => orUndefined(readRecord(api, kindsByName, kind, key)),
        part: async () => {
          const record = await orUndefined(readRecord(api, kindsByName, kind, key));
          const gone = html`<p class="notice">${c.get('visit').translate('live.gone')}</p>`;
          return record === undefined
            ? gone
            : recordPart(c, api, kindsByName, kind, await named(record), extras);
        },
      });
      if (watched !== undefined) return watched;
      const record = await readRecord(api, kindsByName, kind, key);
      const shownRecord = await named(record);
      const { item, names } = shownRecord;
      const part = await recordPart(c, api, kindsByName, kind, shownRecord, extras);
      const { translate } = c.get('visit');
      const title = nameOf(translate, kind, item, names);
      return show(c, {
        title,
        state: stateOf(c, kind, item),
        tab: tabOf(translate, kind.name, title),
        ...(kind.name === 'links' && headingOfLink(c, item)),
        way: html`${wayToInbox(c)}${wayToList(c, kind)}`,
        content: liveBox(c, part, { seen: record }),
        charts: kind.name === 'links',
      });
    });
  }
  return app;
}

/** The member that says how a record stands, also of a message; `undefined` where none does. */
const stateMember = (kind: Kind, item: Item): string | undefined =>
  [standingOf(kind.name, item), 'status'].find(
    (name) => kind.detail[name]?.enum !== undefined && typeof item[name] === 'string',
  );

/** How a record stands, for beside its heading; of a person, that they are blocked. */
function stateOf(c: C, kind: Kind, item: Item): Content {
  const { translate } = c.get('visit');
  if (kind.name === 'users') return item.blockedAt ? tag(translate, 'blocked') : '';
  const name = stateMember(kind, item);
  return name === undefined ? '' : tag(translate, String(item[name]));
}

/** A record, and what tells of it. */
interface ReadRecord {
  readonly item: Item;
  readonly history: readonly Item[];
  /** The latest deliveries to a webhook. */
  readonly deliveries: readonly Item[];
  /** The latest contents of an article, the present one first. */
  readonly revisions: readonly Item[];
  /** Of a mail, that of the address it is to; `undefined` without one. */
  readonly suppression: Item | undefined;
}

/** A record, with what its entries tell, and what the records are called that it tells of. */
type NamedRecord = ReadRecord & ToldEntries;

async function readRecord(
  api: ApiClient,
  kindsByName: KindsByName,
  { name, key }: Kind,
  path: string,
): Promise<ReadRecord> {
  const item = await api.get(`/${name}/${segmentOf(path)}`);
  const itemsOf = async (query: string) => (await api.get<ItemPage>(query)).items;
  const target = encodeURIComponent(String(item[key]));
  const hasHistory = name !== 'audit' && 'targetKey' in (kindsByName.get('audit')?.filters ?? {});
  const [history, deliveries, revisions, suppression] = await Promise.all([
    hasHistory ? itemsOf(`/audit?targetKey=${target}&limit=${HISTORY}`) : [],
    name === 'webhooks' ? deliveriesOf(api, item) : [],
    name === 'articles' ? revisionsOf(api, String(item[key])) : [],
    name === 'mails' ? suppressionOf(api, String(item.receiverEmail)) : undefined,
  ]);
  return { item, history, deliveries, revisions, suppression };
}

/** Deliveries that are not as they should be; with them one comes to a webhook. */
const AMISS = ['failed', 'bounced', 'deferred'] as const;

/**
 * The deliveries to show of a webhook: first those that failed, also for now, then the newest ones.
 */
async function deliveriesOf(api: ApiClient, { id, state }: Item): Promise<readonly Item[]> {
  const statuses = state === 'active' ? [] : AMISS;
  const found = await Promise.all(
    [...statuses, undefined].map(async (status) => {
      const query = new URLSearchParams({ webhookId: String(id), limit: String(DELIVERIES) });
      if (status !== undefined) query.set('status', status);
      return (await api.get<ItemPage>(`/deliveries?${query}`)).items;
    }),
  );
  const newest = found.pop()!;
  const createdAt = (item: Item) => String(item.createdAt);
  const amiss = found.flat().sort((one, other) => (createdAt(one) < createdAt(other) ? 1 : -1));
  const all = new Map([...amiss, ...newest].map((item) => [item.id, item]));
  return [...all.values()].slice(0, DELIVERIES);
}

/** Why nothing is sent to an address; `undefined` also for a role that may not see that. */
function suppressionOf(api: ApiClient, address: string): Promise<Item | undefined> {
  return orUndefined(api.get(`/suppressions/${segmentOf(address.toLowerCase())}`));
}

/** What one may do with a record, what it is, and its history. */
async function recordPart(
  c: C,
  api: ApiClient,
  kindsByName: KindsByName,
  kind: Kind,
  record: NamedRecord,
  extras: Readonly<Record<string, Extra>>,
): Promise<Html> {
  const { item, suppression, history: told } = record;
  const suppressed = suppression && { ...item, suppressedAt: suppression.createdAt };
  const acted = kind.name === 'users' ? { ...item, isTaken: isTaken(told) } : suppressed;
  const extra = await extras[kind.name]?.(c, api, item, record);
  const own = facts(c, kind, record);
  const history = historyPart(c, kindsByName, record);
  return html`${actions(c, kind, acted ?? item)}
${
  extra === '' || !BESIDE.has(kind.name)
    ? html`${extra ?? ''}${own}${history}`
    : html`<div class="columns"><div>${extra}</div>${own}<div>${history}</div></div>`
}<span hidden data-standing>${stateOf(c, kind, item)}</span>`;
}

/**
 * Whether the last act on everything of a user took it down; so it may be, too, where the entries
 * say nothing.
 */
function isTaken(history: readonly Item[]): boolean {
  const last = history.find(({ action }) => /^user\.(?:takedown|putback)$/.test(String(action)));
  return last === undefined ? history.length === HISTORY : last.action === 'user.takedown';
}

/** Encodes a text for a parameter of a header (RFC 8187, 3.2.1). */
function extValue(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Kinds whose pages show the thing itself, and its facts beside it. */
const BESIDE: ReadonlySet<string> = new Set([
  ...[
    'articles',
    'adverts',
    'images',
    'mails',
    'links',
    'users',
    'webhooks',
    'codes',
    'deliveries',
  ],
]);

/** Of these the first that may be done is what one mostly comes for. */
const PRIMARY = [
  ...['publish', 'restore', 'edit', 'release', 'enable', 'unsuppress', 'retry', 'resend'],
  ...['dismiss', 'unban'],
] as const;

/** So many acts that take something from people, and can be undone, stand open. */
const OPEN = 2;

/** Acts that few people come for. */
const SELDOM: ReadonlySet<string> = new Set(['putback']);

/**
 * Shows what one may do with a record, in three ranks: what one mostly comes for; the rest; and, folded, what cannot be
 * undone and what is too much to stand open. What can be undone is done at once ({@link buttonName}).
 */
function actions(c: C, kind: Kind, item: Item): Content {
  const { translate } = c.get('visit');
  const allowed = offeredVerbs(c, kind);
  const verbs = allowed.filter(({ name }) => isApplicable(kind.name, name, item));
  if (kind.verbs.length === 0) return '';
  if (allowed.length === 0) return html`<p class="hint">${translate('detail.noActions')}</p>`;
  const [first] = PRIMARY.flatMap((wanted) => verbs.filter(({ name }) => name === wanted));
  const others = verbs.filter((verb) => verb !== first && verb.name !== 'reject');
  const takes = others.filter(({ name }) => isDestructive(kind.name, name));
  const isFinal = ({ name }: Verb) => undoingVerb(c, kind, name) === undefined;
  const undone = takes.filter((verb) => !isFinal(verb));
  const milder = others.filter((verb) => !takes.includes(verb));
  const seldom = milder.filter(({ name }) => SELDOM.has(name));
  const isCrowded = undone.length > OPEN;
  const button = (verb: Verb) => {
    const rank = rankOf(kind.name, verb.name, takes.includes(verb) && isFinal(verb));
    return actButton(c, kind, item, verb, verb === first ? 'primary' : rank);
  };
  const open = [
    ...milder.filter((verb) => !seldom.includes(verb)),
    ...(isCrowded ? [] : undone),
  ].map(button);
  const folded = [...seldom, ...(isCrowded ? undone : []), ...takes.filter(isFinal)].map(button);
  const shownFirst = first === undefined ? '' : button(first);
  const isAlone = first === undefined && open.length === 0;
  const rest =
    isAlone || folded.length === 0
      ? folded
      : html`<details class="more" id="more"><summary class="button">${translate('detail.more')}</summary>
<div>${folded}</div></details>`;
  const key = String(item[kind.key]);
  const refusal = verbs.some(({ name }) => name === 'reject') ? rejection(c, kind, key, '') : '';
  return html`${formOfActs(ACTS, kind, key)}<div class="tools" role="group"
aria-label="${translate('detail.actions')}">${kind.name === 'backups' ? backupLinks(c, item) : ''}${shownFirst}${open}${refusal}${rest}</div>`;
}

/** The id of the form of the buttons. */
const ACTS = 'act';

function actButton(c: C, kind: Kind, item: Item, verb: Verb, tone: string): Html {
  const { translate, language } = c.get('visit');
  const { name, summary } = verb;
  const title = sentenceOf(language, summary);
  const called = isFirst(verb, item)
    ? translate('mail.sendNow')
    : verbFor(translate, kind.name, name);
  const text = html`${icon('verb', name)}${called}`;
  const editor = `${HOME}/${kind.name}/${segmentOf(String(item[kind.key]))}/edit`;
  const member = buttonName(kind, verb, undoingVerb(c, kind, name));
  return name === 'edit'
    ? html`<a class="button ${tone}" title="${title}" href="${editor}">${text}</a>`
    : html`<button form="${ACTS}" name="${member}" value="${name}" title="${title}" class="${tone}">${text}</button>`;
}

function facts(c: C, kind: Kind, record: NamedRecord): Html {
  const { item } = record;
  const { translate, language } = c.get('visit');
  const isEmpty = (name: string) => ['', null, undefined].includes(item[name] as string);
  const list = (some: readonly string[]) =>
    html`<dl class="facts">${some.map(
      (name) =>
        html`<div><dt title="${hintOf(language, kind.detail[name]?.description)}">
${fieldFor(translate, kind.name, name)}</dt><dd>${fact(c, kind, record, name)}</dd></div>`,
    )}</dl>`;
  const unsaid = standingOf(kind.name, item) === 'state' ? 'visibility' : 'state';
  const members = Object.keys(item).filter(
    (name) => !isShownAbove(kind.name, name) && name !== unsaid,
  );
  const empty = members.filter(isEmpty);
  const isFolded = (name: string) => LAYOUTS[kind.name]?.folded?.includes(name) === true;
  const [codes, plain] = [true, false].map((of) =>
    members.filter((name) => !isEmpty(name) && isFolded(name) === of),
  ) as [string[], string[]];
  const folded = (some: readonly string[], summary: string) =>
    some.length === 0 ? '' : html`<details><summary>${summary}</summary>${list(some)}</details>`;
  return html`<section aria-labelledby="facts"><h2 id="facts">${translate('detail.facts')}</h2>
${list(plain)}
${folded(codes, translate('detail.codes'))}
${folded(empty, translate('detail.empty', { count: empty.length }))}</section>`;
}

/**
 * A member of a record; keys and addresses of pages, which are used elsewhere, have a button that
 * copies them.
 */
function fact(
  c: C,
  kind: Kind,
  { item, names, details, pictures }: NamedRecord,
  name: string,
): Content {
  const { translate, language } = c.get('visit');
  const showing = { translate, language, names, details, pictures, item };
  const value = shown(showing, name, kind.detail[name], item[name]);
  if (name === kind.key) return copyable(translate, String(item[name]));
  if (!/^https?:\/\/\S+$/.test(String(item[name]))) return value;
  const what = html` data-copy="v-${name}"`;
  return html`<span id="v-${name}">${value}</span>
${copyButton(translate, what, fieldFor(translate, kind.name, name))}`;
}

/** Shows the record's entries in the audit trail. */
function historyPart(
  c: C,
  kindsByName: KindsByName,
  { history, names, details, pictures }: NamedRecord,
): Content {
  const { translate, language } = c.get('visit');
  const audit = kindsByName.get('audit');
  if (audit === undefined || history.length === 0) return '';
  const columns = ['at', 'by', 'action', 'details', 'address'].filter(
    (name) => name in fieldsOf(c, audit),
  );
  return html`<section aria-labelledby="history"><h2 id="history">${translate('detail.history')}</h2>
${dataTable(
  translate('detail.history'),
  columns.map((name) => fieldFor(translate, 'audit', name)),
  history.map((entry) => {
    const showing = { translate, language, names, details, pictures, short: true, item: entry };
    return columns.map((name) => {
      if (name === 'at') return time(entry.at as string);
      return shown(showing, name, audit.fields[name], entry[name]);
    });
  }),
  [],
  [columns.indexOf('by')],
)}</section>`;
}

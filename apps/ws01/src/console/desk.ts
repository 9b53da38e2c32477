import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { nameIn } from '../api/names-route.ts';
import { type ApiClient, apiFor, type ItemPage } from './api-client.ts';
import { formOfActs, rejection } from './at-once.ts';
import type { Kind } from './catalog.ts';
import { latestDeed } from './conflicts.ts';
import {
  type OnDesk,
  type Place,
  placeIn,
  queueCalled,
  queueOf,
  seenOf,
  type Waiting,
} from './desk-queue.ts';
import { emptyPart } from './empty.ts';
import { HOTKEYS } from './hotkeys.ts';
import { icon } from './icons.ts';
import { isApplicable, LAYOUTS, rankOf } from './kinds.ts';
import { labelled } from './labelled.ts';
import type { ConsolePageDeps, Content, Html } from './layout.ts';
import { nameOf, verbsFor } from './lists.ts';
import { liveBox, livePart } from './live.ts';
import { namesOf } from './names.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { picturesOf, thumbnails } from './pictures.ts';
import { readOn } from './read-on.ts';
import { isFramed, seenText } from './seen.ts';
import { cut } from './text.ts';
import { actionFor, oneOf, tag, verbFor, wordFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

const DESK = `${HOME}/desk`;

const ORDER = Object.keys(HOTKEYS);

/** What one mostly does here. */
const PRIMARY: ReadonlySet<string> = new Set(['publish', 'release']);

/** Other records of the author that are shown. */
const OTHERS = 5;

/** The desk: what waits for a decision, one after the other, each decided by one key. */
export function deskRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const { kindsByName, show } = deps;
  const app = new Hono<ConsoleEnv>();
  app.get('/desk', async (c) => {
    const { translate } = c.get('visit');
    const api = apiFor(deps, c);
    const { kind = '', key = '', skip, only } = c.req.query();
    const asked = { kind, key, only: queueCalled(only), skip: skippedOf(skip) };
    const look = async () => placeIn(await queueOf(api, kindsByName, asked.only), asked);
    const watched = livePart(deps, c, {
      look,
      part: async () => placePart(deps, c, asked, await look()),
    });
    if (watched !== undefined) return watched;
    const queue = await queueOf(api, kindsByName, asked.only);
    const { waiting } = queue;
    let at = asked.skip;
    let next: Waiting | undefined;
    // What was reported may be gone by now.
    for (; next === undefined && at < waiting.length; at++) next = await seenOf(api, waiting[at]!);
    at -= 1;
    const place =
      next === undefined
        ? asked
        : { ...asked, kind: next.kind.name, key: String(next.item[next.kind.key]), skip: at };
    const seen = placeIn(queue, place);
    const box = liveBox(c, await placePart(deps, c, place, seen), {
      ...{ seen, path: deskPath(place, { kind: place.kind, key: place.key }) },
    });
    const reports = kindsByName.get('reports')!;
    const shown = next === undefined ? '' : await deskPage(deps, c, api, next, reports, place);
    const content = html`${onlyPart(c, place)}${box}${shown}`;
    const tab = tabOf(c, seen.count);
    return show(c, { title: translate('nav.desk'), tab, content });
  });
  return app;
}

/** What the tab says: how much waits, for who has it among others. */
const tabOf = (c: C, count: number): string => {
  const name = c.get('visit').translate('nav.desk');
  return count === 0 ? name : `(${count}) ${name}`;
};

/** The address of the desk, at a place in what waits. */
function deskPath({ only, skip }: Place, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({
    ...(only !== undefined && { only }),
    ...(skip !== 0 && { skip: String(skip) }),
    ...more,
  });
  return query.size === 0 ? DESK : `${DESK}?${query}`;
}

/** Which queue is shown alone, with a link that leaves that out, and one to all that waits. */
function onlyPart(c: C, { only }: Place): Content {
  if (only === undefined) return '';
  const { translate } = c.get('visit');
  return html`<ul class="chips"><li><a class="chip" href="${DESK}">
<span class="hidden">${translate('list.without')}
</span>${translate(`desk.only.${only}`)} <span aria-hidden="true">×</span></a></li>
<li><a href="${DESK}">${translate('desk.all')}</a></li></ul>`;
}

const skippedOf = (text: string | undefined) => (/^\d{1,4}$/.test(text ?? '') ? Number(text) : 0);

/** Says how much waits, and when somebody else has decided of the record that is shown. */
async function placePart(
  deps: ConsolePageDeps,
  c: C,
  place: OnDesk,
  found: ReturnType<typeof placeIn>,
): Promise<Html> {
  const tab = `${tabOf(c, found.count)} · ${c.get('visit').site}`;
  return html`<span hidden data-tab="${tab}"></span>${await placeText(deps, c, place, found)}`;
}

async function placeText(
  deps: ConsolePageDeps,
  c: C,
  { key, only, skip }: OnDesk,
  { at, count, isMore }: ReturnType<typeof placeIn>,
): Promise<Html> {
  const { translate } = c.get('visit');
  if (at >= 0) {
    const told = translate(isMore ? 'desk.countMore' : 'desk.count', { at: at + 1, count });
    return html`<p class="hint">${told}</p>`;
  }
  const api = apiFor(deps, c);
  if (key === '' && count > 0) return moreOnDesk(c, { only, skip }, count);
  if (key === '') {
    const { waiting } = await queueOf(api, deps.kindsByName, undefined);
    return waiting.length === 0 ? emptyPart(c, 'desk') : othersWait(c, waiting.length);
  }
  const deed = await latestDeed(api, key);
  const who =
    deed === undefined
      ? ''
      : html` ${labelled(
          translate,
          html`<bdi>${String(deed.by ?? '')}</bdi>`,
          actionFor(translate, String(deed.action)),
        )}`;
  return html`<p class="notice">${translate('desk.decided')}${who}</p>
<p><a class="button primary" href="${deskPath({ only, skip })}" data-hotkey="n" aria-keyshortcuts="n">
${translate('desk.next')} <kbd>N</kbd></a></p>`;
}

/** Nothing of a queue waits any more, and some of others do. */
function othersWait(c: C, count: number): Html {
  const { translate } = c.get('visit');
  return html`<p>${translate('desk.noMore')}</p>
<p>${button(DESK, translate('desk.allCount', { count }))}</p>`;
}

/** What waits and is not shown: it came since, or was skipped. */
function moreOnDesk(c: C, { only, skip }: Place, count: number): Html {
  const { translate } = c.get('visit');
  const first = deskPath({ only, skip: 0 });
  return skip === 0
    ? html`<p>${button(first, translate('desk.waiting', { count }))}</p>`
    : html`<p>${translate('desk.end')}</p><p>${button(first, translate('desk.again'))}</p>`;
}

const button = (path: string, text: string): Html =>
  html`<a class="button primary" href="${path}">${text}</a>`;

async function deskPage(
  deps: ConsolePageDeps,
  c: C,
  api: ApiClient,
  { kind, item, report }: Waiting,
  reports: Kind,
  place: Place,
): Promise<Html> {
  const { translate } = c.get('visit');
  const path = `${HOME}/${kind.name}/${segmentOf(String(item[kind.key]))}`;
  return html`<div class="desk"><p class="hint what">${oneOf(translate, kind.name)}
${tag(translate, String(item.state))}</p>
${verdict(c, { kind, item, ...(report && { report }) }, reports, place)}
${report === undefined ? '' : await reported(c, api, report)}
<div class="columns"><section aria-labelledby="seen" class="seen">
<h2 id="seen">${translate('desk.seen')}</h2>
${await seenPart(deps, c, api, kind, item)}
<p><a href="${path}">${translate('desk.open')}</a></p></section>
${await author(c, api, item)}</div></div>`;
}

/** What readers say of a record. */
async function reported(c: C, api: ApiClient, report: Item): Promise<Html> {
  const { translate } = c.get('visit');
  const query = new URLSearchParams({ targetKey: String(report.targetKey), state: 'open' });
  const { items } = await readOn(api, '/reports', query, OTHERS);
  const said = items
    .filter(({ targetKind }) => targetKind === report.targetKind)
    .map(
      ({ reason, detail }) =>
        html`<li>${tag(translate, String(reason))} <bdi>${String(detail)}</bdi></li>`,
    );
  return html`<section aria-labelledby="reported">
<h2 id="reported">${translate('desk.reported')}</h2>
<ul class="hits">${said}</ul></section>`;
}

/** So many decisions stand open on a phone; the others are behind a button. */
const IN_REACH = 2;

/** What one decides, in a bar: on a phone at the bottom of the window, within reach of a thumb. */
function verdict(c: C, { kind, item, report }: Waiting, reports: Kind, place: Place): Html {
  const { translate } = c.get('visit');
  const verbs = verbsFor(c, kind)
    .map(({ name }) => name)
    .filter((name) => name in HOTKEYS && isApplicable(kind.name, name, item));
  const mayDismiss = report !== undefined && verbsFor(c, reports).length > 0;
  const [key, back] = [String(item[kind.key]), deskPath(place)];
  const shown = [...verbs, ...(mayDismiss ? ['dismiss'] : [])]
    .toSorted((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other))
    .map((name) => {
      if (name === 'reject') return rejection(c, kind, key, mark('reject'), back);
      return name === 'dismiss'
        ? decision(c, reports, name, DISMISSAL)
        : decision(c, kind, name, DECIDED);
    });
  const others = shown.slice(IN_REACH);
  const more = html`<details class="more"><summary class="button">
<span class="name">${translate('detail.more')}</span></summary>
<div>${others}</div></details>`;
  const next = deskPath({ ...place, skip: place.skip + 1 });
  const dismissal = mayDismiss ? formOfActs(DISMISSAL, reports, String(report.id), back) : '';
  return html`${formOfActs(DECIDED, kind, key, back)}${dismissal}
<div class="tools verdict">${shown.slice(0, IN_REACH)}${others.length === 0 ? '' : more}
<a class="button" href="${next}" data-hotkey="n" aria-keyshortcuts="n">${icon('app', 'next')}<span
class="name">${translate('desk.next')} <kbd>N</kbd></span></a></div>`;
}

/** The id of the form that dismisses the reports. */
const DISMISSAL = 'dismissal';

/** The id of the form of what is decided of the record itself. */
const DECIDED = 'decided';

/** A button that decides, with its key. */
function decision(c: C, kind: Kind, name: string, form: string): Html {
  const word = verbFor(c.get('visit').translate, kind.name, name);
  const key = HOTKEYS[name]!;
  const rank = PRIMARY.has(name) ? 'primary' : rankOf(kind.name, name, false);
  const text =
    name === 'dismiss' ? withBrief(word, c.get('visit').translate('desk.dismiss')) : word;
  return html`<button form="${form}" name="now" value="${name}" class="${rank}"
data-hotkey="${key}" aria-keyshortcuts="${key}">${icon('verb', name)}${text}${mark(name)}</button>`;
}

/** A text that is short for who sees it in a narrow bar, and whole for who hears it. */
const withBrief = (text: string, brief: string): Html =>
  html`<span class="name">${text}</span><span class="brief" aria-hidden="true">${brief}</span>`;

const mark = (name: string): Html => html` <kbd>${HOTKEYS[name]!.toUpperCase()}</kbd>`;

/**
 * What visitors see of a record; in a frame with its title and pictures, or with these above it.
 */
async function seenPart(
  deps: ConsolePageDeps,
  c: C,
  api: ApiClient,
  kind: Kind,
  item: Item,
): Promise<Content> {
  const text = await seenText(deps, c, kind, item);
  if (await isFramed(deps, kind.name, item)) return text;
  const called = nameOf(c.get('visit').translate, kind, item, await namesOf(api, [item]));
  return html`<h3><bdi>${called}</bdi></h3>
${kind.name === 'reviews' ? '' : thumbnails(c, await picturesOf(api, String(item.guid)))}
${text}`;
}

/** Who wrote it, and what else they wrote lately. */
async function author(c: C, api: ApiClient, item: Item): Promise<Html> {
  const { translate } = c.get('visit');
  const owner = item.createUserId ?? item.userId;
  if (typeof owner !== 'string' || owner === '')
    return html`<p class="hint">${translate('desk.noAuthor')}</p>`;
  const path = (kind: string) => `${kind}?createUserId=${encodeURIComponent(owner)}`;
  const [user, ...pages] = await Promise.all([
    orUndefined(api.get(`/users/${segmentOf(owner)}`)),
    ...['articles', 'adverts'].map((kind) =>
      api.get<ItemPage>(`/${path(kind)}&limit=${OTHERS}&total=true`),
    ),
  ]);
  const lists = ['articles', 'adverts'].map((kind, at) => {
    const { items, total } = pages[at]!;
    const count = total ?? items.length;
    if (count === 0) return '';
    const titles = items.map(
      (one) =>
        html`<li><a href="${HOME}/${kind}/${segmentOf(String(one.guid))}">
<bdi>${cut(nameIn(LAYOUTS[kind], one) ?? String(one.guid), 80)}</bdi></a>
${tag(translate, String(one.state))}</li>`,
    );
    const text = labelled(translate, wordFor(translate, 'kind', kind), String(count));
    return html`<p><a href="${HOME}/${path(kind)}">${text}</a></p><ul class="hits">${titles}</ul>`;
  });
  const name = (user && nameIn(LAYOUTS.users, user)) ?? owner;
  const link = html`<a href="${HOME}/users/${segmentOf(owner)}" title="${owner}">
<bdi>${cut(name, 60)}</bdi></a>`;
  const heading = labelled(translate, translate('desk.author'), link);
  return html`<section aria-labelledby="author"><h2 id="author">${heading}</h2>
${user?.blockedAt ? html`<p class="notice">${translate('desk.blocked')}</p>` : ''}${lists}</section>`;
}

import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { Admin } from '../domain/admins/admins.ts';
import { TAGS } from '../web/language.ts';
import { ICON } from '../web/site-page.ts';
import { assetUrl } from './assets/assets.ts';
import type { KindsByName } from './catalog.ts';
import { icon } from './icons.ts';
import { GO, keysButton, keysDialog } from './keys.ts';
import type { TextKey } from './texts/en.ts';
import {
  CHOICES,
  type Choice,
  type ConsoleDeps,
  type ConsoleEnv,
  HOME,
  type Visit,
} from './visit.ts';

export type Html = ReturnType<typeof html>;

/** Content of a template. */
export type Content = Html | string;

/** The parts that differ between pages. */
export interface Page {
  readonly title: string;
  /**
   * What the tab of the browser says, where the heading alone does not say what the page is about.
   */
  readonly tab?: string;
  readonly content: Content;
  /** The heading, where it is more than the title as text. */
  readonly heading?: Content;
  /** How what the page is about stands, in a word; it is beside the heading. */
  readonly state?: Content;
  /** What stands beside the heading: the button for a new one. */
  readonly beside?: Content;
  /** What stands above the heading: the way back to where this belongs. */
  readonly way?: Content;
  /** Whether the page has a chart. */
  readonly charts?: boolean;
  /** Whether it has an editor. */
  readonly editor?: boolean;
  /** Whether it has a list of records. */
  readonly records?: boolean;
  /** Whether its heading has the focus. */
  readonly focus?: boolean;
}

/** Renders a page with the menu for a signed-in admin. */
export type Show = (
  c: Context<ConsoleEnv>,
  page: Page,
  status?: 200 | 400 | 403 | 404 | 409 | 429 | 500 | 503,
) => Response | Promise<Response>;

/** What the pages of the console are made with. */
export interface ConsolePageDeps extends ConsoleDeps {
  readonly kindsByName: KindsByName;
  readonly show: Show;
}

/** htmx without eval, inline styles and requests to other sites, which the policy would block. */
const HTMX = JSON.stringify({
  allowEval: false,
  includeIndicatorStyles: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
  refreshOnHistoryMiss: true,
  scrollIntoViewOnBoost: false,
});

/** A page without the menu, for visitors who are not signed in. */
export function plainPage(visit: Visit, { title, content }: Page): Html {
  return document(
    visit,
    { title },
    html`<main id="content" class="narrow" tabindex="-1">
<p class="brand"><bdi>${visit.site}</bdi></p>
<h1>${title}</h1>
${content}
</main>
<footer class="foot">${switches(visit)}</footer>`,
  );
}

/** A page in the menu. */
export interface MenuLink {
  readonly path: string;
  readonly text: string;
  readonly icon: string;
}

/**
 * An entry of the menu, and the pages below it. It leads to the first of them; a part of one page
 * is that page.
 */
export interface MenuPart {
  readonly name: string;
  readonly icon: string;
  readonly links: readonly MenuLink[];
}

/** A page with the menu and the search, for a signed-in admin. */
export function page(visit: Visit, admin: Admin, menu: readonly MenuPart[], own: Page): Html {
  const { title, tab = title, heading = title, content, beside = '', way = '', state } = own;
  const { charts, editor, records, focus } = own;
  const { translate } = visit;
  const standing = state === undefined ? '' : html`<span id="standing">${state}</span>`;
  const who = html`<span class="hidden">${translate('nav.account')}${translate.colon}</span><span
class="name">${admin.name}</span>`;
  return document(
    visit,
    { title: tab, charts, editor, records, isLive: true },
    html`<header class="bar">
<button class="to-menu" popovertarget="menu"
aria-label="${translate('app.menu')}">${icon('app', 'menu')}</button>
<a class="brand" href="${HOME}"><bdi>${visit.site}</bdi></a>
${searchBox(visit)}
<p id="news" role="status"></p>
<a class="who" href="${HOME}/account">${icon('app', 'account')}${who}</a>
</header>
<div class="frame">
<div class="menu" id="menu" popover>
<nav aria-label="${translate('app.menu')}"><ul>${menuParts(visit, menu)}</ul>
<div class="foot">${switches(visit, ['density', 'keys'])}${keysButton(visit)}</div></nav>
</div>
${keysDialog(
  visit,
  menu.flatMap(({ links }) => links),
)}
<p id="lost" class="notice" role="status"></p>
<main id="content" tabindex="-1">
${way === '' ? '' : html`<p class="hint way">${way}</p>`}
<div class="head"><h1${focus ? raw(' tabindex="-1" autofocus') : ''}>${heading}</h1>${standing}${beside}</div>
${content}
</main>
</div>`,
  );
}

function searchBox(visit: Visit): Html {
  const { translate } = visit;
  return html`<form class="search" role="search" action="${HOME}/search">${icon('app', 'search')}<label
class="hidden" for="q">${translate('app.search')}</label><input
id="q" name="q" type="search" value="${searched(visit)}" maxlength="400"
placeholder="${translate('app.search.hint')}" title="${translate('search.operators')}" autocomplete="off" spellcheck="false"
data-completions="${HOME}/completions?"></form>`;
}

/** What the search page was asked for. */
function searched({ path }: Visit): string {
  const url = new URL(path, 'http://console');
  return url.pathname === `${HOME}/search` ? (url.searchParams.get('q') ?? '').slice(0, 400) : '';
}

/**
 * The entries of the menu. The pages below the present one stand open; those of the others show
 * beside them while a mouse or the focus is there, and on a narrow screen below them.
 */
/** The mark of a link that a key leads to. */
const goKey = ({ icon: name }: MenuLink) => GO[name] && html` data-go="${GO[name]}"`;

function menuParts({ path }: Visit, menu: readonly MenuPart[]): Content {
  const { pathname } = new URL(path, 'http://console');
  const isIn = (link: MenuLink) =>
    pathname === link.path || (link.path !== HOME && pathname.startsWith(`${link.path}/`));
  const present = menu
    .flatMap(({ links }) => links)
    .filter(isIn)
    .toSorted((one, other) => other.path.length - one.path.length)[0];
  const item = (link: MenuLink, sign: Content) =>
    html`<a href="${link.path}"${link === present ? raw(' aria-current="page"') : ''}${goKey(link)}>${sign}${link.text}</a>`;
  return html`${menu.map(({ name, icon: sign, links }) => {
    const [first, ...others] = links;
    if (others.length === 0) return html`<li>${item(first!, icon('menu', sign))}</li>`;
    const isOpen = present !== undefined && links.includes(present);
    const below = links.map((link) => html`<li>${item(link, icon('menu', link.icon))}</li>`);
    return html`<li class="part${isOpen ? ' open' : ''}">
<a class="entry" href="${first!.path}">${icon('menu', sign)}${name}</a>
<ul class="below">${below}</ul></li>`;
  })}`;
}

/** A form with buttons that change how pages look. */
const choices = ({ path }: Visit, buttons: Content): Html =>
  html`<form method="post" action="${HOME}/choice" class="inline">
<input type="hidden" name="next" value="${path}">${buttons}</form>`;

/**
 * Buttons for the other language and the next theme: the one says what comes, the other what is.
 */
function switches(visit: Visit, more: readonly Choice[] = []): Html {
  const { language, translate } = visit;
  const other = language === 'en' ? 'zh' : 'en';
  return choices(
    visit,
    html`<button class="plain" name="language" value="${other}"
lang="${other}">${icon('app', 'language')}${translate('app.language')}</button>
${(['theme', ...more] as const).map((name) => choiceButton(visit, name))}`,
  );
}

/** The button says what is chosen, and chooses the next. */
function choiceButton({ translate, choices: chosen }: Visit, name: Choice): Html {
  const values: readonly string[] = CHOICES[name];
  const next = values[(values.indexOf(chosen[name]) + 1) % values.length]!;
  const text = translate(`${name}.${chosen[name]}` as TextKey);
  return html`<button class="plain" name="${name}" value="${next}">${icon('app', name)}${text}</button>
`;
}

function document(
  visit: Visit,
  {
    title,
    charts,
    editor,
    records,
    isLive,
  }: {
    title: string;
    charts?: boolean | undefined;
    editor?: boolean | undefined;
    records?: boolean | undefined;
    isLive?: boolean;
  },
  body: Content,
): Html {
  const { translate, language, choices: chosen } = visit;
  const { theme } = chosen;
  const changed = (Object.keys(CHOICES) as Choice[])
    .filter((name) => chosen[name] !== CHOICES[name][0])
    .map((name) => raw(` data-${name}="${chosen[name]}"`));
  return html`<!DOCTYPE html>
<html lang="${TAGS[language]}"${changed}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="${theme === 'auto' ? 'light dark' : theme}">
<meta name="htmx-config" content="${HTMX}">
<title>${title} · ${visit.site}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${assetUrl('console.css')}">
<script defer src="${assetUrl('locale.js')}"></script>
${
  charts
    ? html`<link rel="stylesheet" href="${assetUrl('uplot.css')}">
<script defer src="${assetUrl('uplot.js')}"></script>`
    : ''
}
<script defer src="${assetUrl('htmx.js')}"></script>
<script defer src="${assetUrl('console.js')}"></script>
${isLive ? html`<script defer src="${assetUrl('live.js')}"></script>` : ''}
${editor ? html`<script defer src="${assetUrl('editor.js')}"></script>` : ''}
</head>
<body data-home="${HOME}"
 data-time="${translate('field.at')}" data-copied="${translate('app.copied')}"
 data-gone="${translate('error.gone')}" data-aborted="${translate('error.passkeyAborted')}"
 data-failed="${translate('error.passkeyFailed')}" data-unsupported="${translate('error.passkeyUnsupported')}"
 data-ways="${translate('search.ways')}"
 data-bar="${translate('history.bar')}" data-so-far="${translate('history.soFar')}">
<a class="skip" href="#content">${translate('app.skip')}</a>
${records ? html`<a class="skip" href="#records">${translate('list.skip')}</a>` : ''}
${body}
<p id="toast" role="status"></p>
</body>
</html>`;
}

/** What a narrow screen shows folded, and a wide one open, without the words that unfold it. */
export const folded = (id: string, summary: Content, content: Content): Html =>
  html`<details class="fold" id="${id}"><summary>${summary}</summary>
${content}</details>`;

/** Shows an instant to the minute in the browser's time zone; without scripts, in UTC. */
export const time = (instant: Shown): Content => timeAs('', instant);

/**
 * The same for lists: `2 hr ago` of the last day, and a shorter date of earlier ones; a title has
 * the whole.
 */
export const ago = (instant: Shown): Content => timeAs(raw(' class="ago"'), instant);

/** The same with its seconds, for steps that may follow within a minute. */
export const toTheSecond = (instant: Shown): Content =>
  timeAs(raw(' class="seconds"'), instant, 19);

type Shown = number | string | null | undefined;

/** @param chars of the instant that are shown without a script. */
function timeAs(as: Content, instant: Shown, chars = 16): Content {
  if (instant === null || instant === undefined) return '–';
  const text = typeof instant === 'number' ? new Date(instant).toISOString() : instant;
  return html`<time datetime="${text}"${as}>${text.slice(0, chars).replace('T', ' ')} UTC</time>`;
}

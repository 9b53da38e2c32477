import type { Service } from '../../contract/service.ts';
import {
  homeLink,
  opLink,
  relativeEndpoint,
  relativeLink,
  type ServiceAddress,
  withQuery,
} from '../service-address.ts';
import { PAGE_SCRIPT, PAGE_STYLE } from './client/assets.ts';
import { html, type Markup, raw } from './html.ts';
import { otherLanguages, say, tagOf, textOf } from './reader.ts';
import { SCRIPT_WORDS } from './words.ts';

/**
 * The Content-Security-Policy: only the page's own style and script, and requests and forms to its
 * own origin.
 */
export const PAGE_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${PAGE_STYLE.cspSource}`,
  `script-src ${PAGE_SCRIPT.cspSource}`,
  'img-src data:',
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** An icon without a request: the service's brackets. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#036"/>' +
    '<path d="M12 9l-6 7 6 7m8-14l6 7-6 7" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>',
)}`;

interface Page {
  /** What the page is about; of the service itself when absent. */
  readonly title?: string;
  /** Whether the operations are listed beside the content. */
  readonly hasOperations: boolean;
  /** The operation the page is about, marked in that list. */
  readonly current?: string;
  readonly content: Markup;
}

/** A whole page around its content. */
export function layout(service: Service, place: ServiceAddress, page: Page): string {
  const [home, documents] = [homeLink(place), relativeEndpoint(place)];
  const site = place.siteName?.() ?? service.name;
  return html`<!DOCTYPE html>
<html lang="${tagOf(place)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${titleOf(service, site, page)}</title>
<link rel="alternate" type="text/xml" href="${withQuery(documents, 'disco')}">
<link rel="icon" href="${ICON}">
<style>${raw(PAGE_STYLE.text)}</style>
</head>
<body${scriptWords(place)}>
<a class="skip" href="#content">${say(place, 'Skip to content')}</a>
<header class="bar">
<a class="brand" href="${home}"><bdi>${site}</bdi></a>
<nav aria-label="${say(place, 'Documents')}">
<a href="${withQuery(documents, 'WSDL')}">WSDL</a>
<a href="${withQuery(documents, 'disco')}">${say(place, 'Discovery')}</a>
<a href="openapi.json">OpenAPI</a>${Object.entries(place.links ?? {}).map(
    ([text, link]) => html`
<a href="${relativeLink(place, link)}">${textOf(place, text)}</a>`,
  )}${otherLanguages(place).map(
    ([tag, name]) => html`
<a href="${pageLink(place, tag, page.current)}" lang="${tag}" hreflang="${tag}">${name}</a>`,
  )}
</nav>
</header>
<div class="frame${page.hasOperations && ' wide'}">
${page.hasOperations && operationList(service, place, page.current)}
<main id="content" tabindex="-1">
${page.content}
</main>
</div>
<script>${raw(PAGE_SCRIPT.text)}</script>
</body>
</html>
`.markup;
}

/** What a page is about, and whose it is; the service's own page begins as ASP.NET's does. */
function titleOf({ name }: Service, site: string, { title }: Page): string {
  const service = `${name} Web Service`;
  const owner = site === name ? service : site;
  return [...new Set([title ?? service, owner])].join(' · ');
}

/** The words of the script where they are not English. */
function scriptWords(place: ServiceAddress): Markup | false {
  const words = SCRIPT_WORDS.map((word) => [word, textOf(place, word)]);
  return tagOf(place) !== 'en' && html` data-words="${JSON.stringify(Object.fromEntries(words))}"`;
}

/** The same page in another language. */
function pageLink(place: ServiceAddress, tag: string, operation: string | undefined): string {
  const home = homeLink(place, tag);
  return operation === undefined ? home : opLink(home, operation);
}

function operationList(
  service: Service,
  place: ServiceAddress,
  current: string | undefined,
): Markup {
  const home = homeLink(place);
  return html`<nav class="operations" aria-label="${say(place, 'Operations')}">
<ul>${sortedNames(service).map((name) => operationItem(home, name, current))}
</ul>
</nav>`;
}

function operationItem(home: string, name: string, current: string | undefined): Markup {
  return html`
<li><a href="${opLink(home, name)}"${name === current && raw(' aria-current="page"')}>${breakable(name)}</a></li>`;
}

/**
 * A name that may be broken before its capitals, so that long ones fit narrow screens; copied
 * without the break.
 */
export function breakable(name: string): Markup {
  return html`${name.split(/(?<=[a-z])(?=[A-Z])/).map((word, index) => html`${index > 0 && raw('<wbr>')}${word}`)}`;
}

/** Operation names in ASP.NET's order: ordinal, capitals first. */
export function sortedNames(service: Service): string[] {
  return service.operations.map((operation) => operation.name).sort();
}

import { createHash } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { html, raw } from 'hono/html';
import { UNCACHED } from '../failure/answer-headers.ts';
import { pageBelow } from './base-path.ts';
import { acceptsHtml } from './direct-answers.ts';
import { type Language, languageOf, TAGS } from './language.ts';
import { hasWordsFor, siteText } from './site-texts.ts';

const STYLE = `
:root { color-scheme: light dark; background: Canvas; color: CanvasText; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0; overflow-wrap: anywhere; }
header, nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
header { align-items: baseline; padding: .75rem 1rem;
  background: light-dark(#036, #0b2545); color: #fff; }
header b { margin-right: auto; }
header a { display: inline-block; min-height: 1.5rem; color: #fff; text-decoration: none; }
header a:hover { text-decoration: underline; }
header a:focus-visible { outline: 2px solid #fff; }
main { margin: 0 auto; padding: 1rem; max-width: 40rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
a { color: LinkText; }
.target { display: block; padding: .75rem 1rem; border: 1px solid; border-radius: .5rem; }
img { display: block; width: 12rem; height: 12rem; margin-top: 1.5rem; background: #fff; }
`;

export const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#036"/>' +
    '<path d="M8 9h16M8 16h16M8 23h10" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>',
)}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Only the page's own style and pictures; no frames, no search engines. */
export const PAGE_HEADERS = {
  ...UNCACHED,
  'Content-Security-Policy': [
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self' data:`,
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept, Accept-Language',
  'X-Robots-Tag': 'noindex',
} as const;

type Html = ReturnType<typeof html>;

/** Whom a page is for, and whose it is. */
export interface SiteVisit {
  readonly language: Language;
  /** What the site is called. */
  readonly site: string;
}

/** The language of a request's browser. */
export function siteLanguage(c: Context): Language {
  return languageOf(undefined, c.req.header('accept-language'));
}

/**
 * A page for visitors of the site, who need no account.
 * @param nav what stands beside the name of the site: links to other pages.
 */
export function sitePage(
  { language, site }: SiteVisit,
  title: string,
  content: Html,
  nav: Html | '' = '',
): Html {
  return html`<!doctype html>
    <html lang="${TAGS[language]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${site}</title>
        <link rel="icon" href="${ICON}" />
        <style>${raw(STYLE)}</style>
      </head>
      <body>
        <header><b><bdi>${site}</bdi></b>${nav}</header>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`;
}

/**
 * Gives browsers a page in their language instead of the sentence that programs get with an error.
 * @param places the pages that it leads to, by their names.
 * @param siteName what the site is called now.
 * @param basePath returns the path of a request that all paths of the service are below.
 */
export function errorPages(
  places: Readonly<Partial<Record<'operations' | 'api' | 'console', string>>>,
  siteName: () => string,
  basePath: (c: Context) => string,
): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const { status, headers } = c.res;
    const isSentence = headers.get('Content-Type')?.startsWith('text/plain') === true;
    if (!hasWordsFor(status) || !isSentence || !acceptsHtml(c.req.header('accept'))) return;
    const language = siteLanguage(c);
    const text = (name: Parameters<typeof siteText>[1]) => siteText(language, name);
    const id = headers.get('X-Request-Id');
    const links = Object.entries(places).map(
      ([name, path]) => html`<a href="${path}">${text(name as 'api')}</a> `,
    );
    const content = html`<p>${text(`${status}.text`)}</p>
      ${id === null ? '' : html`<p>${text('request')}: <code>${id}</code></p>`}`;
    const nav = html`<nav aria-label="${text('pages')}">${links}</nav>`;
    const visit = { language, site: siteName() };
    const page = await sitePage(visit, text(`${status}.title`), content, nav);
    const answer = new Response(pageBelow(basePath(c), String(page)), { status, headers });
    answer.headers.set('Content-Type', 'text/html; charset=UTF-8');
    for (const [name, value] of Object.entries(PAGE_HEADERS)) answer.headers.set(name, value);
    c.res = undefined;
    c.res = answer;
  };
}

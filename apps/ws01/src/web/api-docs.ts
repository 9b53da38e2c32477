import { createRequire } from 'node:module';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { html } from 'hono/html';
import { type Language, languageOf, TAGS } from './language.ts';
import { API_DOCS_PATH } from './own-paths.ts';
import { PackedFile } from './packed-file.ts';
import { ICON } from './site-page.ts';
import { type SiteText, siteText } from './site-texts.ts';

/**
 * The documents by their path below {@link API_DOCS_PATH}. The longer one starts with its groups
 * collapsed.
 */
const DOCUMENTS = {
  '': { title: 'api', url: '/api/v1/openapi.json', expansion: 'none' },
  '/operations': { title: 'operations', url: '/openapi.json', expansion: 'list' },
} as const;

/** Scripts and styles of this service only; Swagger UI's icons are data URLs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Reads the files of the pages on first use. */
function readAssets() {
  const { resolve } = createRequire(import.meta.url);
  const files = {
    'swagger-ui.css': resolve('swagger-ui-dist/swagger-ui.css'),
    'swagger-ui.js': resolve('swagger-ui-dist/swagger-ui-bundle.js'),
    'api-docs.css': new URL('assets/api-docs.css', import.meta.url),
    'api-docs.js': new URL('assets/api-docs.js', import.meta.url),
  } as const;
  return new Map(
    Object.entries(files).map(([name, path]) => {
      const file = new PackedFile(path);
      return [name, { file, url: `${API_DOCS_PATH}/assets/${file.tag}/${name}` }] as const;
    }),
  );
}

/** Paths of other pages, by what they are. */
type Places = Readonly<Partial<Record<'soap' | 'console', string>>>;

/** Where the words of the documents are in another language. */
const WORDS = '/words/zh.json';

/**
 * Serves the OpenAPI documents with Swagger UI, which can make calls. Mount it at
 * {@link API_DOCS_PATH}.
 * @param places the paths of other pages that it leads to.
 * @param siteName what the site is called now.
 * @param words returns what the documents say in Chinese, by what they say in English.
 */
export function apiDocs(
  places: Places,
  siteName: () => string,
  words: () => Promise<Readonly<Record<string, string>>>,
): Hono {
  const app = new Hono();
  let read: ReturnType<typeof readAssets> | undefined;
  const assets = () => {
    read ??= readAssets();
    return read;
  };
  for (const path of Object.keys(DOCUMENTS) as (keyof typeof DOCUMENTS)[]) {
    app.get(path === '' ? '/' : path, (c) => {
      c.header('Content-Security-Policy', POLICY);
      c.header('X-Content-Type-Options', 'nosniff');
      c.header('Referrer-Policy', 'no-referrer');
      c.header('X-Robots-Tag', 'noindex');
      c.header('Vary', 'Accept-Language');
      const chosen = c.req.query('lang');
      const visit = {
        language: languageOf(chosen, c.req.header('accept-language')),
        isChosen: chosen !== undefined,
        site: siteName(),
      };
      return c.html(page(path, visit, places, (name) => assets().get(name)!.url));
    });
  }
  app.get(WORDS, compress(), async (c) => c.json(await words()));
  app.get('/assets/:tag/:name', async (c) => {
    const asset = assets().get(c.req.param('name'));
    if (asset === undefined || asset.url !== c.req.path)
      return c.text('Nothing is served here.\n', 404);
    return asset.file.answer(c.req.header('accept-encoding'));
  });
  return app;
}

interface DocsVisit {
  readonly language: Language;
  /** Whether the address says the language: then the links do, too. */
  readonly isChosen: boolean;
  readonly site: string;
}

function page(
  shown: keyof typeof DOCUMENTS,
  { language, isChosen, site }: DocsVisit,
  places: Places,
  asset: (name: string) => string,
) {
  const text = (name: SiteText, values?: Readonly<Record<string, string>>) =>
    siteText(language, name, values);
  const { title, url, expansion } = DOCUMENTS[shown];
  const other = language === 'en' ? 'zh' : 'en';
  const query = isChosen ? `?lang=${language}` : '';
  const words = language === 'en' ? '' : html` data-words="${API_DOCS_PATH}${WORDS}"`;
  const english = text('docs.english');
  return html`<!DOCTYPE html>
<html lang="${TAGS[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(title)} · ${site}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${asset('swagger-ui.css')}">
<link rel="stylesheet" href="${asset('api-docs.css')}">
<script defer src="${asset('swagger-ui.js')}"></script>
<script defer src="${asset('api-docs.js')}"></script>
</head>
<body>
<header><b><bdi>${site}</bdi></b><nav aria-label="${text('pages')}">${Object.entries(DOCUMENTS).map(
    ([path, document]) =>
      html`<a href="${API_DOCS_PATH}${path}${query}" aria-current="${path === shown ? 'page' : 'false'}">${text(document.title)}</a> `,
  )}<a href="${url}">${url}</a> ${Object.entries(places).map(
    ([name, path]) => html`<a href="${path}">${text(name as keyof Places)}</a> `,
  )}<a href="${API_DOCS_PATH}${shown}?lang=${other}" lang="${TAGS[other]}" hreflang="${TAGS[other]}">${NAMES[other]}</a></nav>${english === '' ? '' : html`<p>${english}</p>`}</header>
<main id="document" data-url="${url}" data-expansion="${expansion}" data-loading="${text('docs.loading')}" data-operations="${text('operations')}"${words}><noscript>${text('docs.script', { url })}</noscript></main>
</body>
</html>`;
}

/** What each language calls itself. */
const NAMES: Readonly<Record<Language, string>> = { en: 'English', zh: '中文' };

import { createRequire } from 'node:module';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { API_DOCS_PATH } from './own-paths.ts';
import { PackedFile } from './packed-file.ts';
import { ICON } from './site-page.ts';

/** The documents by their path below {@link API_DOCS_PATH}. The longer one starts with its groups collapsed. */
const DOCUMENTS = {
  '': { title: 'HTTP API', url: '/api/v1/openapi.json', expansion: 'none' },
  '/operations': { title: 'Operations', url: '/openapi.json', expansion: 'list' },
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

/**
 * Serves the OpenAPI documents with Swagger UI, which can make calls. Mount it at {@link API_DOCS_PATH}.
 * @param places the paths of other pages that it leads to, by what the links say.
 * @param siteName what the site is called now.
 */
export function apiDocs(places: Readonly<Record<string, string>>, siteName: () => string): Hono {
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
      return c.html(page(path, siteName(), places, (name) => assets().get(name)!.url));
    });
  }
  app.get('/assets/:tag/:name', async (c) => {
    const asset = assets().get(c.req.param('name'));
    if (asset === undefined || asset.url !== c.req.path)
      return c.text('Nothing is served here.\n', 404);
    return asset.file.answer(c.req.header('accept-encoding'));
  });
  return app;
}

function page(
  shown: keyof typeof DOCUMENTS,
  site: string,
  places: Readonly<Record<string, string>>,
  asset: (name: string) => string,
) {
  const { title, url, expansion } = DOCUMENTS[shown];
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${site}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${asset('swagger-ui.css')}">
<link rel="stylesheet" href="${asset('api-docs.css')}">
<script defer src="${asset('swagger-ui.js')}"></script>
<script defer src="${asset('api-docs.js')}"></script>
</head>
<body>
<header><b><bdi>${site}</bdi></b><nav aria-label="Documents">${Object.entries(DOCUMENTS).map(
    ([path, document]) =>
      html`<a href="${API_DOCS_PATH}${path}" aria-current="${path === shown ? 'page' : 'false'}">${document.title}</a> `,
  )}<a href="${url}">${url}</a> ${Object.entries(places).map(
    ([text, path]) => html`<a href="${path}">${text}</a> `,
  )}</nav></header>
<main id="document" data-url="${url}" data-expansion="${expansion}"><noscript>This page needs JavaScript; the document itself is at <a href="${url}">${url}</a>.</noscript></main>
</body>
</html>`;
}

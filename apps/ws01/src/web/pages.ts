import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Logger } from 'pino';
import type { Media } from '../domain/images/serving/media.ts';
import { MEDIA_PATH } from '../domain/values/image-url.ts';
import { apiDocs } from './api-docs.ts';
import { belowBasePath } from './base-path.ts';
import { createFailureAnswers, type FailureAnswer, NO_URL } from './failures.ts';
import type { PictureAnswers } from './image-answers.ts';
import { type LegacyPaths, legacyPages } from './legacy-paths.ts';
import { createMailPages, MAIL_PATH, type MailPageDeps } from './mail-pages.ts';
import { createMediaPages } from './media-pages.ts';
import { API_DOCS_PATH, CONSOLE_PATH } from './own-paths.ts';
import { type ReceivedRequest, receivedRequestOf } from './received-request.ts';
import { requestIdOf } from './request-ids.ts';
import { createShortLinks, type ShortLinkDeps } from './short-links.ts';
import { errorPages } from './site-page.ts';

/** Paths with other pages below them. */
const OWN_PATHS = [API_DOCS_PATH, '/api/v1', MEDIA_PATH, MAIL_PATH, CONSOLE_PATH];

/** Dependencies of the pages. */
export interface PageDeps {
  /** Returns the path of the base URL that a request came by; `''` for none. */
  readonly basePath: (request: ReceivedRequest) => string;
  /** The path of the service; `/` redirects to it. */
  readonly servicePath: string;
  /** Answers a GET of the OpenAPI document. */
  readonly openApi: (request: ReceivedRequest) => DocumentAnswer;
  /** Answers `/console` and the paths below it; `undefined` without a console on this port. */
  readonly console:
    | ((request: Request, env: HttpBindings) => Response | Promise<Response>)
    | undefined;
  /** What the site is called now. */
  readonly siteName: () => string;
  readonly media: Media;
  readonly pictures: PictureAnswers;
  readonly mail: MailPageDeps;
  readonly shortLinks: ShortLinkDeps;
  /** The paths of short links, without trailing slashes; may be empty. */
  readonly shortLinkPaths: readonly string[];
  /** The paths of images and short links of an old service. */
  readonly legacyPaths: LegacyPaths;
  /** Returns what the pages about the API say in Chinese, by what the documents say in English. */
  readonly apiWords: () => Promise<Readonly<Record<string, string>>>;
  /** Loads the HTTP API on first use. */
  readonly api: () => Promise<HttpApi>;
  /** The log of failures. */
  readonly log: Logger;
}

/** Answers requests below the path of the HTTP API. */
interface HttpApi {
  fetch(
    request: Request,
    bindings: { readonly incoming: HttpBindings['incoming']; readonly requestId: string },
  ): Response | Promise<Response>;
}

/** A document with its status and headers. */
interface DocumentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

type Web = Hono<{ Bindings: HttpBindings }>;

/** Returns the path of the base URL that a request came by. */
type BasePath = (request: { readonly env: HttpBindings }) => string;

/**
 * Creates the `node:http` listener for all pages outside of the endpoint. It never throws or
 * rejects: errors are logged and answered with one sentence.
 */
export function createPages(deps: PageDeps): (req: IncomingMessage, res: ServerResponse) => void {
  const answerFailure = createFailureAnswers(deps.log);
  const web: Web = new Hono();
  web.onError((error, { req, env }) =>
    responseOf(
      answerFailure(error, { method: req.method, path: req.path, requestId: requestIdOf(env) }),
    ),
  );
  const consolePath = deps.console === undefined ? undefined : CONSOLE_PATH;
  const basePath: BasePath = ({ env }) => deps.basePath(receivedRequestOf(env.incoming));
  const here = consolePath && { console: consolePath };
  const pages = { operations: deps.servicePath, api: API_DOCS_PATH, ...here };
  web.use(errorPages(pages, deps.siteName, basePath));
  web.route(MEDIA_PATH, createMediaPages(deps.media, deps.pictures));
  web.route(MAIL_PATH, createMailPages(deps.mail));
  if (deps.console !== undefined) {
    const answer = deps.console;
    for (const path of [CONSOLE_PATH, `${CONSOLE_PATH}/*`])
      web.all(path, (c) => answer(c.req.raw, c.env));
  }
  web.use(belowBasePath(basePath));
  // Before the headers of pages: redirects are frequent and have no page, and images are embedded
  // by other sites.
  for (const path of deps.shortLinkPaths) {
    const isAlone =
      path !== '' && !OWN_PATHS.some((own) => own === path || own.startsWith(`${path}/`));
    web.route(path === '' ? '/' : path, createShortLinks(deps.shortLinks, isAlone));
  }
  web.use(legacyPages(deps.legacyPaths, deps));
  // The policy allows scripts and styles of this service.
  const docs = apiDocs({ soap: deps.servicePath, ...here }, deps.siteName, deps.apiWords);
  web.route(API_DOCS_PATH, docs);
  web.use(
    secureHeaders({
      strictTransportSecurity: false,
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    }),
  );
  serveRest(web, deps, basePath);
  // Requests that the adapter cannot convert, and thrown values that are not an Error.
  const errorHandler = (error: unknown) =>
    responseOf(
      error instanceof RequestError
        ? NO_URL
        : answerFailure(error, { method: '-', path: '-', requestId: crypto.randomUUID() }),
    );
  return getRequestListener((request, env) => web.fetch(request, env), { errorHandler });
}

/** Serves the HTTP API, and what is said at single paths and at all others. */
function serveRest(web: Web, deps: PageDeps, basePath: BasePath): void {
  for (const path of ['/api', '/api/']) web.get(path, (c) => c.redirect(API_DOCS_PATH, 302));
  web.all('/api/*', async (c) =>
    (await deps.api()).fetch(c.req.raw, {
      incoming: c.env.incoming,
      requestId: requestIdOf(c.env),
    }),
  );
  web.get('/', (c) => c.redirect(deps.servicePath, 302));
  // What robots may fetch (RFC 9309): everything but the console. A page that search engines must
  // not list says so itself by `X-Robots-Tag`, which they read only where they may fetch it;
  // previews of short links need their pages.
  web.get('/robots.txt', (c) => c.text(`User-agent: *\nDisallow: ${basePath(c)}${CONSOLE_PATH}\n`));
  web.get('/openapi.json', (c) => {
    const { status, headers, body } = deps.openApi(receivedRequestOf(c.env.incoming));
    return new Response(status === 304 ? null : body, { status, headers });
  });
  web.notFound((c) =>
    c.text(`Nothing is served here; the service is at ${basePath(c)}${deps.servicePath}.\n`, 404),
  );
}

function responseOf({ status, headers, body }: FailureAnswer): Response {
  return new Response(body, { status, headers });
}

import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { html } from 'hono/html';
import { endBodyOfHead } from '../api/head.ts';
import { ERRORS, Ws01Error } from '../contract/errors.ts';
import { say } from '../contract/sentence.ts';
import { reportedError } from '../failure/translate.ts';
import { belowBasePath } from '../web/base-path.ts';
import { languageOf } from '../web/language.ts';
import { receivedRequestOf } from '../web/received-request.ts';
import { requestIdOf } from '../web/request-ids.ts';
import { accountRoutes } from './account.ts';
import { actRoutes } from './actions.ts';
import { assetPages } from './assets/assets.ts';
import { readCatalog } from './catalog.ts';
import { completionRoutes } from './completions.ts';
import { putChoice, putLanguageCookie } from './cookies.ts';
import { createRoutes } from './create.ts';
import { deskRoutes } from './desk.ts';
import { detailRoutes } from './details.ts';
import { errorPart, errorText } from './errors.ts';
import { extrasOf } from './extras.ts';
import { firstDayRoutes } from './first-day.ts';
import { consolePath, formText } from './forms.ts';
import {
  askToSignIn,
  identifyVisit,
  rejectCrossSite,
  requireEncryption,
  securityHeaders,
  signedIn,
} from './guard.ts';
import { inboxRoutes } from './inbox.ts';
import { labelled } from './labelled.ts';
import { type ConsolePageDeps, page, plainPage, type Show } from './layout.ts';
import { linkVisitRoutes } from './link-visits.ts';
import { listRoutes } from './lists.ts';
import { mailServerRoutes } from './mail-server.ts';
import { menuFor } from './menu.ts';
import { waysOn } from './not-found.ts';
import { offerRoutes } from './offer-routes.ts';
import { overviewRoutes } from './overview.ts';
import { pictureRoutes } from './pictures.ts';
import { restoreRoutes } from './restore.ts';
import { revisionRoutes } from './revisions.ts';
import { savedFilterRoutes } from './saved-filters.ts';
import { searchRoutes } from './search.ts';
import { seenRoutes } from './seen.ts';
import { settingsRoutes } from './settings.ts';
import { signInRoutes } from './sign-in.ts';
import { problem } from './sign-in-pages.ts';
import { serviceTableRoutes } from './tables-of-service.ts';
import { toldTo } from './told-once.ts';
import { CHOICES, type Choice, type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

/** Maximum length of a form with a filter, a reason or the keys of a page of records; bytes. */
const MAX_FORM_BYTES = 256 * 1024;

/** Maximum length of a form with the text of an article, percent-encoded; bytes. */
const MAX_TEXT_FORM_BYTES = 20 * 1024 * 1024;

/**
 * Maximum length of a form before sign-in, a name and a password or a new passkey; bytes. Its sender is not
 * authenticated.
 */
const MAX_OPEN_FORM_BYTES = 16 * 1024;

/** Paths that accept forms without a sign-in. */
const OPEN_PATHS = ['/choice', '/sign-in', '/sign-out', '/passkey', '/passkey/*', '/set-up/*'];

const PAGES = [
  ...[overviewRoutes, deskRoutes, inboxRoutes, revisionRoutes, linkVisitRoutes, seenRoutes],
  ...[pictureRoutes, offerRoutes, restoreRoutes, mailServerRoutes, settingsRoutes],
  firstDayRoutes,
];
const KIND_PAGES = [savedFilterRoutes, listRoutes, actRoutes, createRoutes];

/** Creates the console: pages for people, on top of the API. Mount it at {@link HOME}. */
export async function createConsole(deps: ConsoleDeps): Promise<Hono<ConsoleEnv>> {
  const catalog = await readCatalog(deps.api);
  const app = new Hono<ConsoleEnv>().basePath(HOME);
  const show: Show = async (c, own, status = 200) => {
    const [visit, admin, told] = [c.get('visit'), c.get('admin'), await toldTo(deps, c)];
    const menu = menuFor(visit, admin.role, catalog, deps.servicePath);
    return c.html(
      page(visit, admin, menu, { ...own, content: html`${told}${own.content}` }),
      status,
    );
  };
  const pageDeps: ConsolePageDeps = { ...deps, kindsByName: catalog.kinds, show };
  app.use(compress({ contentTypeFilter: /^text\/html/ }));
  app.use(belowBasePath(({ env }) => deps.basePath(receivedRequestOf(env.incoming))));
  app.use(endBodyOfHead, securityHeaders, identifyVisit(deps));
  app.route('/assets', assetPages());
  app.use(requireEncryption, rejectCrossSite);
  for (const path of OPEN_PATHS) app.use(path, bodyAtMost(MAX_OPEN_FORM_BYTES));
  app.onError((error, c) => answerFailure(pageDeps, error, c));
  app.post('/choice', async (c) => {
    const language = await formText(c, 'language');
    if (language !== '') putLanguageCookie(c, languageOf(language, undefined));
    for (const name of Object.keys(CHOICES) as Choice[]) {
      const value = await formText(c, name);
      if (value !== '') putChoice(c, name, value);
    }
    return c.redirect(consolePath(await formText(c, 'next')), 303);
  });
  app.route('/', signInRoutes(deps));
  const usual = bodyAtMost(MAX_FORM_BYTES);
  const texts = bodyAtMost(MAX_TEXT_FORM_BYTES);
  const pictures = bodyAtMost(deps.maxImageBytes + MAX_FORM_BYTES);
  app.use(signedIn(deps), (c, next) => {
    const path = c.req.path.slice(HOME.length);
    if (path === '/images/upload') return pictures(c, next);
    return (/^\/articles\/(?:act|new|seen)$/.test(path) ? texts : usual)(c, next);
  });
  app.route('/account', accountRoutes(pageDeps));
  for (const routes of PAGES) app.route('/', routes(pageDeps));
  app.route('/', serviceTableRoutes(pageDeps, catalog.tables));
  app.route('/', searchRoutes(pageDeps, catalog));
  app.route('/', completionRoutes(pageDeps, catalog));
  for (const routes of KIND_PAGES) app.route('/', routes(pageDeps));
  app.route('/', detailRoutes(pageDeps, extrasOf(deps)));
  app.notFound((c) => {
    const { path } = c.req;
    // So people type an address.
    if (path.endsWith('/')) return c.redirect(path.slice(0, -1), 301);
    throw new Ws01Error('NotFound', 'This page does not exist.');
  });
  return app;
}

/** Rejects longer bodies before they are read. */
function bodyAtMost(bytes: number) {
  return bodyLimit({
    maxSize: bytes,
    onError: () => {
      throw new Ws01Error(
        'TooLarge',
        say`The body must have at most ${{ most: bytes }} bytes here.`,
      );
    },
  });
}

/** Answers an error with a page, a fragment for htmx, or JSON for the script of passkeys. */
async function answerFailure(deps: ConsolePageDeps, thrown: Error, c: Context<ConsoleEnv>) {
  const { log, kindsByName, show } = deps;
  const requestId = requestIdOf(c.env);
  const error = reportedError(log, thrown, { requestId, path: c.req.path });
  const { status } = ERRORS[error.code];
  const visit = c.get('visit');
  const isJson = c.req.header('content-type') === 'application/json';
  if (error.code === 'Unauthenticated' && !isJson) return askToSignIn(c);
  if (isJson) return c.json({ problem: errorText(visit, error) }, status as 400);
  const { translate } = visit;
  const request = labelled(translate, translate('error.request'), html`<code>${requestId}</code>`);
  const content = html`${problem(errorPart(visit, error))}<p class="hint">${request}</p>`;
  if (visit.htmx) return c.html(content, status as 400);
  const title = visit.translate(`problem.${error.code}`);
  if (c.get('admin') === undefined)
    return c.html(plainPage(visit, { title, content }), status as 400);
  const ways = await waysOn(deps, c, kindsByName, error.code);
  return show(c, { title, content: html`${content}${ways}` }, status as 400);
}

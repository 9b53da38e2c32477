import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { closeBeforeServices } from '../../../../../packages/asmx/test/kit/clients.ts';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import type { Role } from '../../../src/contract/roles.ts';
import { addAdmin } from '../../../src/domain/admins/admins.ts';
import { setUp } from '../../../src/domain/admins/sign-in-methods.ts';
import type { Store } from '../../../src/store/store.ts';
import { launchChromium, newContext } from '../../kit/chromium.ts';
import type { TestDatabase } from '../../kit/database.ts';
import { cheapHash } from '../../kit/passwords.ts';
import type { TestService } from '../../kit/service.ts';

export const PASSWORD = 'correct horse battery staple';

/** A phone: narrow, and touched. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  isMobile: true,
  hasTouch: true,
};
export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

let shared: Promise<Browser> | undefined;
after(async () => (await shared)?.close());

/** The one Chromium of this process. */
export const chromium = (): Promise<Browser> => (shared ??= launchChromium());

/** Chromium says so where a key moved the focus before the page's first frame. The person's focus stays, as it should. */
const FOCUS_WAS_MOVED =
  'Autofocus processing was blocked because a document already has a focused element.';

/** Opens a page, and after the test sees that the browser had nothing to complain of: no policy broken, no script failed. */
export async function openPage(
  t: TestContext,
  url: string,
  options: BrowserContextOptions = DESKTOP,
  expected: RegExp = /^$/,
): Promise<Page> {
  const context = await newContext(await chromium(), { locale: 'en-GB', ...options });
  const complaints: string[] = [];
  closeBeforeServices(t, async () => {
    await context.close();
    assert.deepEqual(
      complaints.filter((text) => text !== FOCUS_WAS_MOVED && !expected.test(text)),
      [],
    );
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    const text = message.text();
    complaints.push(text.startsWith('Failed to load') ? `${text} ${message.location().url}` : text);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return page;
}

/** A request as a browser's form makes it. */
export const form = (
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): RequestInit => ({
  method: 'POST',
  redirect: 'manual',
  headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
  body: new URLSearchParams(fields),
});

const METHOD = { passwordHash: cheapHash(PASSWORD) };
const VISITOR = { address: '127.0.0.1', agent: 'test' };

/** Who has signed in, by name. */
interface SignedIn {
  readonly store: Promise<Store>;
  readonly cookies: Map<string, Promise<string>>;
}
const signedIn = new WeakMap<TestDatabase, SignedIn>();

/** The cookie of an admin who has just signed in; of one who has before, the same. */
export function sessionOf(
  { database }: Pick<TestService, 'database'>,
  role: Role,
  name: string = role,
): Promise<string> {
  const { store, cookies } = signedIn.get(database) ?? {
    ...{ store: database.open(), cookies: new Map() },
  };
  signedIn.set(database, { store, cookies });
  const cookie = cookies.get(name) ?? store.then((opened) => signIn(opened, role, name));
  cookies.set(name, cookie);
  return cookie;
}

async function signIn(store: Store, role: Role, name: string): Promise<string> {
  const link = await addAdmin(store, { name, role }, Date.now);
  return `ws01-session=${await setUp(store, link, METHOD, Date.now, VISITOR)}`;
}

/** Asks as the browser of an admin does that shows no page in between, and follows nothing by itself. */
export function visitor({ url }: Pick<TestService, 'url'>, cookie: string) {
  const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
  const open = async (path: string) => (await fetch(url + path, { headers })).text();
  const send = async (path: string, fields: Readonly<Record<string, string>> | string) => {
    const body = new URLSearchParams(fields);
    const init = { method: 'POST', headers, body, redirect: 'manual' } as const;
    const { status, headers: said, ...answer } = await fetchText(url + path, init);
    return { status, to: said.get('location') ?? '', headers: said, ...answer };
  };
  /** Sends a form. @returns the page that it leads to. */
  const submit: typeof send = async (path, fields) => {
    const sent = await send(path, fields);
    return sent.to === '' ? sent : { ...sent, ...(await fetchText(url + sent.to, { headers })) };
  };
  return {
    open,
    send,
    submit,
    /** Does something with a record. @returns the page that it leads to. */
    act: async (kind: string, verb: string, key: string) =>
      (await submit(`/console/${kind}/act`, { verb, key, confirm: 'yes' })).text,
    async api(method: string, path: string, body?: object, more: Record<string, string> = {}) {
      const said = body === undefined ? {} : { body: JSON.stringify(body) };
      const init = { method, headers: { ...headers, ...JSON_TYPE, ...more }, ...said };
      const { text, ...answer } = await fetchText(`${url}/api/v1${path}`, init);
      return { ...answer, body: JSON.parse(text) };
    },
  };
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

async function fetchText(url: string, init: RequestInit) {
  const answer = await fetch(url, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Asks the HTTP API as a signed-in browser does. @returns what gives the JSON of an answer. */
export function apiOfSession(service: Pick<TestService, 'url'>, cookie: string) {
  const { api } = visitor(service, cookie);
  return async (method: string, path: string, body?: object) =>
    (await api(method, path, body)).body;
}

/**
 * Waits until an expression holds in a page, and in the pages that come after it. Playwright's own wait evaluates a text
 * again in the page's next frames, which our policy of scripts refuses.
 */
export function untilInPage(page: Page, expression: string): Promise<void> {
  return until(
    () => page.evaluate<boolean>(`Boolean(${expression})`).catch(orFalseOfLeftPage),
    () => expression,
  );
}

/** Where something is in its page, px; waits while it is hidden, or a list is drawn anew. */
export async function boxOf(locator: Locator) {
  let box: Awaited<ReturnType<Locator['boundingBox']>> = null;
  await until(
    async () => {
      box = await locator.boundingBox();
      return box !== null;
    },
    () => `${locator}: hidden`,
  );
  return box!;
}

function orFalseOfLeftPage(error: Error): false {
  if (!/Execution context was destroyed|navigat/i.test(error.message)) throw error;
  return false;
}

/** Gives a page an authenticator that has its person there, and says yes. */
export async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Opens a page of the console as somebody who is signed in. */
export async function openSignedIn(
  t: TestContext,
  service: Pick<TestService, 'url'>,
  cookie: string,
  path: string,
  options: BrowserContextOptions = DESKTOP,
  expected?: RegExp,
): Promise<Page> {
  const [name = '', value = ''] = cookie.split('=');
  const lasts = { expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' } as const;
  const cookies = [{ name, value, domain: '127.0.0.1', path: '/', ...lasts }];
  const session = { ...options, storageState: { cookies, origins: [] } };
  return openPage(t, `${service.url}${path}`, session, expected);
}

/**
 * Opens a page of the console as somebody of a role.
 * @param who a role, and a name where it is not that of the role: `moderator mia`.
 */
export async function openAs(
  t: TestContext,
  service: Pick<TestService, 'url' | 'database'>,
  who: Role | `${Role} ${string}`,
  path: string,
  options?: BrowserContextOptions,
  expected?: RegExp,
): Promise<Page> {
  const [role, name = role] = who.split(' ');
  const cookie = await sessionOf(service, role as Role, name);
  return openSignedIn(t, service, cookie, path, options, expected);
}

/** Shows what is folded behind the buttons of a record. */
export const openMore = (page: Page): Promise<void> => page.locator('.more > summary').click();

/** Does what leads to another page, and waits until that is loaded: what one waits for may stand on the page before. */
export async function leave(page: Page, work: () => Promise<unknown>): Promise<void> {
  await page.waitForLoadState();
  await Promise.all([page.waitForEvent('load'), work()]);
}

/** Waits until a page says what was done, such as `Taken down.`, and has its scripts, which the next act may need. */
export async function saysDone(page: Page, what: string): Promise<void> {
  await page.getByRole('status').filter({ hasText: what }).waitFor();
  await page.waitForLoadState();
}

/** Does something, and waits until the page has said a text in passing, which goes after four seconds. */
export async function saysInPassing(
  page: Page,
  text: string,
  work: () => Promise<unknown>,
): Promise<void> {
  await page.evaluate(`(() => {
    const place = document.getElementById('toast');
    const note = () => { window.wasSaid ||= place.textContent.includes(${JSON.stringify(text)}); };
    window.wasSaid = false;
    new MutationObserver(note).observe(place, { childList: true });
  })()`);
  await work();
  await untilInPage(page, 'window.wasSaid');
}

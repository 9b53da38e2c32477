import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import type { Page } from 'playwright-core';
import { BY_NIGHT, someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { addAdmin } from '../../src/domain/admins/admins.ts';
import { newKey } from '../../src/domain/values/keys.ts';
import { addWebhook, testWebhook } from '../../src/domain/webhooks/webhooks.ts';
import { SEEDED_SETTINGS } from '../kit/api.ts';
import type { TestService } from '../kit/service.ts';
import { RULES_OF_LOOKS, violationsOf } from './kit/axe.ts';
import { DESKTOP, leave, openSignedIn, PHONE, sessionOf, visitor } from './kit/browser.ts';
import { filledService, report } from './kit/filled.ts';
import { filledIn, KEYS, routePaths } from './kit/routes.ts';

/** What is filled into forms that make something, by the name of the field. */
const FILLED: Readonly<Record<string, string>> = {
  id: 'grace',
  name: 'Grace',
  url: 'https://hooks.example/ws01',
  label: 'The site',
  caption: 'Bicycle',
  title: 'Bicycle',
  orgUrl: 'https://shop.example/',
};

/** The same on every page; what a search found is looked at with it. */
const FRAME = ['header.bar', '#menu'];

/** For all pages together: each is a test of its own. */
const ALL_PAGES_MS = HOUR_MS;

suite('every page and every form of the console', () => {
  test('axe-core finds nothing wrong with it, on a desktop, on a phone, light and dark, and nothing scrolls sideways', {
    timeout: ALL_PAGES_MS,
  }, async (t) => {
    const service = await filledService(t, SEEDED_SETTINGS);
    const cookie = await sessionOf(service, 'owner', 'ada');
    // A mail's script is kept from running, a page may refer to what is gone, as to a backup, and a form is refused:
    // Chromium tells of each.
    const told = /^Blocked script execution|status of (?:40[04]|503)/;
    const page = await openSignedIn(t, service, cookie, '/console', DESKTOP, told);
    const { open } = visitor(service, cookie);
    await fillTheRest(service, cookie, open);
    const secret = await linkFor(service);

    const routes = await routePaths();
    for (const path of someOf(
      routes.filter((one) => one.endsWith('/new')),
      3,
    )) {
      await t.test(`what ${path} makes`, () => make(page, service.url + path));
    }

    const records = new Map<string, string>();
    for (const route of someOfEachKind(routes)) {
      const path = await filledIn(open, route, { ...KEYS, secret }, records);
      // What is downloaded or stands within a page is no page.
      if (!/^<!DOCTYPE html>\n<html lang="\w/.test(await open(path))) continue;
      await t.test(route, async () => {
        await page.goto(service.url + path);
        await unfold(page);
        await judge(page, path);
      });
    }
    const verbs = new Map<string, string>();
    for (const record of records.values())
      for (const [, verb] of (await open(record)).matchAll(/name="(?:verb|now)" value="(\w+)"/g))
        if (!verbs.has(verb!)) verbs.set(verb!, record);
    assert.ok(verbs.size >= 10, [...verbs.keys()].join(' '));
    for (const [verb, record] of someOf([...verbs], 3)) {
      // An act before it may have left nothing for this one, such as a mail that waits no more.
      if (!(await open(record)).includes(`value="${verb}"`)) continue;
      await t.test(`the form of ${verb}, or what it did`, async () => {
        await page.goto(service.url + record);
        await unfold(page);
        await page.locator(`main button[value=${verb}]`).first().click();
        await page
          .locator('[name=confirm], .deed, main [role=alert], main [autofocus]')
          .first()
          .waitFor();
        await judge(page, `${record} ${verb}`);
        // What was done at once is taken back, so that the next verb can be.
        const undo = page.locator('.deed button');
        if ((await undo.count()) === 1) await leave(page, () => undo.click());
      });
    }
    if (BY_NIGHT) assert.ok(records.size >= 15, [...records.keys()].join(' '));
    await page.goto(`${service.url}/console/search?q=flat`);
    assert.deepEqual(await violationsOf(page), [], 'what a search found');
  });
});

/** Shows what is folded on a page, so that it is judged, too. */
const unfold = (page: Page) =>
  page.evaluate(`for (const one of document.querySelectorAll('.more')) one.open = true`);

/** All pages; by day every fourth of a kind, such as lists, or pages to edit a record. */
const someOfEachKind = (routes: readonly string[]) =>
  Map.groupBy(routes, (route) => route.replace(/^\/console\/[\w-]+/, ''))
    .values()
    .flatMap((ofKind) => someOf(ofKind, 4));

/**
 * Looks at the page that is open as on a desktop in the light, then, by night, as on a phone in the dark. That it is no
 * wider than a phone is seen of each.
 */
async function judge(page: Page, what: string): Promise<void> {
  assert.deepEqual(await violationsOf(page, undefined, FRAME), [], what);
  await page.setViewportSize(PHONE.viewport!);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  );
  if (BY_NIGHT)
    assert.deepEqual(await violationsOf(page, RULES_OF_LOOKS), [], `${what} on a phone, dark`);
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
  assert.ok(wide <= PHONE.viewport!.width, `${what} is ${wide} wide on a phone`);
  await page.setViewportSize(DESKTOP.viewport!);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** A suppression and a backup, which no operation makes. */
async function fillTheRest(
  service: TestService,
  cookie: string,
  open: (path: string) => Promise<string>,
) {
  const key = /\/console\/mails\/([0-9a-f-]{36})/.exec(await open('/console/mails'))![1]!;
  assert.match(
    await visitor(service, cookie).act('mails', 'suppress', key),
    /Nothing more is sent/,
  );
  const store = await service.database.open();
  const backup = {
    id: newKey(),
    slot: null,
    target: 'file:///backups',
    name: 'nightly',
    started_at: 1,
    finished_at: 2,
  };
  await store.write((tx) =>
    tx
      .insertInto('backups')
      .values({ ...backup, verified_at: 2, bytes: 1, images: 0, error: null })
      .execute(),
  );
  // Its receiver is never called.
  const hook = { url: 'https://192.0.2.1/hook', label: 'CRM', types: ['none.such'] };
  await store.write(async (tx) => {
    const { id } = await addWebhook(tx, hook, Date.now(), undefined);
    await testWebhook(tx, id, Date.now());
  });
  await report(service, 'piano');
  await fetch(`${service.url}/WS01.asmx/QueryAdvert?userId=ada&pagesize=many`);
  for (const list of ['deliveries', 'failures'])
    await until(async () => (await open(`/console/${list}`)).includes(`href="/console/${list}/`));
}

/** The secret of a link that lets an admin in. */
async function linkFor(service: TestService): Promise<string> {
  return addAdmin(await service.database.open(), { name: 'new', role: 'reader' }, Date.now);
}

/** Makes something by its form, so that there is one; what is shown then is judged. */
async function make(page: Page, url: string): Promise<void> {
  await page.goto(url);
  for (const input of await page.locator('main form input:not([type])').all()) {
    const value = FILLED[(await input.getAttribute('name'))!];
    if (value !== undefined) await input.fill(value);
  }
  const [choice] = await page.locator('main form input[type=checkbox]').all();
  await choice?.check();
  await page.locator('main form button.primary').click();
  await page.locator('main [role=status], main [role=alert]').first().waitFor();
  const alerts = await page.locator('main [role=alert]').allTextContents();
  assert.deepEqual(alerts, [], url);
  await judge(page, `what ${new URL(url).pathname} made`);
}

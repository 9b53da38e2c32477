import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { NAMESPACE, startService, type TestService, TOKEN } from '../kit/service.ts';
import {
  DESKTOP,
  openAs,
  openSignedIn,
  PHONE,
  saysDone,
  sessionOf,
  useChromium,
} from './kit/browser.ts';
import { call, filledService, isListed } from './kit/filled.ts';
import { focusOfPage, keyboardOf } from './kit/keyboard.ts';

/** Counts what a person clicks, or taps. */
function clicking(page: Page) {
  return {
    count: 0,
    async click(role: 'link' | 'button', name: string) {
      this.count++;
      await page.getByRole(role, { name, exact: true }).first().click();
    },
    /** Opens the menu of a phone. */
    async openMenu() {
      this.count++;
      await page.locator('summary').filter({ hasText: 'Menu' }).tap();
    },
  };
}

/** Loads a page again until a text is in it. */
async function reloadUntil(page: Page, text: string): Promise<void> {
  await until(async () => {
    await page.reload();
    return (await page.getByText(text).count()) > 0;
  });
}

/** Has a mail sent to a mailbox that there is not. @returns the request id. */
async function sendInVain(service: TestService): Promise<string> {
  const body = {
    authorizationUserId: TOKEN,
    receiverEmail: 'nobody@example.com',
    subject: 'Lost',
    body: 'Hello',
  };
  const answer = await fetch(`${service.url}/WS01.asmx/SendEmail`, {
    method: 'POST',
    body: new URLSearchParams(body),
  });
  assert.equal(answer.status, 200);
  return answer.headers.get('x-request-id')!;
}

/** A filled service whose mail server knows no mailbox. */
async function serviceOfStories(t: TestContext): Promise<TestService> {
  const server = await startMailServer(t);
  server.behave({ at: 'RCPT', code: 550, text: '5.1.1 No such user here' });
  return filledService(t, { SMTP_URL: server.url });
}

suite('three tasks of a first day', () => {
  const browser = useChromium();

  test('publish by SOAP, and find the article: two clicks', async (t) => {
    const service = await startService(t);
    const envelope = `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
      <InsertArticle xmlns="${NAMESPACE}"><token>${TOKEN}</token><guid>first</guid><caption>Hello, world</caption>
      <content>From an old client</content><pinnedTopDueDate>0001-01-01T00:00:00</pinnedTopDueDate>
      <CreateUserId>ada</CreateUserId><Status>0</Status></InsertArticle></soap:Body></soap:Envelope>`;
    const headers = {
      'Content-Type': 'text/xml; charset=utf-8',
      SOAPAction: `"${NAMESPACE}/InsertArticle"`,
    };
    const answer = await exchange(`${service.url}/WS01.asmx`, {
      method: 'POST',
      headers,
      body: envelope,
    });
    assert.equal(answer.status, 200, answer.body.toString());
    const page = await openAs(t, browser(), service, 'owner', '/console');
    const task = clicking(page);
    await task.click('link', 'Articles');
    await task.click('link', 'Hello, world');
    await page.frameLocator('main iframe').getByText('From an old client').waitFor();
    assert.equal(task.count, 2);
  });

  test('take a spam advert down and undo it: four clicks, one more', async (t) => {
    const service = await filledService(t);
    assert.equal(await isListed(service, 'Win a phone'), true);
    const page = await openAs(t, browser(), service, 'moderator', '/console');
    const task = clicking(page);
    await task.click('link', 'Adverts');
    await task.click('link', 'Win a phone now!!!');
    await task.click('button', 'Take down');
    await page.getByText('Nothing has been done yet').waitFor();
    assert.equal(await isListed(service, 'Win a phone'), true, 'a preview does nothing');
    await task.click('button', 'Take down now');
    await saysDone(page, 'Take down');
    assert.equal(await isListed(service, 'Win a phone'), false);
    assert.equal(task.count, 4);
    await task.click('button', 'Undo');
    await saysDone(page, 'Restore');
    assert.equal(await isListed(service, 'Win a phone'), true);
    await page.goto(`${service.url}/console/adverts/spam`);
    const told = (await page.getByRole('group', { name: 'History' }).textContent()) ?? '';
    assert.match(told, /advert: restored[\s\S]*advert: taken down/);
    assert.match(told, /moderator/, 'who did it');
  });

  test('find why a mail did not arrive: two clicks', async (t) => {
    const server = await startMailServer(t);
    server.behave({ at: 'RCPT', code: 550, text: '5.1.1 No such user here' });
    const service = await startService(t, undefined, { SMTP_URL: server.url });
    await call(service, 'SendEmail', {
      authorizationUserId: TOKEN,
      receiverEmail: 'bob@example.com',
      subject: 'Your advert',
      body: 'Hello',
    });
    const page = await openAs(t, browser(), service, 'owner', '/console');
    const task = clicking(page);
    await task.click('link', 'Inbox');
    await task.click('link', 'Your advert');
    await reloadUntil(page, '5.1.1 No such user here');
    await page.getByText('refused it permanently').waitFor();
    assert.equal(task.count, 2);
  });

  test('on a phone: one tap more, for the menu; two to a mail by its request id', async (t) => {
    const service = await serviceOfStories(t);
    const requestId = await sendInVain(service);
    const cookie = await sessionOf(service, 'owner', 'ada');
    const told = /^Blocked script execution/;
    const page = await openSignedIn(t, browser(), service, cookie, '/console', PHONE, told);
    /** Whether something is seen without scrolling, neither down nor sideways. */
    const isInView = async (text: string) => {
      const box = await page.getByText(text, { exact: true }).first().boundingBox();
      const { width, height } = PHONE.viewport!;
      return (
        box !== null &&
        box.x >= 0 &&
        box.x + box.width <= width &&
        box.y >= 0 &&
        box.y + box.height <= height
      );
    };
    const article = clicking(page);
    await article.openMenu();
    await article.click('link', 'Articles');
    await article.click('link', 'Flat to let');
    await page.getByRole('heading', { level: 1, name: 'Flat to let' }).waitFor();
    assert.equal(article.count, 3);

    const advert = clicking(page);
    await advert.openMenu();
    await advert.click('link', 'Adverts');
    await advert.click('link', 'Win a phone now!!!');
    await advert.click('button', 'Take down');
    await page.getByRole('heading', { level: 1, name: 'Take down?' }).waitFor();
    // Until its style is there, all is elsewhere.
    await page.waitForLoadState();
    assert.deepEqual([await isInView('taken down'), await isInView('Take down now')], [true, true]);
    await advert.click('button', 'Take down now');
    await saysDone(page, 'Take down');
    assert.equal(advert.count, 5);
    await advert.click('button', 'Undo');
    await saysDone(page, 'Restore');

    const mail = clicking(page);
    mail.count++;
    await page.getByRole('searchbox', { name: 'Search' }).tap();
    await page.keyboard.insertText(requestId);
    await page.keyboard.press('Enter');
    await mail.click('link', 'Lost');
    await reloadUntil(page, '5.1.1 No such user here');
    assert.equal(mail.count, 2);
    await page.goto(`${service.url}/console`);
    await mail.openMenu();
    await mail.click('link', 'Inbox');
    await mail.click('link', 'Lost');
    await page.getByText('5.1.1 No such user here').first().waitFor();
    assert.equal(mail.count, 2 + 3);
  });

  test('by keyboard: 19 keys to the article, 31 to take the advert down, 2 to undo that, 10 or 13 to the mail', async (t) => {
    const service = await serviceOfStories(t);
    const requestId = await sendInVain(service);
    const cookie = await sessionOf(service, 'owner', 'ada');
    const told = /^Blocked script execution/;
    const page = await openSignedIn(t, browser(), service, cookie, '/console', DESKTOP, told);
    /** The keys of a task that begins at the overview. */
    const keysOf = async (work: (keys: ReturnType<typeof keyboardOf>) => Promise<void>) => {
      await page.goto(`${service.url}/console`);
      const keys = keyboardOf(page);
      await work(keys);
      return keys.pressed.count;
    };
    const open = async (keys: ReturnType<typeof keyboardOf>, list: string, record: string) => {
      await keys.enter(list);
      await keys.skip('Skip to content');
      await keys.skip('Skip the filters');
      await keys.enter(record);
      await page.getByRole('heading', { level: 1, name: record }).waitFor();
    };
    assert.equal(await keysOf((keys) => open(keys, 'Articles', 'Bicycle 3 自行车')), 19);
    const takeDown = async (keys: ReturnType<typeof keyboardOf>) => {
      await open(keys, 'Adverts', 'Win a phone now!!!');
      await keys.skip('Skip to content');
      await keys.enter('Take down');
      await keys.enter('Take down now');
      await saysDone(page, 'Take down');
    };
    assert.equal(await keysOf(takeDown), 31);
    const undo = keyboardOf(page);
    await undo.enter('Undo');
    await saysDone(page, 'Restore');
    assert.equal(undo.pressed.count, 2);
    const findMail = async (keys: ReturnType<typeof keyboardOf>) => {
      await keys.press('/');
      await page.keyboard.insertText(requestId);
      await Promise.all([page.waitForEvent('load'), keys.press('Enter')]);
      await focusOfPage(page);
      await keys.skip('Skip to content');
      await keys.enter('Lost');
    };
    assert.equal(await keysOf(findMail), 10);
    await reloadUntil(page, '5.1.1 No such user here');
    const findInInbox = async (keys: ReturnType<typeof keyboardOf>) => {
      await keys.enter('Inbox');
      await keys.skip('Skip to content');
      await keys.enter('Lost');
    };
    assert.equal(await keysOf(findInInbox), 13);
  });
});

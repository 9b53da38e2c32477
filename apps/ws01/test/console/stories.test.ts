import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { NAMESPACE, startService, type TestService, TOKEN } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import {
  DESKTOP,
  openPage,
  openSignedIn,
  PASSWORD,
  PHONE,
  sessionOf,
  untilInPage,
  useChromium,
} from './kit/browser.ts';
import { call, filledService } from './kit/filled.ts';

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

/** Whether the public sees an advert. */
async function isListed(service: TestService, title: string): Promise<boolean> {
  return (await call(service, 'QueryAdvert', { userId: 'mallory', query: '' })).includes(title);
}

/**
 * Waits until a page has put the focus where it wants it. The browser does so with its first frame, which may come
 * after the load: a key before that would begin at the top, as no person is fast enough to do.
 */
async function focusOfPage(page: Page): Promise<void> {
  await untilInPage(
    page,
    `(() => {
    const wanted = document.querySelector('[autofocus]');
    return wanted === null || wanted.matches(':focus');
  })()`,
  );
}

/** What has the keyboard focus. */
interface Stop {
  readonly id: string;
  readonly name: string;
  readonly outline: string;
}

/** Walks a page by the keys Tab and Enter, as a person without a mouse; where the focus is must be seen at each stop. */
function keyboardOf(page: Page) {
  const pressed = { count: 0 };
  const press = async (key: string) => {
    pressed.count++;
    await page.keyboard.press(key);
  };
  const stop = async (): Promise<Stop | undefined> => {
    const at = await page.evaluate<Stop | null>(`(() => {
      const element = document.activeElement;
      if (element === null || element.matches('body, main')) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return {
        id: element.id,
        name: (element.ariaLabel ?? (element.labels?.[0] ?? element).textContent).replaceAll(/\\s+/g, ' ').trim(),
        outline: outlineStyle + ' ' + outlineWidth,
      };
    })()`);
    if (at === null) return undefined;
    assert.match(
      at.outline,
      /^(?:solid|auto) [1-9]/,
      `the focus is not seen at ${JSON.stringify(at)}`,
    );
    return at;
  };
  /** Presses Tab, or Shift+Tab, until something of that name has the focus; it may have it already. */
  const to = async (name: string, key: 'Tab' | 'Shift+Tab' = 'Tab') => {
    const passed: string[] = [];
    while (passed.length < 100) {
      const at = await stop();
      if (at?.name === name) return;
      passed.push(at?.name ?? '');
      await press(key);
    }
    assert.fail(`${key} does not lead to ${name}: ${passed.join(' | ')}`);
  };
  /** Follows a link, or presses a button, of that name; both lead to another page. */
  const enter = async (name: string) => {
    await to(name);
    await Promise.all([page.waitForEvent('load'), press('Enter')]);
    await focusOfPage(page);
  };
  /** Uses a link that skips a part of the page. */
  const skip = async (name: string) => {
    await to(name);
    await press('Enter');
    // The browser moves the focus after the key.
    await untilInPage(
      page,
      `document.activeElement?.textContent.trim() !== ${JSON.stringify(name)}`,
    );
  };
  return { pressed, press, stop, to, enter, skip };
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
    const page = await openSignedIn(
      t,
      browser(),
      service,
      await sessionOf(service, 'owner'),
      '/console',
    );
    const task = clicking(page);
    await task.click('link', 'Articles');
    await task.click('link', 'Hello, world');
    await page.getByText('From an old client').waitFor();
    assert.equal(task.count, 2);
  });

  test('take a spam advert down and undo it: four clicks, one more', async (t) => {
    const service = await filledService(t);
    assert.equal(await isListed(service, 'Win a phone'), true);
    const page = await openSignedIn(
      t,
      browser(),
      service,
      await sessionOf(service, 'moderator'),
      '/console',
    );
    const task = clicking(page);
    await task.click('link', 'Adverts');
    await task.click('link', 'Win a phone now!!!');
    await task.click('button', 'Take down');
    await page.getByText('Nothing has been done yet').waitFor();
    assert.equal(await isListed(service, 'Win a phone'), true, 'a preview does nothing');
    await task.click('button', 'Take down now');
    await page.getByRole('status').filter({ hasText: 'Done: Take down, 1 of 1.' }).waitFor();
    assert.equal(await isListed(service, 'Win a phone'), false);
    assert.equal(task.count, 4);
    await task.click('button', 'Undo');
    await page.getByRole('status').filter({ hasText: 'Done: Restore, 1 of 1.' }).waitFor();
    assert.equal(await isListed(service, 'Win a phone'), true);
    await page.goto(`${service.url}/console/adverts/spam`);
    const told = (await page.getByRole('group', { name: 'History' }).textContent()) ?? '';
    assert.match(told, /advert\.restore[\s\S]*advert\.remove/);
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
    const page = await openSignedIn(
      t,
      browser(),
      service,
      await sessionOf(service, 'owner'),
      '/console',
    );
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
    await page.getByRole('status').filter({ hasText: 'Done: Take down, 1 of 1.' }).waitFor();
    assert.equal(advert.count, 5);
    await advert.click('button', 'Undo');
    await page.getByRole('status').filter({ hasText: 'Done: Restore, 1 of 1.' }).waitFor();

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

  test('by keyboard: 18 keys to the article, 29 to take the advert down, 2 to undo that, 10 or 13 to the mail', async (t) => {
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
    assert.equal(await keysOf((keys) => open(keys, 'Articles', 'Bicycle 3 自行车')), 18);
    const takeDown = async (keys: ReturnType<typeof keyboardOf>) => {
      await open(keys, 'Adverts', 'Win a phone now!!!');
      await keys.skip('Skip to content');
      await keys.enter('Take down');
      await keys.enter('Take down now');
      await page.getByRole('status').filter({ hasText: 'Done: Take down, 1 of 1.' }).waitFor();
    };
    assert.equal(await keysOf(takeDown), 29);
    const undo = keyboardOf(page);
    await undo.enter('Undo');
    await page.getByRole('status').filter({ hasText: 'Done: Restore, 1 of 1.' }).waitFor();
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

suite('what is done in the console', () => {
  const browser = useChromium();

  test('with one filled service', async (t) => {
    const service = await filledService(t);

    await t.test(
      'by keyboard alone: a spam advert and a mail, each taken back; then signed out everywhere',
      async (t) => {
        const cookie = await sessionOf(service, 'owner', 'keys');
        // The script of the mail is kept from running.
        const expected = /^Blocked script execution/;
        const page = await openSignedIn(
          t,
          browser(),
          service,
          cookie,
          '/console',
          DESKTOP,
          expected,
        );
        const keys = keyboardOf(page);
        await page.keyboard.press('Tab');
        assert.equal((await keys.stop())?.name, 'Skip to content');
        await keys.skip('Skip to content');
        assert.equal(
          await page.evaluate('document.activeElement.id'),
          'content',
          'the menu is skipped',
        );
        await page.keyboard.press('/');
        assert.equal((await keys.stop())?.id, 'q');
        await page.keyboard.type('spam');
        await page.keyboard.press('Enter');
        await page.waitForURL('**/search?q=spam');

        await keys.enter('Win a phone now!!!');
        await page.getByRole('heading', { level: 1, name: 'Win a phone now!!!' }).waitFor();
        await keys.enter('Take down');
        await page.getByText('Nothing has been done yet').waitFor();
        assert.equal(await isListed(service, 'Win a phone'), true, 'a preview does nothing');
        await keys.enter('Take down now');
        await page.getByRole('status').filter({ hasText: 'Done: Take down, 1 of 1.' }).waitFor();
        assert.equal(await isListed(service, 'Win a phone'), false);
        await keys.enter('Undo');
        await page.getByRole('status').filter({ hasText: 'Done: Restore, 1 of 1.' }).waitFor();
        assert.equal(await isListed(service, 'Win a phone'), true);

        await keys.enter('Inbox');
        await keys.enter('Your advert was answered');
        await keys.enter('Cancel');
        await page.getByRole('heading', { level: 1, name: 'Cancel?' }).waitFor();
        await keys.enter('Cancel now');
        await page.getByRole('status').filter({ hasText: 'Done: Cancel, 1 of 1.' }).waitFor();
        await keys.enter('Undo');
        await page.getByRole('status').filter({ hasText: 'Done: Undo cancel, 1 of 1.' }).waitFor();

        await keys.enter('Articles');
        await keys.to('Select all on this page');
        await page.keyboard.press('Space');
        await keys.to('With the selected records');
        await page.keyboard.press('h');
        await keys.enter('Preview');
        await page.getByRole('heading', { level: 1, name: 'Hold?' }).waitFor();
        await keys.to('Reason', 'Shift+Tab');
        await page.keyboard.type('Looked at again');
        await keys.enter('Hold now');
        await page.getByRole('status').filter({ hasText: 'Done: Hold, 4 of 4.' }).waitFor();
        await keys.enter('Undo');
        await page.getByRole('status').filter({ hasText: 'Done: Release, 4 of 4.' }).waitFor();

        await keys.enter('Your account: keys');
        await keys.enter('Sign out everywhere');
        await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
        await page.goto(`${service.url}/console/adverts`);
        await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      },
    );

    await t.test(
      'an earlier content is compared, restored after a preview, and that undone',
      async (t) => {
        const cookie = await sessionOf(service, 'moderator', 'admin-1');
        const page = await openSignedIn(t, browser(), service, cookie, '/console/articles/flat');
        await page.getByRole('link', { name: 'Revision 2' }).click();
        assert.equal((await page.locator('pre del').textContent())?.trim(), 'Two rooms.');
        assert.equal((await page.locator('pre ins').textContent())?.trim(), 'Three rooms.');
        await page.goto(`${service.url}/console/articles/flat/revisions/1`);
        await page.getByRole('button', { name: 'Restore this revision' }).click();
        await page.getByText('Nothing has been done yet').waitFor();
        await page.locator('ins').filter({ hasText: 'Two rooms.' }).waitFor();
        assert.deepEqual(await violationsOf(page), []);
        const contentOf = async () => {
          const answer = await fetch(`${service.url}/api/v1/articles/flat`, {
            headers: { Cookie: cookie },
          });
          return ((await answer.json()) as { content: string }).content;
        };
        assert.match(await contentOf(), /^Three/, 'a preview does nothing');
        await page.getByLabel('Reason').fill('A mistake');
        await page.getByRole('button', { name: 'Restore this revision now' }).click();
        await page
          .getByRole('status')
          .filter({ hasText: 'Done: Restore this revision, 1 of 1.' })
          .waitFor();
        assert.match(await contentOf(), /^Two/);
        assert.deepEqual(await violationsOf(page), []);
        await page.getByRole('button', { name: 'Undo' }).click();
        await page
          .getByRole('status')
          .filter({ hasText: 'Done: Restore this revision, 1 of 1.' })
          .waitFor();
        assert.match(await contentOf(), /^Three/);
        await page.getByRole('link', { name: 'Back', exact: true }).click();
        await page.getByRole('group', { name: 'History' }).getByText('reason: A mistake').waitFor();
      },
    );

    await t.test('a mail is seen as its recipient would, and can do nothing', async (t) => {
      const cookie = await sessionOf(service, 'owner', 'admin-2');
      const page = await openSignedIn(t, browser(), service, cookie, '/console/mails');
      // Chromium tells that the frame's script was kept from running: that is what the frame is for.
      page.removeAllListeners('console');
      await page.getByRole('link', { name: 'Your advert was answered' }).click();
      const frame = page.frameLocator('iframe');
      await frame.getByRole('heading', { name: 'Hello Bob' }).waitFor();
      assert.equal(await page.evaluate('window.hacked'), undefined);
      await page.getByText('Source').click();
      await page.getByText('Content-Type: multipart/alternative').last().waitFor();
      const body = `${page.url().replace(service.url, '')}/body`;
      const answer = await fetch(service.url + body, { headers: { Cookie: cookie } });
      assert.match(
        answer.headers.get('content-security-policy') ?? '',
        /^default-src 'none';.*sandbox$/,
      );
    });

    await t.test('a reader may look, and do nothing', async (t) => {
      const cookie = await sessionOf(service, 'reader', 'admin-3');
      const page = await openSignedIn(t, browser(), service, cookie, '/console/adverts/spam');
      await page.getByText('Your role can only read.').waitFor();
      const answer = await fetch(`${service.url}/console/adverts/act`, {
        method: 'POST',
        headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' },
        body: new URLSearchParams({ verb: 'remove', key: 'spam', confirm: 'yes' }),
      });
      assert.equal(answer.status, 403);
      assert.equal(await isListed(service, 'Win a phone'), true);
      const form = await fetch(`${service.url}/console/tokens/new`, {
        headers: { Cookie: cookie },
      });
      assert.equal(form.status, 403, 'a form that would be refused');
    });

    await t.test('an owner edits a user', async (t) => {
      const page = await openSignedIn(
        t,
        browser(),
        service,
        await sessionOf(service, 'owner', 'admin-4'),
        '/console/users/ada',
      );
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
      await page.getByRole('button', { name: 'Edit now' }).click();
      await page.getByRole('status').filter({ hasText: 'Done: Edit, 1 of 1.' }).waitFor();
      await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
    });

    await t.test(
      'an owner registers a user and makes a token, which is shown once and works',
      async (t) => {
        const page = await openSignedIn(
          t,
          browser(),
          service,
          await sessionOf(service, 'owner', 'admin-5'),
          '/console/users',
        );
        await page.getByRole('link', { name: 'New' }).click();
        await page.getByLabel('Key').fill('grace');
        await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
        await page.getByRole('button', { name: 'New' }).click();
        await page.getByRole('status').filter({ hasText: 'Created.' }).waitFor();
        await page.goto(`${service.url}/console/tokens/new`);
        await page.getByLabel('articles').check();
        await page.getByRole('button', { name: 'New' }).click();
        const token = (await page.locator('#secret').textContent()) ?? '';
        assert.match(token, /^ws1_/);
        const answer = await call(service, 'InsertArticle', {
          token,
          guid: 'own',
          caption: 'By the new token',
        });
        assert.equal(answer, 'own');
      },
    );

    await t.test(
      'an owner lets a moderator in by a link, who then signs in, and removes them',
      async (t) => {
        const owner = await openSignedIn(
          t,
          browser(),
          service,
          await sessionOf(service, 'owner', 'admin-6'),
          '/console/admins/new',
        );
        await owner.getByLabel('Name', { exact: true }).fill('mo');
        await owner.getByLabel('Role').selectOption('moderator');
        await owner.getByRole('button', { name: 'New' }).click();
        const link = new URL((await owner.locator('#secret').textContent()) ?? '');
        const invited = await openPage(t, browser(), service.url + link.pathname);
        await invited.getByLabel('Password').fill(PASSWORD);
        await invited.getByRole('button', { name: 'Save and sign in' }).click();
        await invited.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        assert.equal(
          await invited.getByRole('link', { name: 'Admins' }).count(),
          0,
          'not for moderators',
        );
        await owner.goto(`${service.url}/console/admins`);
        await owner.getByRole('link', { name: 'mo', exact: true }).click();
        await owner.getByRole('group', { name: 'Where this person is signed in' }).waitFor();
        await owner.getByRole('button', { name: 'Remove' }).click();
        await owner.getByLabel('To confirm, type mo').fill('mo');
        await owner.getByRole('button', { name: 'Remove now' }).click();
        await owner.getByRole('status').filter({ hasText: 'Done: Remove, 1 of 1.' }).waitFor();
        await invited.goto(`${service.url}/console`);
        await invited.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      },
    );

    await t.test('a person is held, released, exported and erased', async (t) => {
      const cookie = await sessionOf(service, 'owner', 'admin-7');
      const page = await openSignedIn(t, browser(), service, cookie, '/console/users/ada');
      const stored = page.getByRole('group', { name: 'What is stored about this person' });
      await stored.getByRole('cell', { name: 'Articles', exact: true }).waitFor();
      const exported = await fetch(`${service.url}/console/users/ada/export.json`, {
        headers: { Cookie: cookie },
      });
      assert.match(exported.headers.get('content-disposition') ?? '', /^attachment; /);
      assert.equal(((await exported.json()) as { person: string }).person, 'ada');
      await page.getByRole('button', { name: 'Legal hold' }).click();
      await page.getByLabel('Reason').fill('Case 7');
      await page.getByRole('button', { name: 'Legal hold now' }).click();
      await page.getByRole('status').filter({ hasText: 'Done: Legal hold, 1 of 1.' }).waitFor();
      await page.goto(`${service.url}/console/users/ada`);
      await page.getByRole('button', { name: 'Erase the person' }).click();
      await page
        .getByText(/A legal hold keeps the data of ada .* set by admin-\d+ .*: Case 7/)
        .waitFor();
      await page.goto(`${service.url}/console/users/ada`);
      await page.getByRole('button', { name: 'End the legal hold' }).click();
      await page.getByRole('button', { name: 'End the legal hold now' }).click();
      await page.goto(`${service.url}/console/users/ada`);
      await page.getByRole('button', { name: 'Erase the person' }).click();
      await page.getByText('This cannot be undone.').waitFor();
      await page.getByText('Articles: 1 deleted', { exact: true }).waitFor();
      await page.getByLabel('To confirm, type ada').fill('ada');
      await page.getByRole('button', { name: 'Erase the person now' }).click();
      await page
        .getByRole('status')
        .filter({ hasText: 'Done: Erase the person, 1 of 1.' })
        .waitFor();
      const gone = await fetch(`${service.url}/console/users/ada`, { headers: { Cookie: cookie } });
      assert.equal(gone.status, 404);
    });
  });
});

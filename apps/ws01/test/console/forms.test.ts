import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import {
  DESKTOP,
  leave,
  openPage,
  openSignedIn,
  saysDone,
  sessionOf,
  visitor,
} from './kit/browser.ts';
import { answerInChinese } from './kit/chinese.ts';
import { call, filledService, useService } from './kit/filled.ts';
import { formOf } from './kit/forms.ts';
import { focusOfPage } from './kit/keyboard.ts';

const EDIT = { verb: 'edit', key: 'bob', confirm: 'yes' };

suite('forms of the console', () => {
  const filled = useService();

  test('fields and filters for a key offer what there is by name, as far as the reader may read it', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner', 'ada');
    const { api } = visitor(service, cookie);
    await api('POST', '/users', { id: 'u-17', name: 'Grace Hopper' });
    for (const [guid, categoryGuid] of [
      ['one', 'music'],
      ['two', 'housing'],
      ['three', 'housing'],
    ])
      await api('POST', '/articles', { guid, caption: guid, content: 'x', categoryGuid });
    const page = await openSignedIn(t, service, cookie, '/console/articles/new');
    const offers = (id: string) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('#${id}-offers option')].map(({ value, text }) => value + ' ' + text)`,
      );
    await page.getByLabel('Category').focus();
    await until(async () => (await offers('n-categoryGuid')).join() === 'housing ,music ');
    await page.getByLabel('Category').pressSequentially('mu');
    await until(async () => (await offers('n-categoryGuid')).join() === 'music ');
    assert.deepEqual(await violationsOf(page), []);
    await page.goto(`${service.url}/console/articles`);
    await page.getByLabel('Owner').pressSequentially('hop');
    await until(async () => (await offers('f-createUserId')).join() === 'u-17 Grace Hopper');
    assert.equal(page.url(), `${service.url}/console/articles`);
    assert.equal(await page.locator('#toast').textContent().then(String), '');
    const headers = { Cookie: await sessionOf(service, 'moderator'), 'HX-Request': 'true' };
    const asked = async (path: string) => {
      return (await fetch(`${service.url}/console/offers/${path}`, { headers })).text();
    };
    assert.doesNotMatch(await asked('createUserId?q=hop'), /Grace|Hopper/);
    assert.equal(await asked('tokenId?q='), '');
    assert.equal(await asked('constructor?q=a'), '');
  });

  test('an editor shows what visitors will see, keeps what is typed, and sends what was changed', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner', 'ada');
    const { open, api } = visitor(service, cookie);
    const content = 'Black.\r\nTuned in May.';
    const article = { guid: 'piano', caption: 'Piano', content, status: 3 };
    await api('POST', '/articles', { ...article, pinnedTopDueDate: '2041-05-07T04:00:00.000Z' });
    const options = { timezoneId: 'America/New_York' };
    const path = '/console/articles/piano';
    const blocked = /Blocked script execution/;
    const page = await openSignedIn(t, service, cookie, path, options, blocked);
    await page.goto(`${service.url}${path}/edit`);
    assert.equal(await page.getByLabel('Pinned until').inputValue(), '2041-05-06', 'their day');
    const text = page.getByLabel('Content');
    assert.equal(await text.inputValue(), 'Black.\nTuned in May.');
    await text.fill('<b>Brown</b>.<script>top.x=1</script>');
    const seen = page.frameLocator('iframe[name=seen]');
    await seen.locator('b', { hasText: 'Brown' }).waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await page.reload();
    assert.equal(await text.inputValue(), '<b>Brown</b>.<script>top.x=1</script>');
    await text.fill('Black.\nTuned in May.');
    await page.getByLabel('Caption').fill('Upright piano');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { body } = await api('GET', '/articles/piano');
    assert.deepEqual(
      [body.caption, body.content, body.pinnedTopDueDate, body.status],
      ['Upright piano', content, '2041-05-07T04:00:00.000Z', 3],
      'what was not changed is as it was, to the end of a line and to the hour',
    );
    assert.match(await open('/console/audit'), /article\.replace.*ada|ada.*article\.replace/s);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The earlier content is back.').waitFor();
    assert.equal((await api('GET', '/articles/piano')).body.caption, 'Piano');
    const file = { name: 'x.png', mimeType: 'image/png', buffer: blackPng(3, 3) };
    await page.goto(`${service.url}${path}`);
    await page.locator('#upload > summary').click();
    await page.getByLabel('Another picture').setInputFiles(file);
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByText('The picture is stored.').waitFor();
    await page.waitForLoadState();
    assert.equal(await page.locator('.thumbs img').count(), 1);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('radio').nth(1).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const [{ fileGuid }] = (await api('GET', '/images?linkGuid=piano')).body.items;
    assert.equal((await api('GET', '/articles/piano')).body.iconGuid, fileGuid);
  });

  test('a refused form keeps every value, and says what is wrong at the field, by its label', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner', 'ada');
    const { send, api } = visitor(service, cookie);
    await api('POST', '/users', { id: 'bob', name: 'Bob' });
    const page = await openSignedIn(t, service, cookie, '/console/users/bob', {}, /status of 400/);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('First name').fill('Robert');
    await page.getByLabel('E-mail').fill('not an email');
    await page.getByRole('button', { name: 'Save' }).click();
    const wrong = page.getByLabel('E-mail');
    await page.locator('[aria-invalid=true]').waitFor();
    assert.deepEqual(
      [await wrong.inputValue(), await page.getByLabel('First name').inputValue()],
      ['not an email', 'Robert'],
    );
    assert.match(
      (await page.locator('#b-email-problem').textContent())!,
      /^E-mail must be one e-mail address/,
    );
    assert.match((await wrong.getAttribute('aria-describedby'))!, /^b-email-problem b-email-hint$/);
    await page.locator('#b-email:focus').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Edit: Bob' }).waitFor();
    assert.equal(await page.locator('.done').count(), 0);
    assert.deepEqual(await violationsOf(page), []);
    await wrong.fill('bob@example.com');
    await page.keyboard.press('Enter');
    await saysDone(page, 'Saved.');
    assert.equal((await api('GET', '/users/bob')).body.firstName, 'Robert');

    const hook = { url: 'nonsense', types: 'article.create, link.visit', label: 'CRM' };
    const created = await send('/console/webhooks/new', hook);
    assert.equal(created.status, 400);
    const kept = formOf(created.text, 'url');
    assert.deepEqual([kept.url, kept.types, kept.label], [hook.url, hook.types, hook.label]);
    assert.match(created.text, /<p class="problem" id="n-url-problem">/);
    const token = await send('/console/tokens/new', {
      kind: 'user',
      scopes: 'mail',
      label: 'partner',
      userId: '',
      guid: 'true',
    });
    assert.equal(token.status, 400);
    const values = formOf(token.text, 'label');
    assert.deepEqual([values.label, values.guid], ['partner', 'true']);
    assert.match(token.text, /value="user" checked/);
    assert.match(token.text, /value="mail" checked/);
    const { texts } = await answerInChinese(service, cookie, '/console/users/act', {
      ...EDIT,
      'b-email': 'x',
    });
    assert.ok(
      texts.some((text) => text.startsWith('邮箱必须是')),
      texts.join('\n'),
    );
  });

  for (const javaScriptEnabled of [true, false]) {
    test(`a title that was emptied and a category that nothing has are asked about first, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async (t) => {
      const service = await filledService(t);
      const cookie = await sessionOf(service, 'owner');
      const { api } = visitor(service, cookie);
      const stored = async () => (await api('GET', '/articles/flat')).body;
      const { caption, categoryGuid } = await stored();
      const look = { ...DESKTOP, javaScriptEnabled };
      const path = '/console/articles/flat/edit';
      const page = await openSignedIn(t, service, cookie, path, look);
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
      await page.getByLabel('Caption').fill(' ');
      await page.getByLabel('Category').fill('never seen');
      await page.getByLabel('Content').fill('Two rooms.');
      await press('Save');
      await press('Save anyway');
      await saysDone(page, 'Saved.');
      const emptied = await stored();
      assert.deepEqual([emptied.caption, emptied.categoryGuid], [' ', 'never seen']);
      assert.equal(emptied.content, 'Two rooms.');
      await press('Undo');
      await page.getByText('The earlier content is back.').waitFor();
      assert.deepEqual(
        [(await stored()).caption, (await stored()).categoryGuid],
        [caption, categoryGuid],
      );

      await page.goto(service.url + path);
      await page.getByLabel('Caption').fill('');
      await leave(page, () => press('Save'));
      const field = page.getByLabel('Caption');
      const said = (await field.getAttribute('aria-describedby'))!;
      assert.match(
        (await page.locator(`#${said}`).textContent())!,
        /^Without a caption visitors see no title/,
      );
      if (javaScriptEnabled) {
        assert.deepEqual(await violationsOf(page), []);
        await page.locator('[name=b-caption]:focus').waitFor();
        // Another text is asked about anew; what was asked about is saved by Enter.
        await page.getByLabel('Category').fill('another');
        await page.getByLabel('Category').press('Enter');
        await page.getByText('No articles have this category yet. Save it anyway?').waitFor();
        await focusOfPage(page);
        await page.keyboard.press('Enter');
        await saysDone(page, 'Saved.');
        assert.equal((await stored()).categoryGuid, 'another');
      }
      // What nobody changes is asked about no more, nor what was never there.
      await page.goto(`${service.url}/console/articles/new`);
      await page.getByLabel('Content').fill('A text alone');
      await page.getByLabel('Category').fill(javaScriptEnabled ? 'another' : (categoryGuid ?? ''));
      await press('Create');
      await page.getByText('Without a caption visitors').waitFor();
      assert.equal(await page.getByText('category yet').count(), 0);
      await page.getByLabel('Caption').fill('It has one');
      await press('Save anyway');
      await page.getByRole('heading', { level: 1, name: 'It has one' }).waitFor();
    });
  }

  test('an edit that is asked about keeps what somebody else wrote meanwhile', async () => {
    const service = filled();
    const { open, send, api } = visitor(service, await sessionOf(service, 'owner'));
    const opened = formOf(await open('/console/articles/flat/edit'), 'b-caption');
    const content = { 'b-content': 'Two rooms.' };
    await api('PATCH', '/articles/flat', { contactPhone: '+14155550123' });
    const asks = await send('/console/articles/act', {
      ...{ ...opened, ...content, 'b-categoryGuid': 'never seen', confirm: 'yes' },
    });
    const again = formOf(asks.text, 'b-caption');
    assert.equal(again.version, opened.version);
    const saved = await send('/console/articles/act', { ...again, ...content, confirm: 'yes' });
    assert.equal(saved.status, 303, saved.text);
    const { contactPhone, categoryGuid } = (await api('GET', '/articles/flat')).body;
    assert.deepEqual([contactPhone, categoryGuid], ['+14155550123', 'never seen']);
  });

  test('what lacks is said at each field in the language of the page, with scripts or without; the first has the focus', async (t) => {
    const service = filled();
    const cookie = await sessionOf(service, 'owner', 'ada');
    const expected = /status of 400/;
    const says = (page: Page) => page.locator('main .problem').allTextContents();
    const forms = [
      ['/console/adverts/new', '.save button', 'n-title', /标题/],
      ['/console/images/upload', 'form.narrow button', 'file', /请选择一张图片/],
      ['/console/suppressions', 'form.tools button', 'add-key', /请填写此项/],
      ['/console/account', 'form.narrow button', 'current', /密码/],
      ['/console/articles?state=published', '#saved button', 'saved-name', /请填写此项/],
    ] as const;
    for (const [at, javaScriptEnabled] of [true, false].entries()) {
      const options = { ...DESKTOP, locale: 'zh-CN', javaScriptEnabled };
      const page = await openSignedIn(t, service, cookie, '/console', options, expected);
      for (const [path, button, id, why] of someOf(forms, 2, at)) {
        await page.goto(service.url + path);
        if (id === 'saved-name') await page.locator('#saved summary').click();
        await leave(page, () => page.locator(`main ${button}`).first().click());
        const field = page.locator(`#${id}[aria-invalid=true]:focus`);
        await field.waitFor();
        assert.equal(await field.getAttribute('aria-describedby'), `${id}-problem`, path);
        const told = await says(page);
        assert.match(told[0] ?? '', why, path);
        assert.equal(told.length, 1, `${path}: ${told}`);
      }
    }
    const visitors = await openPage(t, `${service.url}/console/sign-in`, DESKTOP, expected);
    await leave(visitors, () =>
      visitors.getByRole('button', { name: 'Sign in', exact: true }).click(),
    );
    await visitors.locator('#name[aria-invalid=true]:focus').waitFor();
    assert.deepEqual(await says(visitors), ['Fill this in.', 'Fill this in.']);
    assert.deepEqual(await violationsOf(visitors), []);
  });

  test('a rejection without a reason asks for it, or for the button that needs none', async () => {
    const service = filled();
    const { send, api } = visitor(service, await sessionOf(service, 'moderator'));
    await call(service, 'InsertArticle', { guid: 'waits', caption: 'Waits', Status: '2' });
    const rejected = { now: 'reject', key: 'waits' };
    const asked = await send('/console/articles/act', { ...rejected, 'b-reason': ' ' });
    assert.equal(asked.status, 400);
    assert.match(asked.text, /id="b-reason-problem"/);
    assert.equal((await api('GET', '/articles/waits')).body.state, 'pending');
    assert.equal((await send('/console/articles/act', rejected)).status, 303);
  });
});

import assert from 'node:assert/strict';
import { after, before, suite, type TestContext, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { violationsOf } from '../console/kit/axe.ts';
import { DESKTOP, openPage, PHONE } from '../console/kit/browser.ts';
import { MIXED } from '../kit/hostile-texts.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { lowContrast } from './kit/contrast.ts';
import { type EchoListener, listenAndEcho } from './kit/echo-listener.ts';

suite('the pages in Chromium', () => {
  let listener: EchoListener;
  before(async () => {
    listener = await listenAndEcho();
  });
  after(() => listener.close());

  /** Opens a page. @param expected what the browser may complain of. */
  const open = (
    t: TestContext,
    query: string,
    options: BrowserContextOptions = DESKTOP,
    endpoint = listener.url,
    expected?: RegExp,
  ): Promise<Page> => openPage(t, endpoint + query, options, expected);

  test('a form is filled in and invoked, and its answer shown in place', async (context) => {
    const page = await open(context, '?op=updateUserCellphone');
    await page.getByLabel('tokenId').fill('a-token');
    await page.getByLabel('userId').fill(MIXED);
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.getByRole('status').filter({ hasText: '200 OK' }).waitFor();
    const answer = (await page.locator('#answer-body').textContent()) ?? '';
    const escaped = MIXED.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    assert.equal(
      answer,
      `<string xmlns="urn:ws01">${JSON.stringify({ tokenId: 'a-token', userId: '?', cellPhone: '' }).replace('"?"', JSON.stringify(escaped))}</string>`,
    );
    const result = await page.locator('#answer-json-text').textContent();
    assert.equal(JSON.parse(result ?? '').userId, MIXED);
    await page.getByText('Response headers').click();
    assert.match(
      (await page.locator('#answer-headers').textContent()) ?? '',
      /content-type: text\/xml; charset=utf-8/,
    );
    assert.equal(page.url(), `${listener.url}?op=updateUserCellphone`);
    await page.getByRole('button', { name: 'Clear' }).click();
    assert.ok(await page.locator('#answer').isHidden(), 'cleared with the form');
  });

  test('a form calls the whole service, its database included', async (context) => {
    const service = await startService(context);
    const page = await open(context, '?op=InsertArticle', DESKTOP, `${service.url}/WS01.asmx`);
    await page.getByLabel('token').fill(TOKEN);
    await page.getByRole('button', { name: 'Fill in sample values' }).click();
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.getByRole('status').filter({ hasText: '200 OK' }).waitFor();
    const guid = await page.getByLabel('guid', { exact: true }).inputValue();
    assert.equal(
      await page.locator('#answer-body').textContent(),
      `<string xmlns="urn:ws01">${guid}</string>`,
    );
  });

  test('an error is shown with its status and its document', async (context) => {
    // Chromium logs every answer of 400 and above.
    const page = await open(context, '?op=InsertArticle', DESKTOP, listener.url, /status of 400/);
    await page.getByLabel('Status').fill('many');
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.getByRole('status').filter({ hasText: '400 Bad Request' }).waitFor();
    assert.match(
      (await page.locator('#answer-body').textContent()) ?? '',
      /^<error xmlns="urn:ws01">\n {2}<code>InvalidParameter<\/code>\n/,
    );
  });

  test('parameters may be called what the properties of a form are called', async (context) => {
    const names = ['action', 'method', 'elements', 'submit', 'reset'];
    const parameters = names.map(
      (name) => ({ name, type: 'string', documentation: '', sample: name }) as const,
    );
    const odd = await listenAndEcho({
      service: {
        name: 'Odd',
        operations: [{ name: 'Do', documentation: '', parameters, result: 'string' }],
      },
    });
    context.after(() => odd.close());
    const page = await open(context, '?op=Do', DESKTOP, odd.url);
    await page.getByRole('button', { name: 'Fill in sample values' }).click();
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.getByRole('status').filter({ hasText: '200 OK' }).waitFor();
    const result = (await page.locator('#answer-json-text').textContent()) ?? '';
    assert.deepEqual(JSON.parse(result), Object.fromEntries(names.map((name) => [name, name])));
  });

  test('a server that is gone is told, not thrown', async (context) => {
    const page = await open(context, '?op=QueryAdvert', DESKTOP, listener.url, /ERR_FAILED/);
    await page.route('**/QueryAdvert', (route) => route.abort());
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.getByText('No answer').waitFor();
    assert.ok(await page.locator('#answer').isHidden());
  });

  test('samples fill the form and stand in for the placeholders', async (context) => {
    const page = await open(context, '?op=UpdatePinnedTopDueDateByGuid');
    await page.getByLabel('guid').fill('mine');
    await page.getByRole('button', { name: 'Fill in sample values' }).click();
    assert.equal(await page.getByLabel('guid').inputValue(), 'mine', 'what is there is kept');
    assert.equal(await page.getByLabel('pinnedTopDueDate').inputValue(), '2030-01-31T00:00:00Z');
    await page.getByRole('button', { name: 'Clear' }).click();
    assert.equal(await page.getByLabel('guid').inputValue(), '');
    const sample = page.locator('#soap11-request');
    assert.match((await sample.textContent()) ?? '', /<pinnedTopDueDate>dateTime</);
    await page.getByLabel('Show sample values').check();
    const filled = (await sample.textContent()) ?? '';
    assert.match(filled, /<pinnedTopDueDate>2030-01-31T00:00:00Z</);
    const [head, body] = filled.split('\n\n');
    assert.equal(head?.match(/Content-Length: (\d+)/)?.[1], String(Buffer.byteLength(body ?? '')));
    await page.getByLabel('Show sample values').uncheck();
    assert.match((await sample.textContent()) ?? '', /<pinnedTopDueDate>dateTime</);
  });

  test('every filled sample works as it stands', async (context) => {
    const page = await open(context, '?op=InsertArticle');
    await page.getByLabel('Show sample values').check();
    for (const id of ['soap11', 'soap12', 'http-get', 'http-post', 'json']) {
      const text = (await page.locator(`#${id}-request`).textContent()) ?? '';
      const [head = '', body] = text.split(/\n\n(.*)/s);
      const [first = '', ...lines] = head.split('\n');
      const [method = '', target = ''] = first.split(' ');
      const headers = lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
      const sent = headers.filter(([name]) => name !== 'Host' && name !== 'Content-Length');
      const answer = await fetch(listener.origin + target, {
        method,
        headers: sent,
        body: body ?? null,
      });
      assert.equal(answer.status, 200, id);
      assert.match(await answer.text(), /Flat to let, 两室一厅/, id);
    }
  });

  test('a token is typed once, for every form of the tab', async (context) => {
    const page = await open(context, '?op=InsertArticle');
    await page.getByLabel('token').fill('ws1_mine');
    await page.getByLabel('token').blur();
    await page.goto(`${listener.url}?op=SendEmail`);
    assert.equal(await page.getByLabel('authorizationUserId').inputValue(), 'ws1_mine');
    await page.goto(`${listener.url}?op=VerifyCodeForPhone`);
    assert.equal(await page.getByLabel('tokenId').inputValue(), 'ws1_mine');
    assert.equal(
      await page.getByLabel('VerifyCode', { exact: true }).inputValue(),
      '',
      'a code is no credential',
    );
    assert.equal(await page.evaluate('localStorage.length'), 0);
  });

  test('programs have the values that were typed, written as each language wants them', async (context) => {
    const page = await open(context, '?op=QueryAdvert');
    await page.getByLabel('query').fill(`it's "so" \\ 说`);
    const code = async (id: string) => (await page.locator(`#${id}`).textContent()) ?? '';
    assert.ok((await code('curl-command')).includes(`query=it'\\''s "so" \\ 说'`));
    for (const id of ['csharp', 'java', 'python', 'javascript']) {
      assert.ok((await code(`${id}-code`)).includes(`"it's \\"so\\" \\\\ 说"`), id);
    }
    assert.ok((await code('php-code')).includes(`'it\\'s "so" \\\\ 说'`));
    assert.ok((await code('delphi-code')).includes(`'it''s "so" \\ 说'`));
  });

  test('the program in JavaScript does what the form does', async (context) => {
    const page = await open(context, '?op=QueryAdvert');
    await page.getByLabel('Show sample values').check();
    await page.getByLabel('userId').fill(MIXED);
    const code = (await page.locator('#javascript-code').textContent()) ?? '';
    const AsyncFunction = (async () => {}).constructor as new (
      ...parts: string[]
    ) => (log: unknown) => Promise<void>;
    const said: string[] = [];
    await new AsyncFunction('console', code)({ log: (text: string) => said.push(text) });
    assert.ok(said.join('').includes(JSON.stringify(MIXED).slice(1, 3)), said.join(''));
  });

  test('a no with the status 200 gets no green tick; a file is uploaded by its form', async (context) => {
    const service = await startService(context);
    const page = await open(context, '?op=VerifyCodeForPhone', DESKTOP, `${service.url}/WS01.asmx`);
    await page.getByLabel('tokenId').fill(TOKEN);
    await page.getByLabel('userId').fill('ada');
    await page.getByLabel('VerifyCode', { exact: true }).fill('000000');
    await page.getByLabel('cellphone').fill('+14155550123');
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.getByRole('status').filter({ hasText: 'the answer is no: CodeNotFound' }).waitFor();
    assert.equal(await page.locator('#state').getAttribute('class'), 'refused');
  });

  test('one program is shown at a time, by keyboard, and again on the next page', async (context) => {
    const page = await open(context, '?op=countIpPosted');
    const shown = () =>
      page
        .locator('.tab pre')
        .evaluateAll((all) =>
          (all as { checkVisibility(): boolean; id: string }[])
            .filter((pre) => pre.checkVisibility())
            .map(({ id }) => id),
        );
    assert.deepEqual(await shown(), ['curl-command']);
    await page.getByRole('radio', { name: 'curl' }).focus();
    for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowRight');
    assert.deepEqual(await shown(), ['python-code']);
    await page.goto(`${listener.url}?op=QueryAdvert`);
    assert.deepEqual(await shown(), ['python-code']);
    await page.goto(`${listener.url}?op=QueryAdvert#php`);
    // The address names a program; its event reaches the page after the navigation.
    await until(async () => String(await shown()) === 'php-code', shown);
    await page.getByText('JSON', { exact: true }).click();
    assert.deepEqual(await shown(), ['json-request', 'json-response']);
    // A reload shows it again.
    await page.waitForURL(/#json$/);
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    assert.ok(height < 6_000, `${height} px long`);
  });

  test('without JavaScript programs are chosen, and linked to', async (context) => {
    const page = await open(context, '?op=InsertArticleImageFile#csharp', {
      javaScriptEnabled: false,
    });
    assert.ok(await page.locator('#csharp-code').isVisible());
    await page.getByText('Delphi', { exact: true }).click();
    assert.ok(await page.locator('#delphi-code').isVisible());
    assert.ok(await page.locator('#php-code').isHidden());
  });

  test('samples are copied as they are shown', async (context) => {
    const page = await open(context, '?op=countIpPosted', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByRole('button', { name: 'Copy curl command' }).click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(copied, await page.locator('#curl-command').textContent());
  });

  test('without JavaScript the form posts and the answer comes in a page of its own', async (context) => {
    const page = await open(context, '?op=countIpPosted', { javaScriptEnabled: false });
    await page.getByLabel('IP', { exact: true }).fill('203.0.113.7');
    const opened = page.context().waitForEvent('page');
    await page.getByRole('button', { name: 'Invoke' }).click();
    const answer = await opened;
    await answer.waitForLoadState();
    assert.equal(answer.url(), `${listener.url}/countIpPosted`);
    assert.match(await answer.content(), /203\.0\.113\.7/);
    assert.ok(
      await page.getByText('Fill in sample values').isHidden(),
      'no button that does nothing',
    );
  });

  test('the keyboard reaches everything: skip link, form, answer', async (context) => {
    const page = await open(context, '?op=QueryAdvert');
    const focused = () =>
      page.evaluate<string>('document.activeElement.textContent || document.activeElement.name');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Skip to content');
    assert.ok(await page.getByText('Skip to content').isVisible());
    await page.keyboard.press('Enter');
    // The browser moves the focus after the key.
    await until(async () => (await focused()) !== 'Skip to content');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'here');
    const order: string[] = [];
    for (let stop = 0; stop < 9; stop++) {
      await page.keyboard.press('Tab');
      order.push(await focused());
    }
    const names = ['userId', 'query', 'pagesize', 'pageindex', 'orderBy', 'sort'];
    assert.deepEqual(order, [...names, 'Invoke', 'Fill in sample values', 'Clear']);
    const outline = await page.evaluate<string>(
      'getComputedStyle(document.activeElement).outlineStyle',
    );
    assert.equal(outline, 'solid', 'focus is seen');
    await page.getByLabel('sort').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: '200 OK' }).waitFor();
  });

  for (const [at, query] of [
    '',
    '?op=UpdatePinnedTopDueDateByGuid',
    '?op=InsertArticleImageFile',
    '?op=Nonsense',
  ].entries()) {
    const what = query || 'the list';
    test(`${what} fits a phone`, async (context) => {
      const page = await open(context, query, PHONE);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      assert.equal(width, 360, 'nothing to scroll sideways');
      const small = await page.evaluate<string[]>(
        `[...document.querySelectorAll('button:not([hidden]):not(.copy), input[type=text], textarea')]
          .filter((control) => control.getBoundingClientRect().height < 36).map((control) => control.outerHTML)`,
      );
      assert.deepEqual(small, [], 'controls are large enough for a finger');
    });

    // By day one of them in each scheme in turn.
    for (const colorScheme of (['light', 'dark'] as const).filter(
      (_, scheme) => BY_NIGHT || (at + scheme) % 2 === 0,
    )) {
      test(`${what} is readable in ${colorScheme} mode`, async (context) => {
        const page = await open(context, query, { colorScheme });
        assert.deepEqual(await lowContrast(page), []);
        assert.deepEqual(await violationsOf(page), []);
        const background = await page.evaluate<string>(
          'getComputedStyle(document.body).backgroundColor',
        );
        const [red = 0] = background.match(/\d+/g)!.map(Number);
        assert.ok(colorScheme === 'dark' ? red < 60 : red > 200, background);
      });
    }
  }
});

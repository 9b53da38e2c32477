import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { callOperation, openApiDesk } from '../kit/api.ts';
import { forBothEngines } from '../kit/database.ts';
import { startService } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import {
  openAs,
  openSignedIn,
  PHONE,
  saysDone,
  sessionOf,
  untilInPage,
  visitor,
} from './kit/browser.ts';
import { answerInChinese } from './kit/chinese.ts';
import { call, report } from './kit/filled.ts';

/** What the public reads. */
async function publicTitles(service: { readonly url: string }): Promise<string[]> {
  const answer = await fetch(`${service.url}/api/v1/public/articles?limit=100`, {
    headers: { 'Cache-Control': 'no-cache' },
  });
  return ((await answer.json()) as { items: { caption: string }[] }).items
    .map(({ caption }) => caption)
    .toSorted();
}

suite('the desk', () => {
  test('articles that wait are decided by one key each, the oldest first, and the last decision is undone by one', async (t) => {
    const [count, rejected] = BY_NIGHT ? [20, [5, 12, 13]] : [6, [2, 4, 5]];
    const titleOf = (number: number) => `Article ${String(number).padStart(2, '0')}`;
    const service = await startService(t);
    for (let number = 1; number <= count; number++) {
      const caption = titleOf(number);
      await call(service, 'InsertArticle', {
        guid: `w-${number}`,
        caption,
        content: 'Text.',
        CreateUserId: 'bob',
        Status: '2',
      });
    }
    const page = await openAs(t, service, 'moderator', '/console');
    await page.getByRole('link', { name: `${count} articles wait` }).click();
    await page.getByRole('heading', { level: 3, name: 'Article 01' }).waitFor();
    await page.getByText(`1 of ${count} that wait`).waitFor();
    assert.deepEqual(await violationsOf(page), []);
    let keys = 0;
    const press = async (key: string) => {
      keys++;
      await page.keyboard.press(key);
    };
    for (let number = 1; number <= count; number++) {
      const title = titleOf(number);
      await page.getByRole('heading', { level: 3, name: title }).waitFor();
      if (rejected.includes(number)) {
        await press('r');
        await untilInPage(page, `document.activeElement.id === 'reason'`);
        await page.keyboard.insertText('Spam');
        await press('Enter');
        await saysDone(page, `${title} – Rejected.`);
      } else {
        await press('p');
        await saysDone(page, `${title} – Published. Visitors see it now.`);
      }
    }
    // A rejection is R and Enter, besides its reason.
    assert.equal(keys, count + rejected.length);
    await page.getByText('Nothing waits for you.').waitFor();
    assert.equal((await publicTitles(service)).length, count - 3);
    await press('u');
    await saysDone(page, `${titleOf(count)} – Undone.`);
    await page.getByRole('heading', { level: 3, name: titleOf(count) }).waitFor();
    assert.equal((await publicTitles(service)).length, count - 4);
  });

  test('opens by a count with that very kind, whatever else waits longer, and all the rest is a click away', async (t) => {
    const service = await startService(t);
    await call(service, 'addNewAdvert', { guid: 'ad', title: 'Reported', CreateUserId: 'eve' });
    await report(service, 'ad');
    for (const guid of ['one', 'two']) {
      const article = { guid, caption: `Waits ${guid}`, content: 'Text.', CreateUserId: 'bob' };
      await call(service, 'InsertArticle', { ...article, Status: '2' });
    }
    await call(service, 'InsertArticle', { guid: 'held', caption: 'Held', CreateUserId: 'bob' });
    const cookie = await sessionOf(service, 'moderator');
    await visitor(service, cookie).act('articles', 'hold', 'held');
    const page = await openSignedIn(t, service, cookie, '/console');
    const title = (name: string) => page.getByRole('heading', { level: 3, name }).waitFor();
    await page.getByRole('link', { name: '1 article is held' }).click();
    await title('Held');
    await page.goto(`${service.url}/console`);
    await page.getByRole('link', { name: '2 articles wait' }).click();
    await title('Waits one');
    await page.getByText('1 of 2 that wait').waitFor();
    const chip = page.getByRole('link', { name: 'Only articles that wait for approval' });
    await chip.waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await page.getByRole('button', { name: 'Publish' }).click();
    await title('Waits two');
    await chip.waitFor();
    assert.equal(new URL(page.url()).searchParams.get('only'), 'articles');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('None of these waits any more.').waitFor();
    await page.getByRole('link', { name: 'Everything that waits (2)' }).click();
    await title('Reported');
    assert.equal(await page.locator('.chip').count(), 0);
  });

  test('what readers report is dismissed or taken down by one key; what is gone is passed over', async (t) => {
    const service = await startService(t);
    for (const guid of ['one', 'two', 'three', 'gone']) {
      const article = { guid, caption: `Title ${guid}`, content: 'Text.', CreateUserId: 'bob' };
      await call(service, 'InsertArticle', article);
    }
    for (const key of ['gone', 'one', 'two'])
      await report(service, key, { targetKind: 'article', detail: `<b>Asks for money: ${key}` });
    await call(service, 'DeleteArticleByGuid', { guid: 'gone', createuserid: 'bob' });
    const reader = visitor(service, await sessionOf(service, 'reader'));
    const text = await reader.open('/console/desk');
    assert.match(text, /&lt;b&gt;Asks for money: one/);
    assert.doesNotMatch(text, /<button [^>]*name="now"/);
    const page = await openAs(t, service, 'moderator', '/console/desk', PHONE);
    await page.getByRole('heading', { level: 3, name: 'Title one' }).waitFor();
    await page.getByText('for money: one').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    await page.getByRole('button', { name: 'Dismiss the reports' }).tap();
    await page.getByRole('heading', { level: 3, name: 'Title two' }).waitFor();
    const dismissed = page.getByRole('status').filter({ hasText: 'The reports are dismissed.' });
    const named = dismissed.getByRole('link', { name: 'Title one' });
    assert.equal(await named.getAttribute('href'), '/console/articles/one');
    await page.getByRole('button', { name: 'Take down' }).tap();
    await saysDone(page, 'Title two – Taken down.');
    assert.deepEqual(await publicTitles(service), ['Title one', 'Title three']);
    await page.goto(`${service.url}/console/reports`);
    assert.equal(await page.locator('main .tag', { hasText: 'closed' }).count(), 2);
  });

  test('next skips, hold keeps, a rejection has its reason in the trail; a reader sees and decides nothing', async (t) => {
    const service = await startService(t);
    const long = 'x'.repeat(5_000);
    for (const guid of ['one', 'two', 'three']) {
      await call(service, 'InsertArticle', {
        guid,
        caption: `Title ${guid}`,
        content: long,
        CreateUserId: 'bob',
        Status: '2',
      });
    }
    const cookie = await sessionOf(service, 'moderator');
    const refused = /status of 400 .*\/console\/articles\/act$/;
    const page = await openSignedIn(t, service, cookie, '/console/desk', PHONE, refused);
    const at = (name: string) => page.getByRole('heading', { level: 3, name }).waitFor();
    await at('Title one');
    assert.deepEqual(await violationsOf(page), []);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    await page.getByText('Show all of it').waitFor();
    await page.getByRole('link', { name: 'Next' }).tap();
    await at('Title two');
    await page.locator('.verdict .more > summary').tap();
    await page.getByRole('button', { name: 'Hold' }).tap();
    await at('Title three');
    const why = page.locator('.ask');
    await page.waitForLoadState();
    const here = page.url();
    await why.locator('summary').tap();
    await why.getByRole('button', { name: 'Reject' }).tap();
    // Without a reason the next page asks for it.
    await untilInPage(page, `document.activeElement?.id === 'b-reason'`);
    assert.deepEqual(await violationsOf(page), []);
    await page.goto(here);
    await page.waitForLoadState();
    await why.locator('summary').tap();
    const reason = why.getByLabel('Reason');
    await reason.waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await why.getByRole('button', { name: 'This is advertising.' }).tap();
    // A browser makes a click of a tap after it.
    await untilInPage(page, `document.activeElement.value === 'This is advertising.'`);
    await reason.fill('Not a flat');
    await why.getByRole('button', { name: 'Reject' }).tap();
    await saysDone(page, 'Title three – Rejected.');
    await at('Title two');
    await page.locator('main .tag', { hasText: 'held' }).first().waitFor();
    const [entry] = (await visitor(service, cookie).api('GET', '/audit?targetKey=three')).body
      .items;
    assert.deepEqual([entry?.action, entry?.details.reason], ['article.reject', 'Not a flat']);

    const reader = await sessionOf(service, 'reader');
    const seen = await visitor(service, reader).open('/console/desk');
    assert.match(seen, /Title one/);
    assert.doesNotMatch(seen, /<button [^>]*name="now"/);
    for (const [who, now, status] of [
      [reader, 'publish', 403],
      // What cannot be undone has a page first, whatever the button was called.
      [cookie, 'purge', 403],
      [await sessionOf(service, 'owner'), 'purge', 200],
      [cookie, 'publish', 303],
    ] as const) {
      const act = { key: 'one', now, back: '/console/desk' };
      const { send } = visitor(service, who);
      assert.equal((await send('/console/articles/act', act)).status, status, now);
    }
    assert.deepEqual(await publicTitles(service), ['Title one']);
    assert.deepEqual((await answerInChinese(service, cookie, '/console/desk')).english, []);
  });

  test('single keys do nothing once they are switched off, and no page names them', async (t) => {
    const service = await startService(t);
    await call(service, 'InsertArticle', { guid: 'a', caption: 'Waits', Status: '2' });
    const page = await openAs(t, service, 'moderator', '/console/desk');
    const named = () =>
      page.evaluate<number>(`[...document.querySelectorAll('kbd, [aria-keyshortcuts]')]
        .filter((one) => one.matches('[aria-keyshortcuts]') || one.checkVisibility()).length`);
    assert.ok((await named()) > 4);
    await page.getByRole('button', { name: 'Single keys: on' }).click();
    await page.getByRole('button', { name: 'Single keys: off' }).waitFor();
    await page.waitForLoadState();
    assert.equal(await named(), 0);
    for (const key of ['/', 'r', 'p']) await page.keyboard.press(key);
    assert.equal(await page.evaluate(`document.activeElement.matches('input')`), false);
    await page.getByRole('heading', { name: 'Waits' }).waitFor();
    await page.getByRole('button', { name: 'Single keys: off' }).click();
    await page.getByRole('button', { name: 'Single keys: on' }).waitFor();
    await page.waitForLoadState();
    await page.keyboard.press('p');
    await page.getByText('Nothing waits for you.').waitFor();
  });
});

forBothEngines((_engine, fresh) => {
  test('the API publishes, rejects and sets back what waits; drafts stay their author’s; it is a revision of the same author', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const write = (guid: string, status: number) =>
      callOperation(desk, 'InsertArticle', {
        guid,
        caption: guid,
        content: 'x',
        CreateUserId: 'ada',
        Status: status,
      });
    for (const [guid, status] of [
      ['waits', 2],
      ['draft', 1],
      ['hidden', 3],
      ['refused', 2],
    ] as const)
      await write(guid, status);
    const listed = async (state: string) =>
      (await desk.get(`/articles?state=${state}`)).body.items.map(
        ({ guid }: { guid: string }) => guid,
      );
    const act = async (path: string, body: object = {}) => (await desk.post(path, body)).body;
    assert.deepEqual(await listed('waiting'), ['refused', 'waits']);
    const before = (await desk.get('/articles/waits')).body;
    const preview = await act('/articles/waits/publish?preview=true');
    assert.deepEqual([preview.changed, preview.item.state], [true, 'published']);
    assert.deepEqual(await publicTitles(desk), []);
    const published = await act('/articles/waits/publish');
    assert.deepEqual(
      [published.item.isPublic, published.item.status, published.item.revision],
      [true, 0, 2],
    );
    assert.deepEqual(
      [published.item.ip, published.item.tokenId],
      [before.ip, before.tokenId],
      'its author stays',
    );
    assert.equal((await act('/articles/waits/publish')).changed, false);
    assert.deepEqual(await publicTitles(desk), ['waits']);
    assert.equal((await act('/articles/waits/pend')).item.state, 'pending');
    assert.deepEqual(await publicTitles(desk), []);
    await act('/articles/waits/hold');
    assert.deepEqual(await listed('waiting'), ['refused']);
    assert.equal((await act('/articles/waits/publish')).item.isPublic, true, 'a hold ends, too');
    const refused = await act('/articles/refused/reject', { reason: 'spam' });
    assert.equal(refused.item.state, 'removed');
    assert.deepEqual(await listed('waiting'), []);
    assert.equal((await act('/articles/refused/restore')).item.state, 'pending', 'it waits again');
    for (const guid of ['draft', 'hidden']) {
      assert.equal((await desk.post(`/articles/${guid}/publish`, {})).status, 400, guid);
    }
    await callOperation(desk, 'addNewAdvert', { guid: 'ad', title: 'Ad', CreateUserId: 'ada' });
    await act('/adverts/ad/hold');
    assert.equal((await act('/adverts/ad/publish')).item.state, 'published');
    assert.equal((await act('/adverts/ad/reject', { reason: 'spam' })).item.state, 'removed');
    const trail = (await desk.get('/audit?limit=100')).body.items as { action: string }[];
    for (const action of ['article.publish', 'article.pend', 'article.reject', 'advert.reject']) {
      assert.ok(
        trail.some((entry) => entry.action === action),
        action,
      );
    }
  });
});

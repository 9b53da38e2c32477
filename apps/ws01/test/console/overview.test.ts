import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { translator } from '../../src/console/language.ts';
import { en } from '../../src/console/texts/en.ts';
import { acceptLoss } from '../../src/domain/retention/absence.ts';
import { addWebhook, disableWebhook, enableWebhook } from '../../src/domain/webhooks/webhooks.ts';
import { noteLoss } from '../../src/store/lost-commits.ts';
import { beginSlot } from '../kit/clock.ts';
import { startService, type TestService } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import { DESKTOP, openAs, openSignedIn, PHONE, sessionOf } from './kit/browser.ts';
import { call, filledService } from './kit/filled.ts';

const MINUTE = 60_000;

/** A webhook without deliveries; its receiver is never called. */
async function webhookOf(service: TestService, label: string): Promise<string> {
  const store = await service.database.open();
  const wanted = { url: 'https://hooks.example/', label, types: ['article.*'] };
  const { id } = await store.write((tx) => addWebhook(tx, wanted, Date.now(), undefined));
  return id;
}

/** An event on its way to a webhook, which no process of the test sends. */
async function deliver(
  service: TestService,
  webhook_id: string,
  state: 'queued' | 'deferred' | 'failed',
  createdAt: number,
  last_reply: string | null = 'HTTP 500',
) {
  const store = await service.database.open();
  const id = crypto.randomUUID();
  const due =
    state === 'failed'
      ? { due_at: null, finished_at: createdAt }
      : { due_at: Date.now() + 60 * MINUTE };
  await store.write(async (tx) => {
    const row = {
      id,
      kind: 'webhook' as const,
      state,
      attempts: last_reply === null ? 0 : 1,
      deferrals: last_reply === null ? 0 : 1,
      created_at: createdAt,
    };
    await tx
      .insertInto('outbox')
      .values({
        ...row,
        ...due,
        give_up_at: Date.now() + 120 * MINUTE,
        last_reply,
        queue: webhook_id,
      })
      .execute();
    await tx
      .insertInto('webhook_deliveries')
      .values({ id, webhook_id, event_id: crypto.randomUUID() })
      .execute();
  });
  return id;
}

suite('what needs attention', () => {
  test('are webhooks that lag behind and disabled ones, each as many as there are, with a link to them', async (t) => {
    const service = await startService(t);
    const store = await service.database.open();
    const [slow, failing, stopped] = [
      await webhookOf(service, 'slow'),
      await webhookOf(service, 'failing'),
      await webhookOf(service, 'stopped'),
    ];
    // A minute is no reason to look.
    const waiting = await deliver(service, slow, 'deferred', Date.now() - MINUTE);
    const page = await openAs(t, service, 'owner', '/console');
    const attention = page.getByRole('region', { name: 'What needs attention' });
    // That there is no backup is something.
    const told = (await attention.textContent()) ?? '';
    assert.match(told, /There is no verified backup\. Make a backup$/);
    assert.doesNotMatch(told, /Nothing|lag/);

    await store.write((tx) =>
      tx
        .updateTable('outbox')
        .set({ created_at: Date.now() - 10 * MINUTE })
        .where('id', '=', waiting)
        .execute(),
    );
    await store.write((tx) => disableWebhook(tx, stopped, Date.now(), undefined));
    await page.reload();
    await attention.getByRole('link', { name: '1 webhook lags behind' }).waitFor();
    await attention.getByRole('link', { name: '1 webhook is disabled' }).waitFor();

    await deliver(service, failing, 'failed', Date.now());
    await page.reload();
    await attention.getByRole('link', { name: '2 webhooks lag behind' }).click();
    await page.getByRole('link', { name: 'slow' }).waitFor();
    await page.getByRole('link', { name: 'failing' }).waitFor();
    await page.waitForLoadState();
    assert.equal(await page.getByRole('link', { name: 'stopped' }).count(), 0);
    assert.equal(await page.locator('tbody .tag', { hasText: 'behind' }).count(), 2);
    await page.goto(`${service.url}/console/webhooks?state=active`);
    await page.getByText('No webhook meets these filters.').waitFor();
    await store.write((tx) => enableWebhook(tx, stopped, Date.now(), undefined));
    await page.goto(`${service.url}/console/webhooks?state=active`);
    await page.getByRole('link', { name: 'stopped' }).waitFor();
  });

  test('a webhook that is behind says why, itself, in the list and on each delivery, in both languages', async (t) => {
    const service = await startService(t);
    const slow = await webhookOf(service, 'slow');
    const at = Date.now() - 10 * MINUTE;
    const reason = 'Not sent: ECONNREFUSED, where WEBHOOK_NETWORKS would have been read first.';
    const tried = await deliver(service, slow, 'deferred', at, reason);
    let waiting = '';
    for (let count = 0; count < 12; count++)
      waiting = await deliver(service, slow, 'queued', at + count + 1, null);
    const page = await openAs(t, service, 'owner', '/console/webhooks');
    await page.getByRole('cell', { name: /ECONNREFUSED/ }).waitFor();
    await page.goto(`${service.url}/console/webhooks/${slow}`);
    const notice = page.locator('.notice', { hasText: 'The last attempt failed' });
    await notice.getByText('Nothing listens at this host and port').waitFor();
    const table = page.getByRole('region', { name: 'Deliveries' }).getByRole('row');
    assert.match((await table.nth(1).textContent()) ?? '', /to be tried again.*ECONNREFUSED/s);
    const reply = table.nth(1).getByRole('cell', { name: /ECONNREFUSED/ });
    assert.doesNotMatch((await reply.getAttribute('class')) ?? '', /number/);
    const isCut = `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(
      document.querySelector('#deliveries ~ * .scroll, #deliveries ~ .scroll'))`;
    assert.equal(await page.evaluate(isCut), false);
    assert.deepEqual(await violationsOf(page), []);
    await page.goto(`${service.url}/console/deliveries/${waiting}`);
    await notice.getByText('ECONNREFUSED').waitFor();
    await page.getByRole('button', { name: 'Send now', exact: true }).waitFor();
    await page.goto(`${service.url}/console/deliveries/${tried}`);
    await notice.getByText('ECONNREFUSED').waitFor();
    await page.getByText('It could not be sent yet; it will be tried again.').waitFor();
    await page.getByRole('button', { name: 'Send again', exact: true }).waitFor();
    await page.getByRole('button', { name: '中文' }).click();
    await page.getByText('上次尝试失败').waitFor();
    await page.getByText('暂时未能送出，将再次尝试。').waitFor();
    // While it is tried again, the reason is still there.
    const store = await service.database.open();
    const again = { state: 'sending' as const, lease: crypto.randomUUID() };
    await store.write((tx) =>
      tx.updateTable('outbox').set(again).where('id', '=', tried).execute(),
    );
    await page.goto(`${service.url}/console/webhooks/${slow}`);
    await page.getByText('上次尝试失败').waitFor();
  });

  test('are no empty charts: what had none gets one with the first call', async (t) => {
    beginSlot(t, 1_440 * MINUTE);
    const service = await startService(t);
    const page = await openAs(t, service, 'owner', '/console');
    await page.getByText('No call in this time.').waitFor();
    assert.equal(await page.locator('[data-chart]').count(), 0);
    await call(service, 'InsertArticle', { guid: 'one', caption: 'One', CreateUserId: 'ada' });
    const chart = page.locator('[data-chart]').first();
    await chart.locator('canvas').waitFor();
    // A chart of 90 days has 90, and says since when there were calls.
    await page.goto(`${service.url}/console?range=90d`);
    await chart.locator('canvas').waitFor();
    const { times, series } = JSON.parse((await chart.getAttribute('data-chart'))!);
    assert.equal(times.length, 90);
    assert.deepEqual(series[0].slice(-2), [0, 1]);
  });

  test('is counted in the right form of the word, on a desktop and on a phone', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner');
    const pending = (guid: string) =>
      call(service, 'InsertArticle', {
        guid,
        caption: guid,
        content: 'x',
        CreateUserId: 'ada',
        status: '2',
      });
    await pending('one');
    for (const on of [DESKTOP, { ...PHONE, colorScheme: 'dark' as const }]) {
      const page = await openSignedIn(t, service, cookie, '/console', on);
      await page.getByRole('link', { name: '1 article waits for approval' }).waitFor();
    }
    await pending('two');
    const page = await openSignedIn(t, service, cookie, '/console');
    await page.getByRole('link', { name: '2 articles wait for approval' }).waitFor();
  });
});

suite('the overview', () => {
  test('a phone shows first what waits, and unfolds the rest; what is unfolded stays so while calls come', async (t) => {
    const service = await filledService(t);
    const page = await openAs(t, service, 'owner', '/console', PHONE);
    const calls = page.locator('#by-operation');
    await page.locator('#by-operation:not([open])').waitFor();
    await page.locator('#changes:not([open])').waitFor();
    // The first steps go when they are done.
    const height = () =>
      page.evaluate<number>(
        `document.documentElement.scrollHeight - (document.querySelector('.first')?.offsetHeight ?? 0)`,
      );
    assert.ok((await height()) <= 2_100, `${await height()}`);
    await calls.locator('summary').tap();
    await calls.getByRole('link', { name: 'InsertArticle', exact: true }).waitFor();
    await call(service, 'addNewAdvert', { guid: 'sofa', title: 'Sofa', CreateUserId: 'ada' });
    const adverts = calls.locator('tr').filter({ hasText: 'addNewAdvert' });
    await adverts.locator('td.number').first().filter({ hasText: /^3$/ }).waitFor();
    await page.getByText('Show all').tap();
    await page.locator('#changes').getByRole('link', { name: 'Flat to let' }).first().waitFor();
    // From the second page on lists are as long as one scrolls.
    await page.goto(`${service.url}/console/audit`);
    await page.locator('.per-page [aria-current]').filter({ hasText: '25' }).waitFor();
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.getByLabel('Action', { exact: true }).waitFor();
  });

  test('the overview counts the calls as they come', async (t) => {
    const service = await filledService(t);
    const page = await openAs(t, service, 'owner', '/console');
    // Who looks after the site need not know them.
    await page.locator('#by-operation:not([open]) summary').click();
    await page.getByRole('cell', { name: 'InsertArticle', exact: true }).waitFor();
    const row = page
      .getByRole('row')
      .filter({ hasText: 'InsertArticle' })
      .filter({ hasNotText: 'File' });
    await row.getByRole('cell', { name: '5', exact: true }).waitFor();
    await page.locator('[data-chart] canvas').first().waitFor();
    await page.evaluate(
      `document.querySelector('#by-operation .scroll').focus(); window.untouched = true`,
    );
    await call(service, 'addNewAdvert', { guid: 'sofa', title: 'Sofa', CreateUserId: 'ada' });
    await page.getByRole('row', { name: /^addNewAdvert .* 3 / }).waitFor();
    assert.equal(await page.evaluate('window.untouched'), true, 'the page was not loaded again');
    assert.equal(
      await page.evaluate(
        `document.activeElement === document.querySelector('#by-operation .scroll')`,
      ),
      true,
      'who reads the table by keyboard still does',
    );
    await page.locator('[data-chart] canvas').first().waitFor();
    // There are browsers whose language Intl refuses.
    await page.addInitScript(`for (const [name, value] of [['language', 'en-US@posix'], ['languages', ['en-US@posix', 'en-GB']]])
      Object.defineProperty(Navigator.prototype, name, { get: () => value });`);
    await page.goto(`${service.url}/console`);
    await page.locator('[data-chart] .u-over').first().hover();
    await page
      .locator('.u-legend .u-value')
      .first()
      .filter({ hasText: /\d\d:\d\d/ })
      .waitFor();
    await page.goto(`${service.url}/console/codes`);
    await page
      .getByRole('figure', { name: '1 code requested and 0 verified in 30 days, by day' })
      .locator('canvas')
      .waitFor();
  });
});

test('lost commits are shown to every role, in each language, until somebody accepts the loss', async (t) => {
  const service = await startService(t);
  const store = await service.database.open();
  const overview = async (cookie: string, language: string) =>
    (
      await fetch(`${service.url}/console`, { headers: { cookie, 'accept-language': language } })
    ).text();
  const roles = ['owner', 'moderator', 'reader'] as const;
  const cookies: string[] = [];
  for (const role of roles) cookies.push(await sessionOf(service, role));
  assert.doesNotMatch(await overview(cookies[0]!, 'en'), /accept-loss/);
  await noteLoss(store, { commits: 1, mark: 5 }, Date.UTC(2026, 1, 3, 4, 5));
  assert.match(await overview(cookies[0]!, 'en'), /lost 1 commit:/);
  await noteLoss(store, { commits: 6, mark: 20 }, Date.now());
  for (const cookie of cookies) {
    const english = await overview(cookie, 'en');
    assert.match(
      english,
      /role="alert"><p>The database has lost 7 commits: .*2026-02-03 04:05 UTC/,
    );
    assert.match(english, /<code>ws01 restore<\/code> · <code>ws01 db accept-loss<\/code>/);
    assert.match(
      await overview(cookie, 'zh-CN'),
      /数据库丢失了 7 次提交：.*<code>ws01 db accept-loss<\/code>/s,
    );
  }
  await acceptLoss(store, Date.now());
  for (const cookie of cookies)
    assert.doesNotMatch(await overview(cookie, 'en'), /has lost|ws01 db accept-loss/);
});

test('a number stands before the form of the word that fits it, in every English text', () => {
  const translate = translator('en');
  assert.equal(translate('inbox.attempts', { count: 1 }), 'Tried 1 time');
  assert.equal(translate('inbox.attempts', { count: 0 }), 'Tried 0 times');
  assert.equal(
    translate('history.chart', { calls: 1, errors: 2 }),
    '1 call and 2 errors in this time; the table below says when',
  );
  const fixed = Object.values(en).filter((text) =>
    /\{(?:count|calls|errors|most|least|asked)\} [a-z]+s\b/.test(text),
  );
  assert.deepEqual(fixed, []);
});

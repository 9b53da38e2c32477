import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { SEEDED_SETTINGS } from '../kit/api.ts';
import { startService } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import {
  boxOf,
  openAs,
  openSignedIn,
  PHONE,
  sessionOf,
  untilInPage,
  visitor,
} from './kit/browser.ts';
import { call, filledService, report, useService } from './kit/filled.ts';

const SMALL = { ...PHONE, viewport: { width: 390, height: 844 } };

/** How much of a page moved while it was drawn; 0 to 1 a shift. */
const shiftOf = (page: Page) =>
  page.evaluate<{ readonly shift: number; readonly moved: string }>(`new Promise((done) => {
    let shift = 0;
    const moved = [];
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries()) {
        shift += value;
        for (const { node, previousRect, currentRect } of sources)
          moved.push([value, node?.outerHTML?.slice(0, 60) ?? node?.textContent, previousRect.y, previousRect.height, currentRect.y, currentRect.height].join(' '));
      }
    }).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => setTimeout(() => done({ shift, moved: moved.join('\\n') })));
  })`);

/** Waits for what was done, and sees that it, and the way back, stand where the person looks. */
async function tellsInView(page: Page, what: string | RegExp): Promise<void> {
  const message = page.getByRole('status').filter({ hasText: what });
  const undo = page.getByRole('button', { name: 'Undo' });
  await message.waitFor();
  await page.waitForLoadState();
  const bar = await boxOf(page.locator('.bar'));
  for (const [name, place] of Object.entries({ message, undo })) {
    const { x, y, width, height } = await boxOf(place);
    assert.ok(y >= bar.y + bar.height, `${name} of ${what} is above the window: ${y}`);
    assert.ok(y + height <= SMALL.viewport.height, `${name} of ${what} is below the window: ${y}`);
    assert.ok(x >= 0 && x + width <= SMALL.viewport.width, `${name} of ${what} is beside it`);
  }
  const { shift, moved } = await shiftOf(page);
  assert.ok(shift < 0.1, `the page of ${what} moves by ${shift}: ${moved}`);
}

/** Where a value of a row stands; CSS pixels. */
interface Cell {
  readonly x: number;
  readonly y: number;
  readonly end: number;
  readonly text: string;
}

/** The values of a row as they are seen: from above, and from the left. */
const CELLS = `(row) => [...row.querySelectorAll('td:not(.tight)')]
  .filter((cell) => cell.checkVisibility())
  .map((cell) => {
    const { x, y, right: end } = cell.getBoundingClientRect();
    return { x, y, end, text: cell.textContent };
  })
  .toSorted((one, other) => Math.round(one.y / 12) - Math.round(other.y / 12) || one.x - other.x)`;

suite('on a phone', () => {
  const filled = useService();

  test('what was done, and its undo, are in view after each act, and no page moves while it is drawn', async (t) => {
    const service = filled();
    const text = { content: 'A long text.\n'.repeat(200), CreateUserId: 'bob' };
    for (const guid of ['one', 'two'])
      await call(service, 'InsertArticle', { guid, caption: guid, ...text, Status: '2' });
    const page = await openAs(t, service, 'moderator', '/console/articles/flat', SMALL);
    const act = async (verb: string, said: string) => {
      await page.getByRole('button', { name: verb, exact: true }).tap();
      await tellsInView(page, said);
    };
    await act('Hold', 'Held. Visitors no longer see it.');
    await act('Take down', 'Taken down.');
    await act('Restore', 'Restored.');
    for (const [path, said] of [
      ['/articles/one', /^Rejected\. Visitors do not get to see it\. The author gets the reason/],
      ['/desk', /^two – Rejected\. Visitors do not get to see it\. The author gets the reason/],
    ] as const) {
      await page.goto(`${service.url}/console${path}`);
      const placeOfText = () =>
        page.evaluate<number>(`document.querySelector('.seen').getBoundingClientRect().y`);
      const before = await placeOfText();
      await page.locator('.ask > summary').tap();
      await untilInPage(page, `document.activeElement?.id === 'reason'`);
      assert.equal(await placeOfText(), before, 'nothing moves');
      await page.getByRole('button', { name: 'It says too little.' }).tap();
      await page.locator('.ask').getByRole('button', { name: 'Reject' }).tap();
      await tellsInView(page, said);
    }
  });

  test('the menu and the filters are sent folded, and open without scripts; on a wide screen they are there', async (t) => {
    const service = filled();
    const cookie = await sessionOf(service, 'moderator');
    for (const javaScriptEnabled of [true, false]) {
      const open = (options: object) =>
        openSignedIn(t, service, cookie, '/console/articles', {
          ...{ ...options, javaScriptEnabled },
        });
      const page = await open(SMALL);
      const [list, filter] = [
        page.getByRole('link', { name: 'Adverts', exact: true }),
        page.getByLabel('State', { exact: true }),
      ];
      for (const one of [list, filter]) assert.equal(await one.isVisible(), false);
      await page.getByText('Filters', { exact: true }).tap();
      await filter.waitFor();
      await page.getByRole('button', { name: 'Menu' }).tap();
      await list.tap();
      await page.waitForURL('**/console/adverts');
      const wide = await open({ viewport: { width: 1280, height: 800 } });
      await wide.getByRole('link', { name: 'Adverts', exact: true }).waitFor();
      await wide.getByLabel('State', { exact: true }).waitFor();
      for (const name of ['Menu', 'Filters'])
        assert.equal(await wide.getByText(name, { exact: true }).isVisible(), false);
    }
  });

  test('the desk has the text first and its decisions at the bottom of the window, whatever is scrolled', async (t) => {
    const service = await startService(t);
    const content = 'A long story.\n'.repeat(120);
    for (const guid of ['first', 'second'])
      await call(service, 'InsertArticle', {
        ...{ guid, caption: `Title ${guid}`, content, CreateUserId: 'bob', Status: '2' },
      });
    await call(service, 'InsertArticle', { guid: 'said', caption: 'Said', CreateUserId: 'bob' });
    const page = await openAs(t, service, 'moderator', '/console/desk', SMALL);
    const title = await boxOf(page.getByRole('heading', { level: 3 }));
    assert.ok(title.y < SMALL.viewport.height / 3, `the text begins at ${title.y}`);
    assert.deepEqual(await violationsOf(page), []);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    for (const where of ['0', 'document.body.scrollHeight']) {
      await page.evaluate(`scrollTo(0, ${where})`);
      const { height: bottom } = SMALL.viewport;
      const inReach = await page.locator('.verdict > *').all();
      assert.equal(inReach.length, 4, 'publish, reject, more, next');
      for (const one of inReach) {
        const { y, height } = await boxOf(one);
        assert.ok(y > bottom * 0.85 && y + height <= bottom, `it is at ${y}`);
      }
    }
    assert.equal(await page.locator('kbd:visible').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Hold' }).isVisible(), false);
    await page.locator('.verdict .more > summary').tap();
    await page.getByRole('button', { name: 'Hold' }).tap();
    await tellsInView(page, 'Title first – Held.');
    await page.goto(`${service.url}/console`);
    const begin = page.getByRole('link', { name: 'Begin with the first' });
    const { y } = await boxOf(begin);
    assert.ok(y < SMALL.viewport.height, `the queue begins at ${y}`);
    for (const text of ['There is no verified backup', '95 of 100'])
      assert.equal(await page.getByText(text).count(), 0, text);
    await page.getByRole('link', { name: 'Title second' }).first().tap();
    await page.getByRole('heading', { level: 3, name: 'Title second' }).waitFor();
  });

  test('all of the bar of decisions is on the screen, whatever waits, and in both languages', async (t) => {
    const service = await startService(t);
    const whose = { CreateUserId: 'bob', caption: 'Title', content: 'Text.' };
    await call(service, 'InsertArticle', { guid: 'waits', ...whose, Status: '2' });
    await call(service, 'InsertArticle', { guid: 'held', ...whose });
    await call(service, 'addNewAdvert', { guid: 'said', title: 'Said', CreateUserId: 'bob' });
    await report(service, 'said');
    const cookie = await sessionOf(service, 'moderator');
    await visitor(service, cookie).act('articles', 'hold', 'held');
    for (const [at, locale] of ['en-GB', 'zh-CN'].entries()) {
      const page = await openSignedIn(t, service, cookie, '/console', { ...PHONE, locale });
      for (const only of someOf(['articles', 'held-articles', 'reports'], 2, at)) {
        await page.goto(`${service.url}/console/desk?only=${only}`);
        const { width } = PHONE.viewport!;
        const bar = await page.locator('.verdict > *').all();
        assert.ok(bar.length >= 3, `${locale} ${only}: ${bar.length} in the bar`);
        const places = await Promise.all(bar.map(boxOf));
        for (const { x, y, ...size } of places) {
          assert.ok(x >= 0 && x + size.width <= width, `${locale} ${only}: at ${x}, ${size.width}`);
          assert.equal(y, places[0]!.y, `${locale} ${only}: in one line`);
        }
        const seen = await page.locator('.verdict .brief').allTextContents();
        const brief = locale === 'en-GB' ? 'Dismiss' : '驳回举报';
        assert.deepEqual(seen, only === 'reports' ? [brief] : []);
        assert.deepEqual(await violationsOf(page), []);
      }
    }
  });

  test('a record of a list takes two lines; its labels are for who hears the page', async (t) => {
    const service = filled();
    const cookie = await sessionOf(service, 'owner');
    for (const list of ['articles', 'adverts']) {
      const path = `/console/${list}`;
      const page = await openSignedIn(t, service, cookie, path, SMALL);
      const rows = await page.locator('#records tbody tr').all();
      for (const row of rows) assert.ok((await boxOf(row)).height < 90, list);
      const told = await page.locator('#records').ariaSnapshot();
      for (const label of ['State: ', 'Owner: ', 'Created: '])
        assert.ok(told.includes(label), `${list}: ${told.slice(0, 500)}`);
      assert.deepEqual(await violationsOf(page), []);
    }
  });

  test('a row of the outbox says what it is, once; what is empty has no label', async (t) => {
    const service = await filledService(t, SEEDED_SETTINGS);
    await call(service, 'updateUserInfo', { userId: 'ada', firstName: 'Ada' });
    const page = await openAs(t, service, 'owner', '/console/inbox', SMALL);
    const rowOf = async (name: string) => {
      await page.getByRole('link', { name }).waitFor();
      const row = `[...document.querySelectorAll('tbody tr')].find((one) => one.textContent.includes('${name}'))`;
      const cells = await page.evaluate<readonly Cell[]>(`(${CELLS})(${row})`);
      return cells.map(({ text }) => text);
    };
    const [code, , number] = await rowOf('Phone code for Ada');
    assert.deepEqual([code, number], ['Phone code for Ada', '+14155550123']);
    const [subject, , to, , ...more] = await rowOf('Your advert was answered');
    assert.deepEqual([subject, to, more], ['Your advert was answered', 'bob@example.com', []]);
    await page.goto(`${service.url}/console/reviews`);
    const [, ...review] = await rowOf('A lovely place');
    assert.ok(
      review.some((text) => text === 'Flat to let'),
      `${review}`,
    );
  });

  test('a record is a column of lines that begins with its name; values on one line have a gap between them', async (t) => {
    const service = filled();
    await call(service, 'updateUserInfo', {
      ...{ userId: 'ada', firstName: 'Ada', lastName: 'Lovelace' },
    });
    const cookie = await sessionOf(service, 'owner');
    for (const [list, called] of [
      ['articles', 'Flat to let'],
      ['adverts', 'Piano lessons'],
      ['audit', 'article: created'],
      ['users', 'Ada Lovelace'],
    ] as const) {
      const path = `/console/${list}`;
      const page = await openSignedIn(t, service, cookie, path, SMALL);
      const row = page.locator('#records tbody tr').filter({ hasText: called }).last();
      const cells = await page.evaluate<readonly Cell[]>(
        `(${CELLS})([...document.querySelectorAll('#records tbody tr')].findLast((row) => row.textContent.includes('${called}')))`,
      );
      const lines = Object.values(Object.groupBy(cells, ({ y }) => Math.round(y / 12)));
      assert.ok(lines.length >= 2, list);
      const begins = new Set(lines.map((line) => Math.round(line![0]!.x)));
      assert.equal(begins.size, 1, `${list}: ${[...begins]}`);
      assert.match(cells[0]!.text, new RegExp(called), list);
      for (const line of lines)
        for (const [at, { x }] of line!.entries())
          if (at > 0) assert.ok(x - line![at - 1]!.end >= 8, `${list}: ${JSON.stringify(line)}`);
      // A finger anywhere on it opens it.
      await row.tap({ position: { x: 60, y: (await boxOf(row)).height - 3 } });
      await page.waitForURL(new RegExp(`${path}/`));
    }
  });
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { beginSlot } from '../kit/clock.ts';
import { TOKEN } from '../kit/service.ts';
import { boxOf, DESKTOP, openAs, openSignedIn, PHONE, sessionOf, visitor } from './kit/browser.ts';
import { call, filledService, useService } from './kit/filled.ts';

/** How light a colour of a style is; 0 to 255. */
const lightOf = (colour: string) =>
  Math.max(...(colour.match(/\d+/g) ?? []).slice(0, 3).map(Number));

/** The distances between the parts of a page, one below the other, in CSS pixels, with what they are between. */
const GAPS = `(() => {
  const gaps = [];
  const called = ({ localName, className }) => localName + '.' + className;
  const isPart = (one) => {
    const { display, position } = getComputedStyle(one);
    const { width, height } = one.getBoundingClientRect();
    return width > 1 && height > 1 && display !== 'inline' && !/absolute|fixed|sticky/.test(position);
  };
  const walk = (place) => {
    const { display, columnCount } = getComputedStyle(place);
    const parts = [...place.children].filter(isPart);
    for (const [at, part] of parts.entries()) {
      const before = parts[at - 1]?.getBoundingClientRect().bottom;
      if (before !== undefined && display === 'block' && columnCount === 'auto')
        gaps.push([Math.round(part.getBoundingClientRect().top - before), called(parts[at - 1]) + ' ' + called(part)]);
      if (part.matches('section, div, form, aside, details, fieldset') && !part.matches('.scroll, .chart')) walk(part);
    }
  };
  walk(document.querySelector('main'));
  return gaps;
})()`;

suite('how the console looks', () => {
  const filled = useService();

  test('in the dark, what visitors see is dark, but for a text with colours of its own; a frame is as tall as its text', async (t) => {
    const service = filled();
    const html = '<b>One</b> line.';
    for (const [guid, content] of [
      ['plain', 'One line.'],
      ['marked', html],
      ['coloured', '<p style="color:#222">Written for a white page.</p>'],
    ] as const)
      await call(service, 'InsertArticle', { guid, caption: guid, content, CreateUserId: 'bob' });
    const mail = { authorizationUserId: TOKEN, receiverEmail: 'eve@example.com', subject: 'Dark' };
    await call(service, 'SendEmail', { ...mail, body: html });
    const cookie = await sessionOf(service, 'owner');
    const { items } = (await visitor(service, cookie).api('GET', '/mails')).body;
    const page = await openSignedIn(t, service, cookie, '/console', {
      ...{ ...DESKTOP, colorScheme: 'dark' },
    });
    const groundOf = async (path: string) => {
      await page.goto(`${service.url}/console/${path}`);
      return lightOf(
        await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor'),
      );
    };
    assert.ok((await groundOf('articles/marked/seen')) < 60);
    assert.ok((await groundOf(`mails/${items[0].id}/body`)) < 60);
    assert.equal(await groundOf('articles/coloured/seen'), 255);
    await page.goto(`${service.url}/console/articles/marked`);
    const frame = await boxOf(page.locator('iframe.preview'));
    assert.ok(frame.height < 160, `${frame.height}`);
    await page.goto(`${service.url}/console/articles/plain`);
    await page.locator('.seen').getByText('One line.').waitFor();
    assert.equal(await page.locator('iframe').count(), 0);
  });

  test('a verb has one rank, on the desk and on the page of a record; only what has no undo is filled', async (t) => {
    const service = filled();
    for (const guid of ['waits', 'held'])
      await call(service, 'InsertArticle', { guid, caption: guid, Status: '2' });
    const page = await openAs(t, service, 'owner', '/console');
    const ranksOn = async (path: string) => {
      await page.goto(`${service.url}/console/${path}`);
      const buttons = page.locator('main button[value]');
      const ranks = await buttons.evaluateAll(
        (all: readonly { readonly value: string; readonly className: string }[]) =>
          all.map(({ value, className }) => [value, className] as const),
      );
      return new Map(ranks);
    };
    const [desk, record] = [await ranksOn('desk'), await ranksOn('articles/waits')];
    for (const [verb, rank] of [
      ['publish', 'primary'],
      ['hold', ''],
      ['remove', 'danger'],
    ] as const)
      assert.deepEqual([desk.get(verb), record.get(verb)], [rank, rank], verb);
    const person = await ranksOn('users/bob');
    for (const [verb, rank] of [
      ['block', ''],
      ['hold', ''],
      ['ban', 'danger'],
      ['erase', 'danger final'],
    ] as const)
      assert.equal(person.get(verb), rank, verb);
  });

  test('a field is as high above a long hint as above a short one, which stands close below it; choices in columns stand beside each other', async (t) => {
    const service = filled();
    const page = await openAs(t, service, 'owner', '/console/tokens/new');
    const placeOf = (name: string, role: 'textbox' | 'combobox' | 'checkbox') =>
      boxOf(page.getByRole(role, { name }));
    const short = await placeOf('What it is for', 'textbox');
    const long = await placeOf('User', 'combobox');
    assert.equal(long.height, short.height);
    const hint = await boxOf(page.getByText('Such as “Website”'));
    assert.equal(hint.x, short.x);
    assert.ok(hint.y - short.y - short.height <= 4, 'its hint is its own');
    assert.equal(await page.locator('[data-needed=required]').count(), 1);
    const one = await placeOf('articles:', 'checkbox');
    const other = await placeOf('images:', 'checkbox');
    assert.ok(other.x > one.x + 300, 'in the second column');
    assert.equal(other.y, one.y);
  });

  test('what a finger reads of a chart stays told, in colours of the theme; the time before is named last', async (t) => {
    beginSlot(t, DAY_MS);
    const service = await filledService(t);
    await call(service, 'CreateVerifyCode', { userId: 'bob', cellphone: '+14155550123' });
    const page = await openAs(t, service, 'owner', '/console/codes', {
      ...{ ...PHONE, colorScheme: 'dark', forcedColors: 'active' },
    });
    const legend = page.locator('.u-legend');
    assert.equal(await legend.textContent(), 'WhenEach bar: 1 daycreatedverified');
    const chart = page.locator('.u-over');
    const { width, height } = await boxOf(chart);
    await chart.tap({ position: { x: width - 4, y: height / 2 } });
    const figures = page.locator('.u-legend .u-value');
    await figures.nth(1).filter({ hasText: /^2$/ }).waitFor();
    // The mouse that browsers make of a finger leaves again.
    await page.mouse.move(2, 2);
    assert.deepEqual((await figures.allTextContents()).slice(1), ['2', '0']);
    const tones = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.u-series:not(:first-child) .u-marker')].map((one) => getComputedStyle(one).backgroundColor)`,
    );
    assert.equal(new Set(tones).size, 2);
    assert.ok(lightOf(tones[1]!) > lightOf(tones[0]!), 'what was verified stands out in the dark');
  });

  test('distances are of one scale, on a desktop and on a phone', async (t) => {
    const some = 'articles articles/flat articles/flat/edit tokens/new users/bob audit settings';
    const paths = ['', 'account', ...words(some)];
    const service = filled();
    const cookie = await sessionOf(service, 'owner');
    for (const [at, on] of [DESKTOP, PHONE].entries()) {
      const page = await openSignedIn(t, service, cookie, '/console', on);
      for (const path of someOf(paths, 2, at)) {
        await page.goto(`${service.url}/console/${path}`.replace(/\/$/, ''));
        const gaps = await page.evaluate<readonly (readonly [number, string])[]>(GAPS);
        assert.deepEqual(
          gaps.filter(([gap]) => ![0, 4, 8, 16, 24, 32].includes(gap)),
          [],
          path,
        );
        assert.equal(
          await page.evaluate('document.documentElement.scrollWidth'),
          page.viewportSize()!.width,
        );
      }
    }
  });

  test('no list is cut or scrolls sideways at 1,280 px; on a phone each entry of the audit trail is a card', async (t) => {
    const service = filled();
    await call(service, 'updateUserInfo', { userId: 'a'.repeat(60), firstName: 'b'.repeat(60) });
    const cookie = await sessionOf(service, 'owner');
    const paths = ['', 'audit', 'articles', 'users', 'mails', 'links', 'codes', 'tokens'];
    for (const [at, locale] of ['en', 'zh'].entries()) {
      const page = await openSignedIn(t, service, cookie, '/console', {
        ...{ ...DESKTOP, locale },
      });
      for (const path of someOf(paths, 2, at)) {
        await page.goto(`${service.url}/console/${path}`.replace(/\/$/, ''));
        const cut = await page
          .locator('main .scroll')
          .evaluateAll(
            (all: readonly { readonly scrollWidth: number; readonly clientWidth: number }[]) =>
              all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
          );
        assert.deepEqual([...new Set(cut)], [0], `${path} ${locale}`);
      }
    }
    const phone = await openSignedIn(t, service, cookie, '/console/audit', PHONE);
    const card = phone.locator('tbody tr', { has: phone.locator('.thumb') }).first();
    const [picture, told] = [card.locator('.thumb'), card.locator('.told')];
    const [above, below] = [await boxOf(picture), await boxOf(told)];
    assert.ok(above.y + above.height <= below.y, 'a picture is over no text');
  });

  test('nothing that was empty is struck out or marked', async () => {
    const service = filled();
    const cookie = await sessionOf(service, 'owner');
    const { act, open } = visitor(service, cookie);
    await act('articles', 'hold', 'flat');
    await act('articles', 'release', 'flat');
    for (const path of ['articles/flat', 'audit'])
      assert.doesNotMatch(await open(`/console/${path}`), /<(?:del|ins)>–/, path);
  });

  test('the name of the site is over the menu, however far a page is scrolled', async (t) => {
    const service = filled();
    const low = { viewport: { width: 1280, height: 710 } };
    const page = await openAs(t, service, 'owner', '/console/settings', low);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    const covers = await page.evaluate<string>(`(() => {
      const { left, top, height } = document.querySelector('.brand').getBoundingClientRect();
      return document.elementFromPoint(left + 10, top + height / 2).closest('.bar, .menu').className;
    })()`);
    assert.equal(covers, 'bar');
  });

  test('what opens below a button is within the window, wherever the button is', async (t) => {
    const service = filled();
    await call(service, 'InsertArticle', { guid: 'waits', caption: 'House', Status: '2' });
    const page = await openAs(t, service, 'owner', '/console/articles/waits');
    for (const width of [1280, 900, 820]) {
      await page.setViewportSize({ width, height: 800 });
      const reject = page.locator('.ask');
      await reject.locator('summary').click();
      const { x, width: own } = await boxOf(reject.locator('> div'));
      assert.ok(x >= 0 && x + own <= width, `${width}: ${x} to ${x + own}`);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
      await reject.locator('summary').click();
    }
  });

  test('a long key takes no room of other columns, rows, or why a call failed', async (t) => {
    const service = filled();
    const owner = `owner-${'0123456789'.repeat(4)}-end`;
    const caption = 'What is offered here, in a few words. '.repeat(3);
    await call(service, 'InsertArticle', { guid: 'long', caption, CreateUserId: owner });
    const refused = { verifyCode: TOKEN, FileGuid: `file-${owner}`, FileImg: 'bm90aGluZw==' };
    const answer = await fetch(`${service.url}/WS01.asmx/InsertArticleImageFile`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...refused, Link_Guid: 'flat', category: 'photos' }),
    });
    assert.equal(await answer.text(), '{"d":false}');
    const cookie = await sessionOf(service, 'owner');
    const { api } = visitor(service, cookie);
    await until(async () => (await api('GET', '/failures')).body.items.length > 0);
    const page = await openSignedIn(t, service, cookie, '/console/articles');
    const widthOf = async (label: string) =>
      (await boxOf(page.locator(`td[data-label="${label}"]`).first())).width;
    const width = await widthOf('Owner');
    assert.ok(width <= 240, `${width}`);
    await page.goto(`${service.url}/console/failures`);
    assert.ok((await widthOf('Why it failed')) >= 288);
    const record = page.locator('td[data-label="Record"] > a').first();
    const { height } = await boxOf(record);
    assert.ok(height < 50, `${height}`);
    const sizes = 'document.querySelector("#records")';
    assert.ok(await page.evaluate(`${sizes}.scrollWidth <= ${sizes}.clientWidth`));
  });

  test('on a phone what is new does not cover the words that one types to search', async (t) => {
    const service = filled();
    const page = await openAs(t, service, 'owner', '/console/audit', PHONE);
    const news = page.locator('#news');
    await page.evaluate(`document.querySelector('#news').textContent = 'This has changed'`);
    assert.ok(await news.isVisible());
    await page.getByRole('combobox', { name: 'Search' }).tap();
    await news.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { level: 1 }).tap();
    await news.waitFor();
  });

  test('words of buttons stand in one line, of links and of what opens, too', async (t) => {
    const service = filled();
    await call(service, 'InsertArticle', { guid: 'waits', caption: 'House', Status: '2' });
    const page = await openAs(t, service, 'owner', '/console/articles/waits');
    const tops = await page.evaluate<number[]>(`(() => {
      const isText = (one) => one.nodeType === Node.TEXT_NODE && one.data.trim() !== '';
      const shown = ':scope > :is(button, .button), :scope > details > summary';
      const buttons = document.querySelector('main .tools').querySelectorAll(shown);
      return [...buttons].map(({ childNodes }) => {
        const words = document.createRange();
        words.selectNode([...childNodes].find(isText));
        return words.getBoundingClientRect().top;
      });
    })()`);
    assert.ok(tops.length >= 4, `${tops}`);
    assert.ok(Math.max(...tops) - Math.min(...tops) < 0.5, `${tops}`);
  });

  test('a record and its facts begin at one height; what is below is as wide', async (t) => {
    const service = filled();
    const wide = { viewport: { width: 1920, height: 1000 } };
    const page = await openAs(t, service, 'owner', '/console/articles/flat', wide);
    const placeOf = (part: string) => boxOf(page.locator(part).first());
    const text = await placeOf('.seen');
    const facts = await placeOf('.facts');
    const revisions = await placeOf('.columns .scroll');
    assert.equal(text.y, facts.y);
    assert.equal(text.width, revisions.width);
    const main = await placeOf('main');
    assert.equal(main.x + main.width, 1920);
  });

  test('the place of a picture that there is none of is empty, and none on a phone', async (t) => {
    const service = filled();
    const page = await openAs(t, service, 'owner', '/console/articles');
    const place = page.locator('#records span.thumb').first();
    const ground =
      'getComputedStyle(document.querySelector("#records span.thumb")).backgroundColor';
    assert.equal(await page.evaluate(ground), 'rgba(0, 0, 0, 0)');
    assert.ok(await place.isVisible());
    await page.setViewportSize({ width: 390, height: 844 });
    assert.equal(await place.isVisible(), false);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { WS01 } from '../../src/contract/service.ts';
import { SEEDED_SETTINGS } from '../kit/api.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { FORMULAS, MARKUP } from '../kit/hostile-texts.ts';
import { OPERATION_CALLS } from '../kit/operation-calls.ts';
import { startService } from '../kit/service.ts';
import { DESKTOP, openSignedIn, sessionOf, useChromium } from './kit/browser.ts';

/** By day a parameter has two of them, one for pages and one for spreadsheets, and the next one others. */
const textsFor = (number: number) =>
  BY_NIGHT ? [...MARKUP, ...FORMULAS] : [MARKUP[number % 4]!, FORMULAS[number % 2]!];
/** Of a kind of page so many are looked at. */
const MOST_PAGES = BY_NIGHT ? 60 : 20;

/** Parameters that hold no text of a caller: credentials, and the picture. */
const FIXED = /^(?:token|tokenId|verifyCode|authorizationUserId|FileImg|receiverEmail)$/;

const browser = useChromium();

test('whatever callers write into whichever parameter is text on every page, and no formula in any export', async (t) => {
  const service = await startService(t, undefined, { RATE_LIMITS: 'off', ...SEEDED_SETTINGS });
  const [soap] = TEST_BINDINGS;
  let [calls, taken, number] = [0, 0, 0];
  for (const { name, parameters } of WS01.operations.filter(
    (one) => !one.readOnly && !/^Dele/.test(one.name),
  )) {
    for (const parameter of parameters.map((one) => one.name).filter((one) => !FIXED.test(one))) {
      for (const text of textsFor(number++)) {
        calls++;
        if (/Article|Pinned/.test(name))
          await soap!.call(service.url, 'InsertArticle', OPERATION_CALLS.InsertArticle!(calls));
        const { code } = await soap!.call(service.url, name, {
          ...OPERATION_CALLS[name]!(calls),
          [parameter]: text,
        });
        if (code === undefined) taken++;
      }
    }
  }
  assert.ok(taken > calls / 3, `${taken} of ${calls} taken`);

  const cookie = await sessionOf(service, 'owner', 'ada');
  // A page may refer to what nobody has made, and a busy machine may answer 503 for a moment.
  const page = await openSignedIn(
    t,
    browser(),
    service,
    cookie,
    '/console',
    DESKTOP,
    /status of (?:404|503)/,
  );
  const found = await page.evaluate<{ pages: number; wrong: string[] }>(LOOK_AT_ALL);
  assert.deepEqual(found.wrong, []);
  assert.ok(found.pages > 5 * MOST_PAGES, `${found.pages} pages`);
  for (const path of [
    'articles',
    'adverts',
    'users',
    'images',
    'reviews',
    'links',
    'mails',
    'search?q=evil',
  ]) {
    await page.goto(`${service.url}/console/${path}`);
  }
  assert.equal(await page.evaluate('window.evil'), undefined);

  let evil = 0;
  const names = [
    'articles',
    'adverts',
    'images',
    'reviews',
    'reports',
    'links',
    'users',
    'mails',
    'suppressions',
    'sms',
    'codes',
  ];
  for (const name of [
    ...names,
    'audit',
    'tokens',
    'webhooks',
    'events',
    'admins',
    'settings',
    'queues',
    'backups',
  ]) {
    const answer = await fetch(`${service.url}/console/${name}.csv`, {
      headers: { Cookie: cookie },
    });
    assert.equal(answer.status, 200, name);
    const csv = await answer.text();
    if (csv.includes('evil(1)')) evil++;
    // Cells as read with each separator that a spreadsheet may use, whether or not it knows quotes.
    for (const cell of csv.split(/[,;\t\r\n]/).map((one) => one.replaceAll(/^[\s"\uFEFF]+/g, ''))) {
      assert.ok(!/^[=+@|-](?!\d+(?:\.\d+)?$)/.test(cell), `${name}: ${cell}`);
    }
  }
  assert.ok(evil >= 5, `${evil} exports with a formula`);
});

/**
 * Opens the pages that links lead to, at most {@link MOST_PAGES} of a kind, and looks at what a browser makes of
 * them: a script of the page itself, because opening each in a tab would take minutes.
 */
const LOOK_AT_ALL = `(async () => {
  const [seen, waiting, wrong, ofKind] = [new Set(['/console']), ['/console'], [], {}];
  while (waiting.length > 0) {
    const some = waiting.splice(0, 8);
    await Promise.all(some.map(async (path) => {
      let answer = await fetch(path);
      while (answer.status === 503) answer = await fetch(path);
      if (answer.status >= 500) wrong.push(path + ': ' + answer.status);
      if (!(answer.headers.get('content-type') ?? '').startsWith('text/html')) return;
      const part = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const told = (element) => wrong.push(path + ': ' + element.outerHTML.slice(0, 200));
      for (const element of part.querySelectorAll('*')) {
        const { attributes } = element;
        if (element.matches('[data-evil], script:not([src^="/console/assets/"]), iframe:not([sandbox=""])')) told(element);
        for (const { name, value } of attributes) {
          if (/^(?:on|style$|srcdoc$)/.test(name)) told(element);
          if (/^hx-(?:get|post)$/.test(name) && !value.startsWith('/console/')) told(element);
          if (/^(?:href|src|action|formaction)$/.test(name)) {
            const url = new URL(value, location.origin + path);
            if (!/^https?:$/.test(url.protocol) && !value.startsWith('data:image/svg+xml,')) told(element);
          }
        }
      }
      for (const { href } of part.querySelectorAll('a[href]')) {
        const url = new URL(href, location.origin + path);
        const next = url.pathname + url.search;
        const isPage = url.origin === location.origin && next.startsWith('/console') && !/\\.(?:csv|json)(?:\\?|$)/.test(next);
        const kind = next.split(/[/?]/)[2] ?? '';
        if (!isPage || seen.has(next) || (ofKind[kind] ?? 0) >= ${MOST_PAGES}) continue;
        ofKind[kind] = (ofKind[kind] ?? 0) + 1;
        seen.add(next);
        waiting.push(next);
      }
    }));
  }
  return { pages: seen.size, wrong: wrong.slice(0, 20) };
})()`;

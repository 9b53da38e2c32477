import assert from 'node:assert/strict';
import { test } from 'node:test';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { BY_NIGHT, someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { WS01 } from '../../src/contract/service.ts';
import { SEEDED_SETTINGS } from '../kit/api.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import {
  EMOJI,
  FORMULAS,
  HOSTILE_TITLES,
  INVISIBLE,
  MARKUP,
  TURNING,
} from '../kit/hostile-texts.ts';
import { OPERATION_CALLS } from '../kit/operation-calls.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { DESKTOP, openSignedIn, PHONE, sessionOf } from './kit/browser.ts';
import { call } from './kit/filled.ts';

/** By day a parameter has one of them, for pages or for spreadsheets by turns. */
const textsFor = (number: number) => {
  const ofTurn = number % 2 === 0 ? MARKUP : FORMULAS;
  return BY_NIGHT ? HOSTILE_TITLES : [ofTurn[(number >> 1) % ofTurn.length]!];
};
/** Of a kind of page so many are looked at. */
const MOST_PAGES = BY_NIGHT ? 60 : 10;

/** Parameters that hold no text of a caller: credentials, and the picture. */
const FIXED = /^(?:token|tokenId|verifyCode|authorizationUserId|FileImg|receiverEmail)$/;

test('whatever callers write into whichever parameter is text on every page, stays in its frame, and is no formula in any export', async (t) => {
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
  // Titles of all that waits on the desk, of adverts and of mails; the newest, which lists show first.
  const store = await service.database.open();
  for (const [at, text] of someOf([...HOSTILE_TITLES.entries()], 2)) {
    const CreateUserId = text.slice(0, 60).toWellFormed();
    await call(service, 'addNewAdvert', {
      guid: `h-${at}`,
      title: `.${[...text].slice(0, 199).join('')}`,
      CreateUserId,
    });
    const body = { authorizationUserId: TOKEN, receiverEmail: 'a@example.com', body: text };
    await call(service, 'SendEmail', { ...body, subject: text }).catch(() => {});
    await call(service, 'submitReview', { id: `h-${at}`, Mark: `${text}.`, userId: 'bob' });
  }
  const now = Date.now();
  const rows = HOSTILE_TITLES.map((caption, at) => ({
    ...{ guid: `h-${at}`, caption, content: caption, contact_phone: '', status: 2, from_url: '' },
    ...{ revision: 1, created_at: now + at, updated_at: now + at },
  }));
  // Operations take no title that nobody sees; imports and earlier versions did.
  await store.write((tx) => tx.insertInto('articles').values(rows).execute());

  const cookie = await sessionOf(service, 'owner', 'ada');
  // A page may refer to what nobody has made, a busy machine may answer 503 for a moment, and frames run no script.
  const page = await openSignedIn(
    t,
    service,
    cookie,
    '/console',
    DESKTOP,
    /status of (?:404|503)|^Blocked script execution|NotSameOrigin/,
  );
  const found = await page.evaluate<{ pages: number; wrong: string[] }>(LOOK_AT_ALL);
  assert.deepEqual(found.wrong, []);
  assert.ok(found.pages > 5 * MOST_PAGES, `${found.pages} pages`);
  await page.setViewportSize(PHONE.viewport!);
  const titled = someOf(HOSTILE_TITLES, 8).map((text) => HOSTILE_TITLES.indexOf(text));
  for (const path of [
    ...[
      '',
      'articles',
      'adverts',
      'users',
      'images',
      'reviews',
      'links',
      'mails',
      'inbox',
      'audit',
    ],
    ...['desk', 'search?q=evil', `search?q=${encodeURIComponent('漢'.repeat(200))}`],
    ...titled.flatMap((at) => [`articles/h-${at}`, `adverts/h-${at}`, `desk?skip=${at}`]),
  ]) {
    await page.goto(`${service.url}/console/${path}`);
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    assert.ok(wide <= PHONE.viewport!.width, `${path} is ${wide} wide on a phone`);
    assert.equal(await page.evaluate('window.evil'), undefined, path);
  }
  const list = await (
    await fetch(`${service.url}/console/articles?limit=100`, { headers: { Cookie: cookie } })
  ).text();
  const linkOf = (text: string) =>
    new RegExp(
      `<a href="/console/articles/h-${HOSTILE_TITLES.indexOf(text)}">(?:<[^>]*>)*([^<]*)</a>`,
    ).exec(list)?.[1];
  for (const text of INVISIBLE)
    assert.match(linkOf(text)!, /^h-\d+$/, 'the key stands for a title that nobody sees');
  assert.equal(linkOf(TURNING), '[U+202E]gpj.hcaeb', 'what would turn the text is shown');
  assert.match(linkOf(EMOJI)!, /(?:🏳️‍🌈|👨‍👩‍👧‍👦)…$/u);

  let evil = 0;
  const names = words(
    'articles adverts images reviews reports links users mails suppressions sms codes',
  );
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
  const isSeen = (text) => /[\\p{L}\\p{N}\\p{P}\\p{S}]/u.test(text.replaceAll(/[\\u2800\\u3164\\u115f\\u1160]/g, ''));
  const [seen, waiting, wrong, ofKind] = [new Set(['/console']), ['/console'], [], {}];
  while (waiting.length > 0) {
    const some = waiting.splice(0, 8);
    await Promise.all(some.map(async (path) => {
      let answer = await fetch(path);
      // A busy service asks to be called again: the condition is its answer, the pause only spares it.
      for (let busy = 0; answer.status === 503 && busy < 600; busy++) {
        await new Promise((next) => setTimeout(next, 100));
        answer = await fetch(path);
      }
      if (answer.status >= 500) wrong.push(path + ': ' + answer.status);
      if (!(answer.headers.get('content-type') ?? '').startsWith('text/html')) return;
      const part = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const { title, body } = part;
      if (!isSeen(title) || /[\\u202a-\\u202e\\ufffd]/.test(title)) wrong.push(path + ': title ' + title);
      const texts = part.createTreeWalker(body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode() !== null) {
        const { data, parentElement } = texts.currentNode;
        const isWhole = data.isWellFormed() && !data.includes('\\ufffd');
        if (!isWhole || (/[\\u202a-\\u202e]/.test(data) && parentElement.closest('bdi, textarea, pre') === null))
          wrong.push(path + ': turned or cut ' + parentElement.outerHTML.slice(0, 200));
      }
      // A picture is called by its text.
      const textsIn = (element) => Array.from(element.querySelectorAll('img'), ({ alt }) => alt);
      const nameOf = (element) => [element.textContent, ...textsIn(element)].join('');
      const told = (element) => wrong.push(path + ': ' + element.outerHTML.slice(0, 200));
      for (const element of part.querySelectorAll('*')) {
        const { attributes } = element;
        if (element.matches('h1, td > a, .hits a, .news a') && !isSeen(nameOf(element))) told(element);
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

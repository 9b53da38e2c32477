import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { violationsOf } from './kit/axe.ts';
import {
  apiOfSession,
  leave,
  openMore,
  openSignedIn,
  saysDone,
  sessionOf,
  visitor,
} from './kit/browser.ts';
import { answerInChinese } from './kit/chinese.ts';
import { call, filledService } from './kit/filled.ts';
import { focusOfPage } from './kit/keyboard.ts';

const focused = (page: Page) => page.evaluate<string>('document.activeElement.tagName');

suite('what cannot be undone', () => {
  test('Enter, Enter erases nobody: the heading has the focus, the name is typed, and no reason is asked for', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'owner', 'boss');
    const refused = /status of 400/;
    const page = await openSignedIn(t, service, cookie, '/console/users/ada', {}, refused);
    const isThere = async () =>
      (await fetch(`${service.url}/console/users/ada`, { headers: { Cookie: cookie } })).status ===
      200;
    await openMore(page);
    await page.getByRole('button', { name: 'Erase the person' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('This cannot be undone.').waitFor();
    await focusOfPage(page);
    assert.equal(await focused(page), 'H1');
    await page.keyboard.press('Enter');
    assert.equal(
      await page.getByLabel('Reason').count(),
      0,
      'nothing is asked for that is thrown away',
    );
    assert.deepEqual(await violationsOf(page), []);
    const typed = page.getByLabel('To confirm, type ada');
    await page.waitForLoadState();
    for (const wrong of ['bob', 'ad', 'Erase']) {
      await typed.fill(wrong);
      // The page before may have said the same.
      await leave(page, () => typed.press('Enter'));
      await page.getByText('Nothing was done: type ada here.').waitFor();
      await focusOfPage(page);
      assert.equal(await typed.getAttribute('aria-describedby'), 'typed-problem');
      assert.equal(await focused(page), 'INPUT');
      assert.equal(await isThere(), true, wrong);
    }
    assert.deepEqual(await violationsOf(page), []);
    await typed.fill(' ada ');
    await page.keyboard.press('Enter');
    await saysDone(page, 'Erased.');
    assert.equal(await isThere(), false);
  });

  test('the server refuses each of them without the name, of one record and of several, whatever the page said', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'owner', 'boss');
    const { api, submit } = visitor(service, cookie);
    const made = async (path: string, body: object): Promise<string> =>
      (await api('POST', path, body)).body.item.id;
    const token = await made('/tokens', { scopes: ['mail'], label: 'partner' });
    const hook = await made('/webhooks', { url: 'https://192.0.2.1/hook', types: ['none.such'] });
    const admin = await made('/admins', { name: 'grace', role: 'reader' });
    for (const guid of ['bike-1', 'bike-2', 'bike-3']) {
      await call(service, 'DeleteArticleByGuid', { guid, createuserid: 'bob' });
    }
    const act = async (kind: string, verb: string, keys: readonly string[], typed?: string) => {
      const body = new URLSearchParams({ verb, confirm: 'yes' });
      for (const key of keys) body.append('key', key);
      if (typed !== undefined) body.append('typed', typed);
      return submit(`/console/${kind}/act`, String(body));
    };
    const cases: readonly (readonly [
      kind: string,
      verb: string,
      keys: readonly string[],
      right: string,
    ])[] = [
      ['articles', 'purge', ['bike-1'], 'bike-1'],
      ['articles', 'purge', ['bike-2', 'bike-3'], '2'],
      ['tokens', 'revoke', [token], 'partner'],
      ['webhooks', 'remove', [hook], '192.0.2.1'],
      ['admins', 'signout', [admin], 'grace'],
      ['admins', 'reset', [admin], 'grace'],
      ['admins', 'remove', [admin], 'grace'],
      ['users', 'erase', ['mallory'], 'mallory'],
    ];
    for (const [kind, verb, keys, right] of cases) {
      for (const typed of [undefined, '', 'yes', '1', `${right}x`]) {
        const { status, text } = await act(kind, verb, keys, typed);
        // What nobody would be signed out of changes nothing and asks for nothing.
        if (verb === 'signout' && status === 200) continue;
        assert.equal(status, 400, `${kind} ${verb} ${typed}`);
        assert.match(text, /id="typed"/);
        assert.doesNotMatch(text, /<button[^>]*autofocus/);
      }
      const { status, text } = await act(kind, verb, keys, right);
      assert.equal(status, 200, `${kind} ${verb}: ${text}`);
      const told =
        keys.length === 1 ? 'class="done"' : `${keys.length} of ${keys.length} records – `;
      if (verb !== 'signout') assert.match(text, new RegExp(told), text);
    }
    const { texts } = await answerInChinese(service, cookie, '/console/users/act', {
      verb: 'erase',
      key: 'ada',
    });
    assert.ok(texts.includes('请输入 ada 以确认'), texts.join('\n'));
  });

  test('a reason that is asked for is kept, by every verb that asks for one', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'owner', 'boss');
    const ask = apiOfSession(service, cookie);
    const token = (await ask('POST', '/tokens', { scopes: ['mail'], label: 'partner' })).item.id;
    const hook = (
      await ask('POST', '/webhooks', { url: 'https://192.0.2.1/hook', types: ['none.such'] })
    ).item.id;
    const admin = (await ask('POST', '/admins', { name: 'grace', role: 'reader' })).item.id;
    const link = (await ask('GET', '/links')).items[0]!.code;
    const acts: readonly (readonly [method: string, path: string, more?: object])[] = [
      ['POST', `/links/${link}/disable`],
      ['POST', `/links/${link}/enable`],
      ['POST', `/webhooks/${hook}/disable`],
      ['POST', `/webhooks/${hook}/enable`],
      ['PATCH', `/users/ada`, { city: 'London' }],
      ['POST', '/users/ada/block'],
      ['PATCH', `/admins/${admin}`, { role: 'moderator' }],
      ['POST', `/admins/${admin}/reset`],
      ['POST', '/adverts/spam/remove'],
      ['POST', '/adverts/spam/purge'],
      ['POST', `/tokens/${token}/revoke`],
      ['DELETE', `/webhooks/${hook}`],
      ['DELETE', `/admins/${admin}`],
    ];
    for (const [number, [method, path, more]] of acts.entries()) {
      const reason = `kept-${number}-why`;
      await ask(method, path, { ...more, reason });
      const kept = await ask('GET', `/audit?q=${encodeURIComponent(reason)}`);
      assert.equal(kept.items.length, 1, `${method} ${path}`);
    }
  });
});

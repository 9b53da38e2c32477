import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { markOf } from '../../src/console/field-values.ts';
import { openApiDesk } from '../kit/api.ts';
import { Clock } from '../kit/clock.ts';
import { forBothEngines } from '../kit/database.ts';
import { startService } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import { openAs, openSignedIn, PASSWORD, saysDone, sessionOf, visitor } from './kit/browser.ts';
import { call, useService } from './kit/filled.ts';
import { formOf } from './kit/forms.ts';
import { focusOfPage } from './kit/keyboard.ts';

suite('what forms of the console send', () => {
  const started = useService((life) => startService(life));

  test('of two who edit at once, neither undoes the other; of the same member both are shown, and one chooses', async (t) => {
    const service = await startService(t);
    const { open, send, submit, api } = visitor(service, await sessionOf(service, 'owner', 'ada'));
    await api('POST', '/users', { id: 'bob', name: 'Bob' });
    const opened = async () =>
      formOf((await send('/console/users/act', { verb: 'edit', key: 'bob' })).text, 'b-city');
    const [tabA, tabB] = [await opened(), await opened()];
    const bob = async () => (await api('GET', '/users/bob')).body;
    assert.equal(
      (await send('/console/users/act', { ...tabB, 'b-city': 'Berlin', confirm: 'yes' })).status,
      303,
    );
    const merged = await send('/console/users/act', {
      ...tabA,
      'b-firstName': 'Robert',
      confirm: 'yes',
    });
    assert.equal(merged.status, 303);
    assert.deepEqual(
      [(await bob()).city, (await bob()).firstName],
      ['Berlin', 'Robert'],
      'both hold',
    );

    // Two changes within a millisecond are told apart, too.
    const clock = new Clock(t);
    clock.stop();
    await send('/console/users/act', { ...(await opened()), 'b-city': 'Essen', confirm: 'yes' });
    const tabC = await opened();
    await send('/console/users/act', { ...(await opened()), 'b-city': 'Bonn', confirm: 'yes' });
    const conflict = await send('/console/users/act', {
      ...tabC,
      'b-city': 'Cologne',
      'b-name': 'Bobby',
      confirm: 'yes',
    });
    assert.equal(conflict.status, 409);
    assert.match(conflict.text, /Somebody else changed this meanwhile/);
    assert.match(conflict.text, /Meanwhile somebody wrote: Bonn/);
    clock.goOn();
    assert.deepEqual([(await bob()).city, (await bob()).name], ['Bonn', 'Bob'], 'nothing was done');
    const again = formOf(conflict.text, 'b-city');
    assert.deepEqual(
      [again['b-city'], again['b-name'], again['was-city']],
      ['Cologne', 'Bobby', markOf('Bonn')],
    );
    assert.equal((await send('/console/users/act', { ...again, confirm: 'yes' })).status, 303);
    assert.deepEqual([(await bob()).city, (await bob()).name], ['Cologne', 'Bobby']);
    assert.match(conflict.text, /<input id="b-city"[^>]* autofocus/, 'the field in question');
    assert.match(conflict.text, /Changed by: <bdi>ada<\/bdi>, <time datetime=/);
    // Theirs of what both wrote is taken in one press, with what only this one wrote.
    const conflictOf = async (own: Record<string, string>) => {
      const tab = await opened();
      const city = (await bob()).city === 'Bonn' ? 'Trier' : 'Bonn';
      await send('/console/users/act', { ...(await opened()), 'b-city': city, confirm: 'yes' });
      const both = { ...tab, 'b-city': 'Kiel', ...own, confirm: 'yes' };
      return formOf((await send('/console/users/act', both)).text, 'b-city');
    };
    const rest = { ...(await conflictOf({ 'b-name': 'Rob' })), theirs: 'city' };
    assert.equal((await send('/console/users/act', rest)).status, 303);
    assert.deepEqual([(await bob()).city, (await bob()).name], ['Bonn', 'Rob']);
    const nothing = { ...(await conflictOf({})), theirs: 'city' };
    assert.match((await submit('/console/users/act', nothing)).text, /What they wrote stays/);
    assert.deepEqual([(await bob()).city, (await bob()).name], ['Trier', 'Rob']);
    assert.match(await open('/console/users/bob'), /Trier/);
  });

  test('only what succeeded is called a success', async () => {
    const service = started();
    const { open, send, api } = visitor(service, await sessionOf(service, 'owner', 'ada'));
    await api('POST', '/users', { id: 'bob' });
    const told = async (fields: Record<string, string>, kind: string) => {
      const { to, text } = await send(`/console/${kind}/act`, { ...fields, confirm: 'yes' });
      return to === '' ? text : open(to);
    };
    const none = await told({ verb: 'hold', key: 'none' }, 'articles');
    assert.match(
      none,
      /<p class="problem" role="alert"><svg.*?<\/svg>There is no article (?:"|&quot;)none/,
    );
    assert.doesNotMatch(none, /class="done"/);
    await told({ verb: 'block', key: 'bob' }, 'users');
    const again = await told({ verb: 'block', key: 'bob' }, 'users');
    assert.match(again, /Nothing changed: it was so already\./);
    assert.doesNotMatch(again, /class="done"/);
  });

  test('what was refused was not done: the same form, mended, does it', async () => {
    const service = started();
    const { open, send, submit, api } = visitor(service, await sessionOf(service, 'owner', 'ada'));
    // As a browser keeps it for the button "Back".
    const fields = { ...formOf(await open('/console/users/new'), 'id'), name: 'Grace' };
    assert.equal((await send('/console/users/new', { ...fields, id: '' })).status, 400);
    assert.match((await submit('/console/users/new', { ...fields, id: 'grace' })).text, /Created/);
    assert.equal((await api('GET', '/users/grace')).body.name, 'Grace');
    assert.match((await submit('/console/users/new', fields)).text, /it was done once/);

    const form = formOf(await open('/console/users/grace/edit'), 'b-email');
    const edit = { ...form, confirm: 'yes', 'b-email': 'none' };
    assert.equal((await send('/console/users/act', edit)).status, 400);
    const mended = { ...edit, 'b-email': 'grace@example.com' };
    assert.match((await submit('/console/users/act', mended)).text, /Saved/);
    assert.equal((await api('GET', '/users/grace')).body.email, 'grace@example.com');
  });

  test('an undo does not take back what somebody else did after it, unless asked', async () => {
    const service = started();
    await call(service, 'InsertArticle', { guid: 'one', caption: 'One', CreateUserId: 'ada' });
    const [ada, eve] = await Promise.all(
      ['ada', 'eve'].map(async (name) => visitor(service, await sessionOf(service, 'owner', name))),
    );
    const state = async () => (await ada!.api('GET', '/articles/one')).body;
    const held = formOf(await ada!.act('articles', 'hold', 'one'), 'undo');
    await eve!.act('articles', 'release', 'one');
    await eve!.act('articles', 'hold', 'one');
    const undone = await ada!.submit('/console/articles/act', { ...held, confirm: 'yes' });
    assert.equal(undone.status, 409);
    assert.match(undone.text, /Somebody else changed this after you did\. Undo it anyway\?/);
    assert.notEqual((await state()).heldAt, null);
    const asked = { ...formOf(undone.text, 'verb'), confirm: 'yes' };
    await ada!.submit('/console/articles/act', asked);
    assert.equal((await state()).heldAt, null);

    const edit = async (who: typeof ada, caption: string) => {
      const form = formOf(await who!.open('/console/articles/one/edit'), 'b-caption');
      const fields = { ...form, confirm: 'yes', 'b-caption': caption };
      return (await who!.submit('/console/articles/act', fields)).text;
    };
    const edited = await edit(ada, 'Two');
    const [, restore = '', version = ''] =
      /action="([^"]+\/restore)">.*?name="version" value="([^"]+)"/s.exec(edited) ?? [];
    await edit(eve, 'Three');
    const fields = { confirm: 'yes', version: version.replaceAll('&quot;', '"') };
    const back = await ada!.submit(restore, fields);
    assert.deepEqual([back.status, (await state()).caption], [409, 'Three']);
    assert.match(back.text, /Undo it anyway\?/);
    await ada!.submit(restore, { confirm: 'yes' });
    assert.equal((await state()).caption, 'One');
  });

  test('sent twice, reloaded or at once, a form does it once; what was made is told once, to its maker', async (t) => {
    const service = started();
    const [ada, eve] = [
      await sessionOf(service, 'owner', 'ada'),
      await sessionOf(service, 'owner', 'eve'),
    ];
    const { open, send, api } = visitor(service, ada);
    const fields = {
      ...formOf(await open('/console/tokens/new'), 'label'),
      label: 'Reload',
      scopes: 'mail',
    };
    const answers = await Promise.all([1, 2, 3].map(() => send('/console/tokens/new', fields)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303, 303],
    );
    const made = (await api('GET', '/tokens?q=Reload')).body.items;
    assert.equal(made.length, 1);
    const pages = await Promise.all(answers.map(({ to }) => open(to)));
    assert.equal(pages.filter((page) => /ws1_/.test(page)).length, 1, 'one answer has the token');
    assert.equal(
      pages.filter((page) => page.includes('This form was sent before; it was done once.')).length,
      2,
    );
    const { to } = answers[pages.findIndex((page) => /ws1_/.test(page))]!;
    assert.doesNotMatch(to, /ws1_/);
    assert.doesNotMatch(
      await visitor(service, eve).open(to),
      /ws1_/,
      'the address tells it to nobody else',
    );
    const changed = to.replace(/(?<=told=.{40})./, (char) => (char === 'A' ? 'B' : 'A'));
    assert.doesNotMatch(await open(changed), /ws1_/);
    // The browser forgets it, so that a reload shows the token itself.
    const page = await openSignedIn(t, service, ada, to);
    await page.locator('#secret').waitFor();
    assert.doesNotMatch(page.url(), /told/);
    await page.reload();
    await page.getByRole('heading', { name: 'Reload' }).waitFor();
    assert.equal(await page.locator('#secret').count(), 0);
  });

  test('when the session ended meanwhile, one signs in and goes on with what was typed', async (t) => {
    const service = await startService(t);
    const page = await openAs(t, service, 'owner ada', '/console/users/new', {}, /status of 401/);
    await page.getByLabel('Key').fill('grace');
    await page.getByLabel('Name', { exact: true }).fill('Grace "Amazing" <Hopper>');
    const store = await service.database.open();
    await store.write((tx) => tx.deleteFrom('admin_sessions').execute());
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Your session had ended').waitFor();
    // Whoever signs in sees what goes on: it may be somebody else's.
    const sent = page.locator('#resume');
    await sent.getByText('/console/users/new').waitFor();
    await sent.getByText('name: Grace "Amazing" <Hopper>').waitFor();
    assert.doesNotMatch((await sent.textContent()) ?? '', /once:/);
    assert.deepEqual(await violationsOf(page), []);
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByLabel('Password').press('Enter');
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await focusOfPage(page);
    await page.keyboard.press('Enter');
    await saysDone(page, 'Created.');
    await page.getByRole('heading', { level: 1, name: 'Grace "Amazing" <Hopper>' }).waitFor();
    const account = ['password', 'password/', 'passw%6frd'].map((at) => `/console/account/${at}`);
    for (const path of account) {
      const secret = { current: 'the old one of many', password: 'a new one of many' };
      const answer = await visitor(service, '').send(path, secret);
      assert.doesNotMatch(answer.text, /one of many/, path);
    }
    const paths = [...account, 'https://evil.example/', '//evil.example', '/console/../s/abc'];
    for (const path of paths) {
      const resume = JSON.stringify({ path, fields: [['current', 'b']] });
      const answer = await visitor(service, '').send('/console/sign-in', {
        name: 'ada',
        password: PASSWORD,
        resume,
      });
      assert.equal(answer.status, 303, path);
    }
  });
});

forBothEngines((_engine, fresh) => {
  test('If-Match: an action on another version is 412 and does nothing, of many at once one does', async (t) => {
    const desk = await openApiDesk(t, fresh);
    await desk.post('/users', { id: 'bob' });
    const read = await desk.get('/users/bob');
    const tag = String(read.headers.etag);
    const patch = async (city: string, version: string) => {
      const answer = await fetch(`${desk.url}/api/v1/users/bob`, {
        method: 'PATCH',
        headers: {
          Authorization: `Bearer ${desk.tokens.manage}`,
          'Content-Type': 'application/json',
          'If-Match': version,
        },
        body: JSON.stringify({ city }),
      });
      return { status: answer.status, body: (await answer.json()) as { parameter?: string } };
    };
    const stale = await patch('Nowhere', '"2020-01-01T00:00:00.000Z"');
    assert.deepEqual([stale.status, stale.body.parameter], [412, 'If-Match']);
    assert.equal((await desk.get('/users/bob')).body.city, null);
    const many = await Promise.all(['a', 'b', 'c', 'd'].map((city) => patch(city, tag)));
    assert.deepEqual(many.map(({ status }) => status).toSorted(), [200, 412, 412, 412]);
    assert.equal((await patch('any', '*')).status, 200);
    const { headers } = await desk.get('/users/bob');
    assert.equal((await patch('one of several', `"x", ${headers.etag}`)).status, 200);
  });
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { SEEDED_SETTINGS } from '../kit/api.ts';
import { auditOf } from '../kit/rows.ts';
import { type TestService, TOKEN } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import {
  DESKTOP,
  leave,
  openAs,
  openSignedIn,
  PHONE,
  saysDone,
  sessionOf,
  visitor,
} from './kit/browser.ts';
import { call, filledService, isListed, useService } from './kit/filled.ts';

/** The columns of a user. */
async function userOf(service: TestService, id: string) {
  const store = await service.database.open();
  return store.read((db) =>
    db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  );
}

suite('what can be undone', () => {
  const filled = useService();

  test('an edit of a user: every earlier value is back, and a number is as verified as it was', async (t) => {
    const service = filled();
    const phone = '+14155550199';
    const code = await call(service, 'CreateVerifyCode', { userId: 'eve', cellphone: phone });
    await call(service, 'VerifyCodeForPhone', {
      userId: 'eve',
      cellphone: phone,
      VerifyCode: code,
    });
    await call(service, 'updateUserCellphone', { userId: 'eve', cellPhone: phone });
    const before = await userOf(service, 'eve');
    assert.notEqual(before.cell_phone_verified_at, null);
    const page = await openAs(t, service, 'owner ada', '/console/users/eve');
    await leave(page, () => page.getByRole('link', { name: 'Edit', exact: true }).click());
    const way = page.locator('main .way').getByRole('link');
    assert.deepEqual(await way.allTextContents(), ['Users', 'eve']);
    await way.last().click();
    await page.getByRole('heading', { level: 1, name: 'eve', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('First name').fill('Eve');
    await page.getByLabel('Phone', { exact: true }).fill('+14155550100');
    await page.getByLabel('Registered').selectOption('true');
    await page.getByRole('button', { name: 'Save' }).click();
    await saysDone(page, 'Saved.');
    const changed = await userOf(service, 'eve');
    assert.deepEqual(
      [changed.first_name, changed.cell_phone, changed.cell_phone_verified_at, changed.registered],
      ['Eve', '+14155550100', null, 1],
    );
    await page.getByRole('button', { name: 'Undo' }).click();
    await saysDone(page, 'Undone.');
    assert.deepEqual(
      { ...(await userOf(service, 'eve')), updated_at: 0 },
      { ...before, updated_at: 0 },
    );
  });

  test('another role of somebody in the console', async (t) => {
    const service = filled();
    await sessionOf(service, 'reader', 'grace');
    const roleOf = async () => {
      const store = await service.database.open();
      const { role } = await store.read((db) =>
        db
          .selectFrom('admins')
          .select('role')
          .where('name', '=', 'grace')
          .executeTakeFirstOrThrow(),
      );
      return role;
    };
    const page = await openAs(t, service, 'owner ada', '/console/admins');
    await page.getByRole('link', { name: 'grace' }).click();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('radio', { name: /^moderator/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await saysDone(page, 'Saved.');
    assert.equal(await roleOf(), 'moderator');
    await page.getByRole('button', { name: 'Undo' }).click();
    await saysDone(page, 'Undone.');
    assert.equal(await roleOf(), 'reader');
  });

  test('an owner suppresses an address on the list of suppressed ones, by keyboard or phone, after a preview', async (t) => {
    const service = filled();
    const store = await service.database.open();
    const addresses = async () => {
      const rows = await store.read((db) =>
        db.selectFrom('mail_suppressions').selectAll().execute(),
      );
      return rows.map(({ address, detail }) => [address, detail]);
    };
    const cookie = await sessionOf(service, 'owner', 'mo');
    for (const on of [DESKTOP, { ...PHONE, colorScheme: 'dark' as const }]) {
      const page = await openSignedIn(t, service, cookie, '/console/suppressions', on);
      assert.deepEqual(await violationsOf(page), []);
      await page.getByLabel('Address', { exact: true }).focus();
      await page.keyboard.type('Grace@Example.com');
      await page.keyboard.press('Enter');
      await page.getByText('Nothing has been done yet').waitFor();
      assert.deepEqual(await addresses(), [], 'a preview does nothing');
      await page.getByLabel('Note').fill('asked by letter');
      await page.getByRole('button', { name: 'Add now' }).click();
      await saysDone(page, 'Added.');
      assert.deepEqual(await addresses(), [['grace@example.com', 'asked by letter']]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await until(async () => (await addresses()).length === 0);
    }
    const actions = await auditOf(store, 'suppression.%');
    assert.deepEqual(
      actions.map(({ action, details }) => [action, JSON.parse(details).admin]),
      ['add', 'remove', 'add', 'remove'].map((verb) => [`suppression.${verb}`, 'mo']),
    );
  });

  test('a wrong address is refused with the reason, and a reader has no form', async (t) => {
    const service = filled();
    const moderator = await sessionOf(service, 'owner', 'mo');
    const page = await openSignedIn(t, service, moderator, '/console/suppressions');
    await page.getByLabel('Address', { exact: true }).fill('nobody');
    await page.getByLabel('Address', { exact: true }).press('Enter');
    await page.getByText('That is not an e-mail address.').waitFor();
    assert.equal(
      await page.getByRole('button', { name: 'Add now' }).count(),
      0,
      'there is nothing to confirm',
    );
    const reader = await openSignedIn(
      t,
      service,
      await sessionOf(service, 'reader'),
      '/console/suppressions',
      DESKTOP,
      /403/,
    );
    await reader.getByText('Only owners').waitFor();
  });

  test('a held article is published by one verb, and held again by its undo; its image says what visitors see', async () => {
    const service = filled();
    const cookie = await sessionOf(service, 'owner', 'ada');
    const { open, act, submit } = visitor(service, cookie);
    // A preview says what the person changes, not what follows from it.
    const seen = await submit('/console/articles/act', { verb: 'hold', key: 'flat' });
    assert.match(seen.text, /<li>State:.*?published.*?held/s);
    assert.doesNotMatch(seen.text, /<li>(?:Public|Status|Icon url|Small picture|Srcset)/i);
    await act('articles', 'hold', 'flat');
    const page = await open('/console/articles/flat');
    assert.match(page, /<button [^>]*value="publish"/);
    assert.doesNotMatch(page, /<button [^>]*value="release"/);
    assert.match(await open('/console/images'), /<span class="tag warn">not shown</);
    const list = await open('/console/articles');
    assert.match(list, /<option value="publish">/);
    assert.doesNotMatch(list, /<option value="release">/);
    const done = await act('articles', 'publish', 'flat');
    assert.match(done, /Published\./);
    assert.match(done, /name="verb" value="hold"/);

    // A draft is not published by the end of a hold, so that has its own verb.
    const draft = { guid: 'mine', caption: 'Mine', CreateUserId: 'bob', Status: '1' };
    await call(service, 'InsertArticle', draft);
    await act('articles', 'hold', 'mine');
    assert.match(await open('/console/articles/mine'), /<button [^>]*value="release"/);
    assert.doesNotMatch(await open('/console/articles/mine'), /<button [^>]*value="publish"/);
  });

  test('up to three acts on chosen records have a button each; what takes something from people is seen first', async (t) => {
    const service = filled();
    const cookie = await sessionOf(service, 'owner', 'ada');
    const page = await openSignedIn(t, service, cookie, '/console/adverts');
    const acts = page.getByRole('group', { name: 'With the selected records' });
    await page.getByLabel('Select all').check();
    await acts.getByRole('button', { name: 'Take down' }).click();
    await page.getByRole('button', { name: 'Take down now' }).click();
    await saysDone(page, 'Taken down');
    await page.getByLabel('Select all').check();
    await acts.getByRole('button', { name: 'Restore' }).click();
    await saysDone(page, 'Restored');
    assert.equal(await isListed(service, 'Win a phone'), true);
    const { send } = visitor(service, cookie);
    for (const key of ['spam', '']) {
      const sent = await send('/console/adverts/act', { verb: '', key });
      assert.equal(sent.status, 400);
      const why = key === '' ? /Select one or more/ : /aria-invalid="true".*Choose what to do/s;
      assert.match(sent.text, why);
    }
  });
});

test('mails and text messages', async (t) => {
  const service = await filledService(t, SEEDED_SETTINGS);
  const cookie = await sessionOf(service, 'owner', 'ada');

  await t.test(
    'several mails are cancelled at once, each is in the audit trail, and one button undoes it',
    async () => {
      const { api, open, send } = visitor(service, cookie);
      for (const subject of ['second', 'third']) {
        const mail = {
          authorizationUserId: TOKEN,
          receiverEmail: 'bob@example.com',
          subject,
          body: 'Hello',
        };
        await call(service, 'SendEmail', mail);
      }
      const itemsOf = async (path: string): Promise<Record<string, string>[]> =>
        (await api('GET', path)).body.items;
      const before = await itemsOf('/mails');
      assert.ok(before.length >= 3);
      const act = (form: string) => send('/console/mails/act', form);
      const done = await act(
        `verb=cancel&confirm=yes&${before.map(({ id }) => `key=${id}`).join('&')}`,
      );
      const page = await open(done.to);
      assert.match(page, new RegExp(`${before.length} of ${before.length} records – Cancelled\\.`));
      const entries = await itemsOf(`/audit?requestId=${done.headers.get('x-request-id')}`);
      assert.deepEqual(
        entries.map(({ action, targetKey }) => `${action} ${targetKey}`).toSorted(),
        before.map(({ id }) => `mail.cancel ${id}`).toSorted(),
      );
      const [undo = ''] = /<form[^>]*>(?:(?!<\/form>).)*Undo<\/button>/s.exec(page) ?? [];
      const keys = [...undo.matchAll(/name="key" value="([^"]+)"/g)].map(([, key]) => `key=${key}`);
      await act(`verb=uncancel&confirm=yes&${keys.join('&')}`);
      const statesOf = (mails: readonly Record<string, string>[]) =>
        mails.map(({ id, status }) => `${id} ${status}`);
      assert.deepEqual(statesOf(await itemsOf('/mails')), statesOf(before));
    },
  );

  await t.test('a cancelled mail and a cancelled text message can be undone', async () => {
    const { act, api } = visitor(service, cookie);
    for (const kind of ['mails', 'sms']) {
      const { id } = (await api('GET', `/${kind}`)).body.items[0];
      // A text message may just be on its way to the gateway, which is not there.
      let cancelled = '';
      await until(async () => {
        cancelled = await act(kind, 'cancel', id);
        return cancelled.includes('Cancelled.');
      });
      const [undo] = /<form[^>]*>(?:(?!<\/form>).)*Undo<\/button>/s.exec(cancelled) ?? [];
      assert.match(
        String(undo),
        new RegExp(`name="verb" value="uncancel"><input type="hidden" name="key" value="${id}"`),
      );
      assert.match(await act(kind, 'uncancel', id), /No longer cancelled\./);
    }
  });
});

test('an address is suppressed by a mail of it and by itself, each undone by one button', async (t) => {
  const service = await filledService(t);
  const { open, submit } = visitor(service, await sessionOf(service, 'owner', 'ada'));
  const ask = async (path: string, form?: Record<string, string>) =>
    form === undefined ? open(path) : (await submit(path, form)).text;
  const [, mail = ''] = /\/console\/mails\/([0-9a-f-]{36})/.exec(await ask('/console/mails')) ?? [];
  const isSuppressed = async () => (await ask('/console/suppressions')).includes('bob@example.com');
  for (const [kind, key, verb, undo, suppressed] of [
    ['mails', mail, 'suppress', 'unsuppress', true],
    ['suppressions', 'bob@example.com', 'remove', 'add', false],
  ] as const) {
    if (verb === 'remove') {
      await ask('/console/mails/act', { verb: 'suppress', key: mail, confirm: 'yes' });
      assert.match(
        await ask(`/console/suppressions/${key}`),
        /value="remove" title="[^"]*" class=""><svg.*?<\/svg>Send to it again</,
      );
    }
    const preview = await ask(`/console/${kind}/act`, { verb, key });
    assert.ok(
      preview.includes('Nothing has been done yet') && !preview.includes('cannot be undone'),
      preview,
    );
    assert.equal(await isSuppressed(), !suppressed);
    const done = await ask(`/console/${kind}/act`, { verb, key, confirm: 'yes' });
    assert.match(
      done,
      new RegExp(`name="verb" value="${undo}"><input type="hidden" name="key" value="${key}"`),
    );
    assert.equal(await isSuppressed(), suppressed);
    assert.match(await ask(`/console/${kind}/act`, { verb: undo, key, confirm: 'yes' }), /\./);
    assert.equal(await isSuppressed(), !suppressed);
  }
});

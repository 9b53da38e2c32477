import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { TOKEN } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import {
  apiOfSession,
  DESKTOP,
  openAs,
  openMore,
  openPage,
  openSignedIn,
  PASSWORD,
  saysDone,
  sessionOf,
  visitor,
} from './kit/browser.ts';
import { call, isListed, useService } from './kit/filled.ts';
import { keyboardOf } from './kit/keyboard.ts';

suite('what is done in the console', () => {
  const filled = useService();

  test('by keyboard alone: a spam advert and a mail, each taken back; then signed out everywhere', async (t) => {
    const service = filled();
    // The script of the mail is kept from running.
    const expected = /^Blocked script execution/;
    const page = await openAs(t, service, 'owner keys', '/console', DESKTOP, expected);
    const keys = keyboardOf(page);
    await page.keyboard.press('Tab');
    assert.equal((await keys.stop())?.name, 'Skip to content');
    await keys.skip('Skip to content');
    assert.equal(
      await page.evaluate('document.activeElement.id'),
      'content',
      'the menu is skipped',
    );
    await page.keyboard.press('/');
    assert.equal((await keys.stop())?.id, 'q');
    await page.keyboard.type('spam');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=spam');

    await keys.enter('Win a phone now!!!');
    await page.getByRole('heading', { level: 1, name: 'Win a phone now!!!' }).waitFor();
    await keys.enter('Take down');
    await saysDone(page, 'Taken down. Visitors no longer see it.');
    assert.equal(await isListed(service, 'Win a phone'), false);
    await keys.enter('Undo');
    await saysDone(page, 'Undone. Visitors see it now.');
    assert.equal(await isListed(service, 'Win a phone'), true);
    await keys.enter('Redo');
    await saysDone(page, 'Taken down. Visitors no longer see it.');
    await keys.enter('Undo');
    await saysDone(page, 'Undone. Visitors see it now.');

    await keys.enter('Outbox');
    await keys.enter('Your advert was answered');
    await keys.enter('Cancel');
    await saysDone(page, 'Cancelled.');
    await keys.enter('Undo');
    await saysDone(page, 'Undone.');

    await keys.enter('Articles');
    await keys.to('Select all on this page');
    await page.keyboard.press('Space');
    await keys.enter('Hold');
    await page.getByRole('heading', { level: 1, name: 'Hold?' }).waitFor();
    await keys.to('Reason', 'Shift+Tab');
    await page.keyboard.type('Looked at again');
    await keys.enter('Hold now');
    await saysDone(page, '4 of 4 records – Held.');
    await keys.enter('Undo');
    await saysDone(page, 'Undone: 4 of 4 records.');

    await keys.enter('Your account: keys');
    await keys.enter('Sign out everywhere');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.goto(`${service.url}/console/adverts`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  test('an earlier content is compared, restored after a preview, and that undone', async (t) => {
    const service = filled();
    const cookie = await sessionOf(service, 'moderator', 'admin-1');
    const page = await openSignedIn(t, service, cookie, '/console/articles/flat');
    await page.getByRole('link', { name: 'Revision 2' }).first().click();
    assert.equal((await page.locator('pre del').textContent())?.trim(), 'Two rooms.');
    assert.equal((await page.locator('pre ins').textContent())?.trim(), 'Three rooms.');
    await page.goto(`${service.url}/console/articles/flat/revisions/1`);
    const status = page.getByRole('row').filter({ hasText: 'Status' });
    assert.match((await status.textContent()) ?? '', /published/, 'a word, not the number');
    await page.getByRole('button', { name: 'Restore this revision' }).click();
    await page.getByText('Nothing has been done yet').waitFor();
    await page.locator('ins').filter({ hasText: 'Two rooms.' }).waitFor();
    assert.deepEqual(await violationsOf(page), []);
    const api = apiOfSession(service, cookie);
    const contentOf = async () => (await api('GET', '/articles/flat')).content;
    assert.match(await contentOf(), /^Three/, 'a preview does nothing');
    await page.getByLabel('Reason').fill('A mistake');
    await page.getByRole('button', { name: 'Restore this revision now' }).click();
    await saysDone(page, 'The earlier content is back.');
    assert.match(await contentOf(), /^Two/);
    assert.deepEqual(await violationsOf(page), []);
    await page.getByRole('button', { name: 'Undo' }).click();
    await saysDone(page, 'The earlier content is back.');
    assert.match(await contentOf(), /^Three/);
    await page.getByRole('link', { name: 'Back', exact: true }).click();
    await page.getByRole('group', { name: 'History' }).getByText('reason: A mistake').waitFor();
  });

  test('a mail is seen as its recipient would, and can do nothing', async (t) => {
    const service = filled();
    const cookie = await sessionOf(service, 'owner', 'admin-2');
    const page = await openSignedIn(t, service, cookie, '/console/mails');
    // Chromium tells that the frame's script was kept from running: that is what the frame is for.
    page.removeAllListeners('console');
    await page.getByRole('link', { name: 'Your advert was answered' }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Hello Bob' }).waitFor();
    assert.equal(await page.evaluate('window.hacked'), undefined);
    await page.getByText('Source').click();
    await page.getByText('Content-Type: multipart/alternative').last().waitFor();
    const body = `${page.url().replace(service.url, '')}/body`;
    const answer = await fetch(service.url + body, { headers: { Cookie: cookie } });
    assert.match(
      answer.headers.get('content-security-policy') ?? '',
      /^default-src 'none';.*sandbox$/,
    );
    const blocked = page.getByText('Pictures from other addresses are not loaded here');
    assert.equal(await blocked.count(), 0);
    await call(service, 'SendEmail', {
      ...{ authorizationUserId: TOKEN, receiverName: 'Bob', receiverEmail: 'bob@example.com' },
      ...{ subject: 'With a picture', body: '<img src="https://example.net/seen.png">' },
    });
    await page.goto(`${service.url}/console/mails`);
    await page.getByRole('link', { name: 'With a picture' }).click();
    await blocked.waitFor();
  });

  test('a reader may look, and do nothing', async (t) => {
    const service = filled();
    const cookie = await sessionOf(service, 'reader', 'admin-3');
    const page = await openSignedIn(t, service, cookie, '/console/adverts/spam');
    await page.getByText('Your role can only read.').waitFor();
    const act = { verb: 'remove', key: 'spam', confirm: 'yes' };
    const { status } = await visitor(service, cookie).send('/console/adverts/act', act);
    assert.equal(status, 403);
    assert.equal(await isListed(service, 'Win a phone'), true);
    const form = await fetch(`${service.url}/console/tokens/new`, {
      headers: { Cookie: cookie },
    });
    assert.equal(form.status, 403, 'a form that would be refused');
  });

  test('an owner edits a user', async (t) => {
    const service = filled();
    const page = await openAs(t, service, 'owner admin-4', '/console/users/ada');
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Save' }).click();
    await saysDone(page, 'Saved.');
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
  });

  test('an owner registers a user and makes a token, which is shown once and works', async (t) => {
    const service = filled();
    const page = await openAs(t, service, 'owner admin-5', '/console/users');
    await page.getByRole('link', { name: 'New' }).click();
    await page.getByLabel('Key').fill('grace');
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await page.getByRole('button', { name: 'Create' }).click();
    await saysDone(page, 'Created.');
    await page.goto(`${service.url}/console/tokens/new`);
    await page.getByRole('checkbox', { name: /^articles/ }).check();
    await page.getByRole('button', { name: 'Create' }).click();
    const token = (await page.locator('#secret').textContent()) ?? '';
    assert.match(token, /^ws1_/);
    const answer = await call(service, 'InsertArticle', {
      token,
      guid: 'own',
      caption: 'By the new token',
    });
    assert.equal(answer, 'own');
  });

  test('an owner lets a moderator in by a link, who then signs in, and removes them', async (t) => {
    const service = filled();
    const owner = await openAs(t, service, 'owner admin-6', '/console/admins/new');
    await owner.getByLabel('Name', { exact: true }).fill('mo');
    await owner.getByRole('radio', { name: /^moderator/ }).check();
    await owner.getByRole('button', { name: 'Create' }).click();
    const link = new URL((await owner.locator('#secret').textContent()) ?? '');
    const invited = await openPage(t, service.url + link.pathname);
    await invited.getByLabel('Password').fill(PASSWORD);
    await invited.getByRole('button', { name: 'Save and sign in' }).click();
    await invited.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    assert.equal(
      await invited.getByRole('link', { name: 'Admins' }).count(),
      0,
      'not for moderators',
    );
    await owner.goto(`${service.url}/console/admins`);
    await owner.getByRole('link', { name: 'mo', exact: true }).click();
    await owner.getByRole('group', { name: 'Where this person is signed in' }).waitFor();
    await openMore(owner);
    await owner.getByRole('button', { name: 'Remove' }).click();
    await owner.getByLabel('To confirm, type mo').fill('mo');
    await owner.getByRole('button', { name: 'Remove now' }).click();
    await saysDone(owner, 'Removed.');
    await invited.goto(`${service.url}/console`);
    await invited.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  test('a person is held, released, exported and erased', async (t) => {
    const service = filled();
    const cookie = await sessionOf(service, 'owner', 'admin-7');
    const page = await openSignedIn(t, service, cookie, '/console/users/ada');
    const stored = page.getByRole('group', { name: 'What is stored about this person' });
    // Counting reads the whole audit trail.
    assert.equal(await stored.count(), 0);
    await page.getByRole('link', { name: 'Count it' }).click();
    await stored.getByRole('cell', { name: 'Articles', exact: true }).waitFor();
    const exported = await fetch(`${service.url}/console/users/ada/export.json`, {
      headers: { Cookie: cookie },
    });
    assert.match(exported.headers.get('content-disposition') ?? '', /^attachment; /);
    assert.equal(((await exported.json()) as { person: string }).person, 'ada');
    await openMore(page);
    await page.getByRole('button', { name: 'Legal hold' }).click();
    await page.getByLabel('Reason').fill('Case 7');
    await page.getByRole('button', { name: 'Legal hold now' }).click();
    await saysDone(page, 'Under a legal hold.');
    await page.goto(`${service.url}/console/users/ada`);
    await openMore(page);
    await page.getByRole('button', { name: 'Erase the person' }).click();
    await page
      .getByText(/A legal hold keeps the data of ada .* set by admin-\d+ .*: Case 7/)
      .waitFor();
    await page.goto(`${service.url}/console/users/ada`);
    await page.getByRole('button', { name: 'End the legal hold' }).click();
    await page.getByRole('button', { name: 'End the legal hold now' }).click();
    await saysDone(page, 'The legal hold has ended.');
    await page.goto(`${service.url}/console/users/ada`);
    await openMore(page);
    await page.getByRole('button', { name: 'Erase the person' }).click();
    await page.getByText('This cannot be undone.').waitFor();
    await page.getByText('Articles: 1 deleted', { exact: true }).waitFor();
    await page.getByLabel('To confirm, type ada').fill('ada');
    await page.getByRole('button', { name: 'Erase the person now' }).click();
    await saysDone(page, 'Erased.');
    const gone = await fetch(`${service.url}/console/users/ada`, { headers: { Cookie: cookie } });
    assert.equal(gone.status, 404);
  });
});

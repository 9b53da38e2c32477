import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { findAdminByName } from '../../src/domain/admins/admins.ts';
import { beginSession, sessionsOf } from '../../src/domain/admins/sessions.ts';
import { auditOf } from '../kit/rows.ts';
import { startService } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import { DESKTOP, openSignedIn, PHONE, sessionOf, visitor } from './kit/browser.ts';

const ANDROID =
  'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

suite('one’s own account', () => {
  test('a lost phone is signed out alone, on a desktop and on another phone; nobody else is', async (t) => {
    const service = await startService(t);
    const store = await service.database.open();
    const cookie = await sessionOf(service, 'moderator', 'ada');
    const others = await sessionOf(service, 'owner', 'bob');
    const ada = (await findAdminByName(store, 'ada'))!;
    const bob = (await findAdminByName(store, 'bob'))!;
    const isIn = async (Cookie: string) => {
      const { status } = await fetch(`${service.url}/console/account`, {
        headers: { Cookie },
        redirect: 'manual',
      });
      return status === 200;
    };
    for (const on of [DESKTOP, { ...PHONE, colorScheme: 'dark' as const }]) {
      const visitor = { address: '198.51.100.7', agent: ANDROID };
      const lost = `ws01-session=${await store.write((tx) => beginSession(tx, ada, Date.now(), visitor))}`;
      assert.equal(await isIn(lost), true);
      const page = await openSignedIn(t, service, cookie, '/console/account', on);
      assert.deepEqual(await violationsOf(page), []);
      assert.equal(await page.getByRole('row').filter({ hasText: 'this browser' }).count(), 1);
      await page
        .getByRole('button', { name: 'Sign out: Chrome 140, Android, 198.51.100.7' })
        .focus();
      await page.keyboard.press('Enter');
      await page.getByText('198.51.100.7').waitFor({ state: 'detached' });
      assert.deepEqual([await isIn(lost), await isIn(cookie)], [false, true]);
    }
    // Who knows the id of a session of somebody else ends it not.
    const [session] = await sessionsOf(store, bob);
    await visitor(service, cookie).send('/console/account/session/end', { id: session!.id });
    assert.equal(await isIn(others), true);
    const entries = await auditOf(store, 'admin.sign-out');
    assert.deepEqual(
      entries.map(({ target_key }) => target_key),
      [ada.id, ada.id],
    );
  });
});

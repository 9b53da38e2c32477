import assert from 'node:assert/strict';
import { it } from 'node:test';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { hold } from '../../src/domain/moderation/moderation.ts';
import { exchange, type Params, TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { issueTokens } from '../kit/tokens.ts';

/** What a .NET proxy sends for a dateTime that was never set. */
const UNSET = '0001-01-01T00:00:00';

forEachEngine((_engine, fresh) => {
  for (const binding of someOf(TEST_BINDINGS.toReversed(), 2)) {
    it(`tells who brings what back, and who sees it, by ${binding.name}`, async (t) => {
      const { url, database } = await startService(t, await fresh(t));
      const store = await database.open();
      const { ada, bob, admin } = await issueTokens(t, database);
      const call = async (operation: string, params: Params) => {
        const { result, code } = await binding.call(url, operation, params);
        return result ?? code;
      };
      const put = (token: string, guid: string, given: Params = {}) =>
        call('InsertArticle', {
          token,
          guid,
          caption: `caption ${guid}`,
          pinnedTopDueDate: UNSET,
          Status: '0',
          ...given,
        });
      const drop = (token: string, guid: string) => call('DeleteArticleByGuid', { token, guid });
      let size = 8;
      const upload = (token: string, FileGuid: string, Link_Guid: string, IsIcons = 'false') =>
        call('InsertArticleImageFile', {
          verifyCode: token,
          FileGuid,
          Link_Guid,
          IsIcons,
          FileImg: blackPng(size++, 8).toString('base64'),
        });
      const list = async (given: Params = {}) =>
        JSON.parse((await call('QueryImgData', { ImgIcon: 'false', ...given }))!);
      const found = async (given: Params = {}): Promise<string[]> =>
        (await list(given)).items.map(({ fileGuid }: { fileGuid: string }) => fileGuid).sort();

      // A pin that is not given stays; operation 8 unpins.
      const pinned = async () => {
        const row = await store.read((db) =>
          db
            .selectFrom('articles')
            .select('pinned_until')
            .where('guid', '=', 'pin')
            .executeTakeFirstOrThrow(),
        );
        return row.pinned_until !== null;
      };
      await put(TOKEN, 'pin', { pinnedTopDueDate: '2099-01-01T00:00:00Z' });
      await put(TOKEN, 'pin', { caption: 'changed' });
      assert.equal(await pinned(), true);
      await call('UpdatePinnedTopDueDateByGuid', {
        token: TOKEN,
        guid: 'pin',
        pinnedTopDueDate: UNSET,
      });
      assert.equal(await pinned(), false);

      // What its owner trashed the owner restores; what an admin removed, an admin.
      await put(ada, 'a');
      assert.equal(await drop(ada, 'a'), 'a');
      assert.equal(await put(ada, 'a'), 'a');
      assert.equal(await drop(admin, 'a'), 'a');
      assert.deepEqual([await put(ada, 'a'), await put(TOKEN, 'a')], ['Forbidden', 'Forbidden']);
      assert.equal(await put(bob, 'a'), 'AlreadyExists');
      assert.equal(await put(admin, 'a'), 'a');

      // Images are linked to what is one's own, nobody's or not there yet.
      await put(TOKEN, 'nobody’s');
      assert.equal(await upload(bob, 'at ada’s', 'a'), 'NotFound');
      assert.equal(await upload(bob, 'at nobody’s', 'nobody’s'), 'true');
      assert.equal(await upload(bob, 'too early', 'later', 'true'), 'true');
      assert.equal(await upload(TOKEN, 'by the site', 'later', 'true'), 'true');
      await put(ada, 'later');
      assert.deepEqual(await found({ linkGuid: 'later', ImgIcon: 'true' }), ['by the site']);
      assert.deepEqual(await found({ linkGuid: 'later' }), ['by the site', 'too early']);

      // Lists have what the public may see.
      await put(ada, 'draft', { Status: '1' });
      await upload(ada, 'of a draft', 'draft');
      assert.deepEqual(await found({ query: 'draft' }), []);
      assert.deepEqual(await found({ linkGuid: 'draft' }), []);
      await put(ada, 'draft', { Status: '7' });
      assert.deepEqual(await found({ query: 'caption draft' }), ['of a draft']);
      const [item] = (await list({ linkGuid: 'draft' })).items;
      const served = async () =>
        (await exchange(item.url.replace(/^https?:\/\/[^/]+/, url))).status;
      const { total } = await list();
      await drop(ada, 'draft');
      assert.deepEqual(
        [await found({ linkGuid: 'draft' }), (await list()).total, await served()],
        [[], total - 1, 200],
      );
      await put(ada, 'draft');
      assert.deepEqual(await found({ linkGuid: 'draft' }), ['of a draft']);
      const hidden = {
        kind: 'article',
        key: 'draft',
        by: undefined,
        reason: undefined,
        at: Date.now(),
      } as const;
      await store.write((tx) => hold(tx, hidden));
      await put(ada, 'draft', { caption: 'written anew' });
      assert.deepEqual([await found({ linkGuid: 'draft' }), await served()], [[], 410]);
    });
  }
});

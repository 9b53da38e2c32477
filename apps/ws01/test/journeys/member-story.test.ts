import assert from 'node:assert/strict';
import { it } from 'node:test';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { exchange, type Params, TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { startService, TOKEN } from '../kit/service.ts';

const ID = '0F8FAD5B-D9CB-469F-A165-70867728950E';
const CAPTION = `出租 <b>"Flat" & 'room'</b> 😀`;

forEachEngine((_engine, fresh) => {
  for (const binding of someOf(TEST_BINDINGS.toReversed(), 2)) {
    it(`a member is verified, posts, pins, advertises, is reviewed, shortens, counts and deletes, over ${binding.name}`, async (t) => {
      const { url } = await startService(t, await fresh(t));
      const ask = async (operation: string, params: Params): Promise<string> => {
        const { result, body } = await binding.call(url, operation, params);
        return result ?? assert.fail(`${operation}: ${body}`);
      };
      const member = { tokenId: TOKEN, userId: '会員-1' };
      const article = { token: TOKEN, guid: ID };

      const code = await ask('CreateVerifyCode', { ...member, cellphone: '+81 90-1234-5678' });
      assert.equal(
        await ask('VerifyCodeForPhone', {
          ...member,
          VerifyCode: code,
          cellphone: '００８１９０１２３４５６７８',
        }),
        '',
      );
      assert.equal(
        await ask('updateUserCellphone', { ...member, cellPhone: '+819012345678' }),
        '会員-1',
      );
      assert.equal(
        await ask('updateUserInfo', { ...member, firstName: '花子', city: '東京' }),
        '会員-1',
      );

      const guid = await ask('InsertArticle', {
        ...article,
        caption: CAPTION,
        content: '一\n二',
        CreateUserId: '会員-1',
        Status: '0',
      });
      assert.equal(guid, ID.toLowerCase());
      assert.equal(
        await ask('UpdatePinnedTopDueDateByGuid', {
          ...article,
          pinnedTopDueDate: '2099-01-01T00:00:00Z',
        }),
        guid,
      );
      assert.equal(await ask('UpdateArticleCategory', { ...article, cateId: '不動産' }), guid);

      const advert = {
        tokenId: TOKEN,
        guid: ID,
        CreateUserId: '会員-1',
        title: CAPTION,
        isImage: 'false',
      };
      assert.equal(await ask('addNewAdvert', advert), guid);
      const adverts = JSON.parse(
        await ask('QueryAdvert', { userId: '会員-1', query: '租', pagesize: '0', pageindex: '0' }),
      );
      assert.deepEqual([adverts.total, adverts.items[0].title], [1, CAPTION]);

      const review = JSON.parse(
        await ask('submitReview', { id: ID, IsPositive: 'true', Mark: '5', userId: '読者' }),
      );
      assert.deepEqual([review.id, review.positive], [guid, 1]);

      const link = await ask('UrltoShortUrl', {
        _userId: '会員-1',
        _orgUrl: `https://example.org/${CAPTION}`,
      });
      const { status, headers } = await exchange(`${url}${new URL(link).pathname}`);
      assert.deepEqual(
        [status, headers.location],
        [302, new URL(`https://example.org/${CAPTION}`).href],
      );

      const count = () => ask('countUserPosted', { ...member, lastFewDays: '1', level: '' });
      assert.equal(await count(), '2');
      assert.equal(await ask('DeleteArticleByGuid', { ...article, createuserid: '会員-1' }), guid);
      assert.equal(await ask('DeleteArticleByGuid', { ...article, createuserid: '会員-1' }), guid);
      assert.equal(await count(), '2');
    });
  }
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { exchange, type Params, TEST_BINDINGS } from '../kit/bindings.ts';
import { forBothEngines } from '../kit/database.ts';
import { startService, TOKEN } from '../kit/service.ts';

const DETAIL = 'Zwei <b>& mehr</b>, "hell"\n两室一厅, 아파트, 👍🏽 \'ok\'';
const GUID = '0f8fad5b-d9cb-469f-a165-70867728950e';

forBothEngines((_engine, fresh) => {
  for (const binding of someOf(TEST_BINDINGS, 2)) {
    it(`tells a publisher’s story by ${binding.name}`, async (t) => {
      const { url, database } = await startService(t, await fresh(t));
      const store = await database.open();
      const user = 'DOMAIN\\书店';
      const call = async (operation: string, params: Params) => {
        const answer = await binding.call(url, operation, params);
        assert.equal(answer.status, 200, answer.body);
        return answer.result ?? '';
      };
      const asService = (operation: string, params: Params) =>
        call(operation, { tokenId: TOKEN, ...params });
      const refused = async (operation: string, params: Params) =>
        (await binding.call(url, operation, { tokenId: TOKEN, ...params })).code;

      const profile = { userId: user, firstName: 'Ada', lastName: '& <Söhne>', city: '上海' };
      assert.equal(await asService('updateUserInfo', profile), user);
      assert.equal(
        await asService('updateUserInfo', { userId: user, firstName: '', zipCode: '200000' }),
        user,
      );
      assert.equal(
        await asService('updateUserCellphone', { userId: user, cellPhone: '+86 138 0013 8000' }),
        user,
      );
      const row = await store.read((db) =>
        db.selectFrom('users').selectAll().where('id', '=', user).executeTakeFirstOrThrow(),
      );
      assert.deepEqual(
        [row.first_name, row.last_name, row.zip_code, row.city, row.cell_phone, row.registered],
        [null, '& <Söhne>', '200000', '上海', '+8613800138000', 0],
      );

      const advert = {
        guid: `{${GUID.toUpperCase()}}`,
        CreateUserId: user,
        title: '出租 Flat',
        detail: DETAIL,
        linkTxt: '更多',
        linkUrl: 'https://example.com/?a=1&b=2',
        showDeadLine: '2999-12-31',
        postAtCategoryGuid: 'housing',
        isImage: 'true',
        imgGuid: 'picture',
      };
      assert.equal(await asService('addNewAdvert', advert), GUID);
      assert.equal(await asService('addNewAdvert', advert), GUID);
      assert.equal(await refused('addNewAdvert', { ...advert, title: 'Other' }), 'AlreadyExists');
      const unnamed = {
        CreateUserId: user,
        title: 'Past',
        isImage: 'false',
        showDeadLine: '1/31/1999',
      };
      const made = await asService('addNewAdvert', unnamed);
      assert.match(made, /^[0-9a-f-]{36}$/);
      assert.equal(await asService('addNewAdvert', unnamed), made);

      const found = JSON.parse(
        await call('QueryAdvert', { userId: user, query: '厅', pagesize: '0', pageindex: '0' }),
      );
      assert.equal(found.total, 1);
      const [item] = found.items;
      assert.deepEqual(
        [
          item.guid,
          item.createUserId,
          item.detail,
          item.showDeadLine,
          item.isCurrent,
          item.isImage,
          item.imageUrl,
        ],
        [GUID, user, DETAIL, '2999-12-31T23:59:59.999Z', true, true, null],
      );
      const all = JSON.parse(
        await call('QueryAdvert', { userId: user, pagesize: '1', pageindex: '2', orderBy: 'x' }),
      );
      assert.deepEqual(
        [
          all.items.length,
          all.pageIndex,
          all.pageSize,
          all.total,
          all.totalPages,
          all.warnings.length,
        ],
        [1, 2, 1, 2, 2, 1],
      );

      const voted = JSON.parse(
        await call('submitReview', { id: GUID, IsPositive: '+', Mark: '4.5', userId: 'reader' }),
      );
      assert.deepEqual(voted.yours, { isPositive: true, mark: 4.5 });
      const remark = JSON.parse(await call('submitReview', { id: GUID, Mark: DETAIL }));
      assert.deepEqual([remark.positive, remark.averageMark, remark.yours.mark], [1, 4.5, DETAIL]);
      assert.equal(
        await refused('submitReview', { id: GUID, IsPositive: '1', userId: user }),
        'Forbidden',
      );
      const nothing = { id: GUID, userId: 'somebody-else' };
      assert.equal(await refused('submitReview', nothing), 'MissingParameter');

      assert.equal(
        await asService('countUserPosted', { userId: user, lastFewDays: '1', level: '' }),
        '2',
      );
      assert.equal(
        await asService('countUserPosted', { userId: user, lastFewDays: '1', level: 'review' }),
        '0',
      );
      assert.equal(await asService('countUserPosted', { userId: 'reader', lastFewDays: '1' }), '1');
      assert.equal(
        await asService('countIpPosted', { IP: '127.0.0.1', lastFewDays: '7', level: 'all' }),
        '4',
      );
      assert.equal(
        await asService('countIpPosted', { IP: '192.0.2.1', lastFewDays: '7', level: 'all' }),
        '0',
      );
      assert.equal(
        await refused('countUserPosted', { userId: user, lastFewDays: '-1' }),
        'InvalidParameter',
      );
    });
  }

  it('reads a + that a form did not encode as the vote it was', async (t) => {
    const { url } = await startService(t, await fresh(t));
    const answer = await exchange(`${url}/WS01.asmx/submitReview?id=x&IsPositive=+&Mark=`);
    assert.equal(answer.status, 200, answer.body);
    assert.match(answer.body, /"positive":1/);
  });
});

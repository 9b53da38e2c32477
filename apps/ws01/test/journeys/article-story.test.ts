import assert from 'node:assert/strict';
import { it } from 'node:test';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { type Params, TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { startService, TOKEN } from '../kit/service.ts';

const GUID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const CONTENT = 'Zwei Zimmer <b>& Küche</b>, "hell"\n两室一厅, 아파트, 👍🏽 \'ok\'';

forEachEngine((_engine, fresh) => {
  for (const binding of someOf(TEST_BINDINGS, 2)) {
    it(`tells an article’s whole story by ${binding.name}`, async (t) => {
      const { url, database } = await startService(t, await fresh(t));
      const store = await database.open();
      const stored = () =>
        store.read((db) =>
          db.selectFrom('articles').selectAll().where('guid', '=', GUID).executeTakeFirst(),
        );
      const call = async (operation: string, params: Params) => {
        const answer = await binding.call(url, operation, { token: TOKEN, ...params });
        assert.equal(answer.status, 200, answer.body);
        return answer.result;
      };

      const created = await call('InsertArticle', {
        guid: `{${GUID.toUpperCase()}}`,
        caption: '出租 Flat',
        content: CONTENT,
        categoryGuid: 'housing',
        contactPhone: '+1 212 555 0100',
        pinnedTopDueDate: '2030-01-31T10:00:00+08:00',
        CreateUserId: 'DOMAIN\\user',
        IconGuid: '',
        Status: '2',
        fromUrl: 'https://example.com/?a=1&b=2',
      });
      assert.equal(created, GUID);
      const row = await stored();
      assert.ok(row);
      assert.deepEqual(
        [
          row.caption,
          row.content,
          row.category_key,
          row.owner,
          row.status,
          row.from_url,
          row.icon_guid,
          row.revision,
        ],
        [
          '出租 Flat',
          CONTENT,
          'housing',
          'DOMAIN\\user',
          2,
          'https://example.com/?a=1&b=2',
          null,
          1,
        ],
      );
      assert.equal(row.pinned_until, Date.parse('2030-01-31T02:00:00Z'));

      assert.equal(
        await call('UpdateOrInsertArticleById', { Id: GUID, caption: 'New caption' }),
        GUID,
      );
      const changed = await stored();
      assert.deepEqual(
        [changed?.caption, changed?.content, changed?.revision],
        ['New caption', CONTENT, 2],
      );

      assert.equal(
        await call('UpdatePinnedTopDueDateByGuid', {
          guid: GUID,
          pinnedTopDueDate: '0001-01-01T00:00:00',
        }),
        GUID,
      );
      assert.equal((await stored())?.pinned_until, null);

      assert.equal(await call('UpdateArticleCategory', { guid: GUID, cateId: 'jobs' }), GUID);
      assert.equal((await stored())?.category_key, 'jobs');

      assert.equal(
        await call('DeleteArticleByGuid', { createuserid: 'DOMAIN\\user', guid: GUID }),
        GUID,
      );
      assert.notEqual((await stored())?.deleted_at, null);
      assert.equal(await call('DeleteArticleByGuid', { createuserid: '', guid: GUID }), GUID);

      const gone = await binding.call(url, 'UpdateArticleCategory', {
        token: TOKEN,
        guid: GUID,
        cateId: 'x',
      });
      assert.deepEqual(
        [gone.code, gone.status],
        ['NotFound', binding.name.startsWith('soap') ? 500 : 404],
      );
      assert.equal(gone.headers['x-error-code'], 'NotFound');

      const postings = await store.read((db) => db.selectFrom('postings').selectAll().execute());
      assert.deepEqual(
        postings.map(({ record_key, user_id, network }) => [record_key, user_id, network]),
        [[GUID, 'DOMAIN\\user', '127.0.0.1']],
      );
    });

    it(`refuses a bad credential by ${binding.name} in the one form of every error`, async (t) => {
      const { url } = await startService(t, await fresh(t));
      const answer = await binding.call(url, 'DeleteArticleByGuid', {
        token: 'ws1_nonsense',
        createuserid: '',
        guid: GUID,
      });
      assert.deepEqual(
        [answer.code, answer.status],
        ['Unauthenticated', binding.name.startsWith('soap') ? 500 : 403],
      );
      assert.match(String(answer.headers['x-request-id']), /^[\w-]{8,}$/);
      assert.ok(!answer.body.includes('ws1_nonsense'));
    });
  }
});

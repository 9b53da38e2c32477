import assert from 'node:assert/strict';
import { it } from 'node:test';
import { JSON_BINDING, type Params, TEST_BINDINGS } from '../kit/bindings.ts';
import { forBothEngines } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { issueTokens } from '../kit/tokens.ts';

const BINDINGS = [...TEST_BINDINGS, JSON_BINDING];

forBothEngines((_engine, fresh) => {
  it('a number is verified before there is a user, by the token that then says whose it is', async (t) => {
    const { url, database } = await startService(t, await fresh(t));
    const { ada, admin } = await issueTokens(t, database);
    const store = await database.open();
    const isVerified = async (id: string) => {
      const row = await store.read((db) =>
        db
          .selectFrom('users')
          .select('cell_phone_verified_at')
          .where('id', '=', id)
          .executeTakeFirstOrThrow(),
      );
      return row.cell_phone_verified_at !== null;
    };
    for (const [index, binding] of BINDINGS.entries()) {
      const call = async (operation: string, params: Params) => {
        const { result, code } = await binding.call(url, operation, params);
        return result ?? code;
      };
      const cellphone = `+1212555010${index}`;
      const verify = (VerifyCode: string | undefined, userId: string | undefined = '') =>
        call('VerifyCodeForPhone', { tokenId: TOKEN, userId, VerifyCode, cellphone });
      assert.equal(await verify(''), 'CodeWrong: no code was given; 0 attempts left');
      const code = (await call('CreateVerifyCode', { tokenId: TOKEN, userId: '', cellphone }))!;
      assert.match(code, /^[0-9]{6}$/);
      for (const nothing of ['', '  ', undefined]) {
        assert.equal(await verify(nothing), 'CodeWrong: no code was given; 5 attempts left');
      }
      assert.match((await verify(code, 'somebody'))!, /^CodeNotFound: /);
      assert.equal(await verify(code, undefined), '');
      assert.match((await verify(code))!, /^CodeNotFound: /);
      const set = (tokenId: string, userId: string) =>
        call('updateUserCellphone', { tokenId, userId, cellPhone: cellphone });
      await set(admin, `other ${binding.name}`);
      assert.equal(await isVerified(`other ${binding.name}`), false);
      await set(TOKEN, `new ${binding.name}`);
      assert.equal(await isVerified(`new ${binding.name}`), true);
      // A user token's own user is meant when none is named.
      const own = await call('VerifyCodeForPhone', {
        tokenId: ada,
        userId: '',
        VerifyCode: '000000',
        cellphone,
      });
      assert.match(own!, /^CodeNotFound: /);
    }
  });

  it('lists are alike: orders, warnings, owner and times; the image marked last is the icon', async (t) => {
    const { url } = await startService(t, await fresh(t));
    for (const binding of BINDINGS) {
      const user = binding.name;
      const call = async (operation: string, params: Params) => {
        const answer = await binding.call(url, operation, params);
        assert.equal(answer.status, 200, answer.body);
        return answer.result!;
      };
      const put = { token: TOKEN, guid: user, caption: 'c', CreateUserId: user, Status: '0' };
      await call('InsertArticle', put);
      const key = (n: number) => `${user}-${n}`;
      const upload = (n: number, IsIcons: string) =>
        call('InsertArticleImageFile', {
          verifyCode: TOKEN,
          FileGuid: key(n),
          FileImg: blackPng(8 + n, 8).toString('base64'),
          Link_Guid: user,
          IsIcons,
        });
      for (const n of [0, 1, 2]) {
        const advert = {
          tokenId: TOKEN,
          guid: key(n),
          CreateUserId: user,
          title: `t${n}`,
          isImage: 'false',
        };
        await call('addNewAdvert', advert);
        await upload(n, String(n === 1));
      }
      const list = async (operation: string, given: Params) =>
        JSON.parse(await call(operation, given));
      const images = (given: Params) =>
        list('QueryImgData', { linkGuid: user, ImgIcon: 'false', ...given });
      const adverts = (given: Params) =>
        list('QueryAdvert', { userId: user, pagesize: '0', pageindex: '0', ...given });
      for (const [query, field] of [
        [images, 'fileGuid'],
        [adverts, 'guid'],
      ] as const) {
        const keys = async (given: Params) =>
          (await query(given)).items.map((item: Record<string, string>) => item[field]);
        assert.deepEqual(await keys({ orderBy: 'Created ASC' }), [0, 1, 2].map(key));
        assert.deepEqual(await keys({ orderBy: 'created' }), [2, 1, 0].map(key));
        const { warnings, items } = await query({ orderBy: 'Größe "x"' });
        assert.deepEqual(warnings, ['orderBy "Größe "x"" is unknown; created was used.']);
        assert.equal(items[0][field], key(2));
        for (const { owner, createdAt, updatedAt } of items) {
          assert.equal(owner, user);
          assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
          assert.match(updatedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        }
      }
      const sorted = await adverts({ orderBy: 'title desc', sort: 'asc' });
      assert.deepEqual(
        sorted.items.map(({ guid }: { guid: string }) => guid),
        [0, 1, 2].map(key),
      );
      assert.deepEqual((await adverts({ sort: 'up' })).warnings, [
        'sort "up" is unknown; desc was used.',
      ]);

      const icon = async () => (await images({ ImgIcon: 'true', pagesize: '1' })).items[0].fileGuid;
      assert.equal(await icon(), key(1));
      await upload(2, 'true');
      assert.equal(await icon(), key(2));
      await upload(0, 'true');
      assert.equal(await icon(), key(0));
      await upload(2, 'true');
      assert.equal(await icon(), key(0));
    }
  });
});

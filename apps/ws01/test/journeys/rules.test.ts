import assert from 'node:assert/strict';
import { it } from 'node:test';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { JSON_BINDING, type Params, TEST_BINDINGS, type TestBinding } from '../kit/bindings.ts';
import { forBothEngines, forEachEngine } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';

const BINDINGS = [...TEST_BINDINGS, JSON_BINDING];

const GUID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const USER = 'DOMAIN\\书店';
const PHONE = '+12125550100';
const article = { token: TOKEN, guid: GUID };
const user = { tokenId: TOKEN, userId: USER };
const image = { verifyCode: TOKEN, FileGuid: GUID };

/** One object of JSON. */
const OBJECT = /^\{.*\}$/s;

/**
 * Every operation but the two about codes: a call, and what a plain result is. Each call may be repeated, so that it is
 * asked only for what stays the same.
 */
const CALLS: readonly (readonly [operation: string, params: Params, result: string | RegExp])[] = [
  ['InsertArticle', { ...article, caption: '出租 Flat', Status: '0', CreateUserId: USER }, GUID],
  ['UpdateOrInsertArticleById', { token: TOKEN, Id: GUID, content: 'text' }, GUID],
  ['UpdatePinnedTopDueDateByGuid', { ...article, pinnedTopDueDate: '2099-01-01T00:00:00Z' }, GUID],
  ['UpdateArticleCategory', { ...article, cateId: 'jobs' }, GUID],
  [
    'addNewAdvert',
    { tokenId: TOKEN, guid: GUID, title: 'Sale', isImage: 'false', CreateUserId: USER },
    GUID,
  ],
  [
    'InsertArticleImageFile',
    { ...image, FileImg: blackPng(8, 8).toString('base64'), IsIcons: 'false' },
    'true',
  ],
  ['QueryAdvert', { userId: USER, pagesize: '0', pageindex: '0' }, OBJECT],
  ['QueryImgData', { linkGuid: '', ImgIcon: 'false' }, OBJECT],
  ['updateUserInfo', { ...user, city: '上海' }, USER],
  ['updateUserCellphone', { ...user, cellPhone: PHONE }, USER],
  [
    'SendEmail',
    { authorizationUserId: TOKEN, receiverEmail: 'grace@example.com', body: 'b' },
    /^[0-9a-f-]{36}$/,
  ],
  ['queryEmailsent', { authorizationUserId: TOKEN }, OBJECT],
  [
    'UrltoShortUrl',
    { _userId: USER, _orgUrl: 'https://example.org/' },
    /^http:\/\/[^/]+\/s\/[^/]{7}$/,
  ],
  ['submitReview', { id: 'x', IsPositive: 'true', Mark: '5', userId: 'reader' }, OBJECT],
  ['countUserPosted', { ...user, lastFewDays: '1' }, /^[1-9][0-9]*$/],
  ['countIpPosted', { tokenId: TOKEN, IP: '127.0.0.1', lastFewDays: '1' }, /^[1-9][0-9]*$/],
  ['DeleImgById', image, GUID],
  ['DeleteArticleByGuid', { ...article, createuserid: USER }, GUID],
];

/** Calls and expects a result. */
async function resultOf(
  binding: TestBinding,
  url: string,
  operation: string,
  params: Params,
): Promise<string> {
  const { status, result, body } = await binding.call(url, operation, params);
  assert.equal(status, 200, `${operation}: ${body}`);
  return result ?? assert.fail(`${operation} has no result: ${body}`);
}

forBothEngines((engine, fresh) => {
  // A statement is the same whatever binding the call came by.
  for (const binding of engine === 'postgres' ? someOf(BINDINGS, 3) : BINDINGS) {
    it(`every operation answers a plain value, and the same again, over ${binding.name}`, async (t) => {
      const { url } = await startService(t, await fresh(t));
      for (const [operation, params, expected] of CALLS) {
        const first = await resultOf(binding, url, operation, params);
        if (typeof expected === 'string') assert.equal(first, expected, operation);
        else assert.match(first, expected, operation);
        if (expected === OBJECT) assert.equal(typeof JSON.parse(first), 'object', operation);
        assert.equal(await resultOf(binding, url, operation, params), first, `${operation}, again`);
      }
      const holder = { ...user, cellphone: PHONE };
      await resultOf(binding, url, 'CreateVerifyCode', holder);
      const code = await resultOf(binding, url, 'CreateVerifyCode', holder);
      assert.match(code, /^[0-9]{6}$/);
      const answer = { ...holder, VerifyCode: code };
      assert.equal(await resultOf(binding, url, 'VerifyCodeForPhone', answer), '');
      assert.match(await resultOf(binding, url, 'VerifyCodeForPhone', answer), /^CodeNotFound: /);
      assert.equal(
        new Set([...CALLS.map(([name]) => name), 'CreateVerifyCode', 'VerifyCodeForPhone']).size,
        20,
      );
    });
  }
});

forEachEngine((_engine, fresh) => {
  it('what is unknown counts 0 and lists nothing', async (t) => {
    const { url } = await startService(t, await fresh(t));
    for (const binding of BINDINGS) {
      const ask = (operation: string, params: Params) => resultOf(binding, url, operation, params);
      const list = async (operation: string, params: Params) =>
        JSON.parse(await ask(operation, params)).items;
      assert.equal(
        await ask('countUserPosted', { tokenId: TOKEN, userId: 'nobody', lastFewDays: '1' }),
        '0',
      );
      assert.equal(
        await ask('countIpPosted', { tokenId: TOKEN, IP: '192.0.2.1', lastFewDays: '1' }),
        '0',
      );
      assert.deepEqual(
        await list('QueryAdvert', { userId: 'nobody', pagesize: '0', pageindex: '0' }),
        [],
      );
      assert.deepEqual(await list('QueryImgData', { linkGuid: 'nothing', ImgIcon: 'false' }), []);
      const mails = { authorizationUserId: TOKEN, receiverEmail: 'nobody@example.com' };
      assert.deepEqual(await list('queryEmailsent', mails), []);
    }
  });

  it('a no is a result, everything else is an error', async (t) => {
    const { url } = await startService(t, await fresh(t));
    for (const binding of BINDINGS) {
      const wrong = { ...user, cellphone: PHONE, VerifyCode: '123456' };
      assert.match(await resultOf(binding, url, 'VerifyCodeForPhone', wrong), /^CodeNotFound: /);
      const text = {
        ...image,
        FileImg: Buffer.from('no image').toString('base64'),
        IsIcons: 'false',
      };
      assert.equal(await resultOf(binding, url, 'InsertArticleImageFile', text), 'false');
      for (const [operation, params, code, status] of [
        ['DeleImgById', { ...image, FileGuid: 'unknown' }, 'NotFound', 404],
        ['UpdateArticleCategory', { ...article, guid: 'unknown' }, 'NotFound', 404],
        ['InsertArticle', { ...article, Status: '0' }, 'MissingParameter', 400],
        ['submitReview', { id: 'x', IsPositive: 'perhaps' }, 'InvalidParameter', 400],
        ['countUserPosted', { tokenId: 'wrong-token', userId: USER }, 'Unauthenticated', 403],
      ] as const) {
        const answer = await binding.call(url, operation, params);
        const expected = binding.name.startsWith('soap') ? 500 : status;
        assert.deepEqual(
          [answer.status, answer.code],
          [expected, code],
          `${operation}: ${answer.body}`,
        );
      }
    }
  });

  it('what .NET proxies cannot leave out is harmless', async (t) => {
    const { url, database } = await startService(t, await fresh(t));
    const store = await database.open();
    const pinnedUntil = async (guid: string) =>
      (
        await store.read((db) =>
          db
            .selectFrom('articles')
            .select('pinned_until')
            .where('guid', '=', guid)
            .executeTakeFirstOrThrow(),
        )
      ).pinned_until;
    const empties = ['0001-01-01T00:00:00', '1900-01-01T00:00:00'];
    for (const binding of BINDINGS) {
      const ask = (operation: string, params: Params) => resultOf(binding, url, operation, params);
      for (const [index, pinnedTopDueDate] of empties.entries()) {
        const guid = `${binding.name} ${index}`;
        await ask('InsertArticle', {
          token: TOKEN,
          guid,
          caption: 'c',
          pinnedTopDueDate,
          Status: '0',
        });
        assert.equal(await pinnedUntil(guid), null);
        const pinned = { token: TOKEN, guid, pinnedTopDueDate: '2099-01-01T00:00:00Z' };
        await ask('UpdatePinnedTopDueDateByGuid', pinned);
        assert.notEqual(await pinnedUntil(guid), null);
        await ask('UpdatePinnedTopDueDateByGuid', { ...pinned, pinnedTopDueDate });
        assert.equal(await pinnedUntil(guid), null);
        await ask('UrltoShortUrl', {
          _orgUrl: 'https://example.org/',
          _deadline: pinnedTopDueDate,
        });
        const advert = { tokenId: TOKEN, guid, title: 't', CreateUserId: 'ada', isImage: 'false' };
        await ask('addNewAdvert', { ...advert, showDeadLine: pinnedTopDueDate });
      }
      const { items, pageIndex, pageSize } = JSON.parse(
        await ask('QueryAdvert', { userId: 'ada', pagesize: '0', pageindex: '0' }),
      );
      assert.deepEqual(
        [pageIndex, pageSize, items[0].showDeadLine, items[0].isCurrent],
        [1, 20, null, true],
      );
    }
  });

  it('what is unknown in a request is ignored', async (t) => {
    const { url } = await startService(t, await fresh(t));
    for (const binding of BINDINGS) {
      const unknown = { nonsense: 'x', constructor: 'y', cate: 'z' };
      const params = { ...unknown, ...article, caption: 'c', Status: '0' };
      assert.equal(await resultOf(binding, url, 'InsertArticle', params), GUID);
    }
  });
});

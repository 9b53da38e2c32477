import assert from 'node:assert/strict';
import { it } from 'node:test';
import { postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import { JSON_BINDING, type Params, TEST_BINDINGS, type TestBinding } from '../kit/bindings.ts';
import { forEachEngine, freshDatabase } from '../kit/database.ts';
import { rates } from '../kit/fixed.ts';
import { startService, TOKEN } from '../kit/service.ts';

const BINDINGS = [...TEST_BINDINGS, JSON_BINDING];

const article = { token: TOKEN, guid: 'g', caption: 'c', Status: '0' };
const advert = { tokenId: TOKEN, title: 't', isImage: 'false' };
const image = { verifyCode: TOKEN, FileGuid: 'f', FileImg: 'AAAA', IsIcons: 'false' };
const mail = { authorizationUserId: TOKEN, receiverEmail: 'grace@example.com', body: 'b' };
const profile = { tokenId: TOKEN, userId: 'ada' };
const review = { id: 'x', userId: 'ada' };

/** Longest texts, in code points, written out from semantics 2. */
const LENGTHS: readonly (readonly [
  operation: string,
  params: Params,
  parameter: string,
  most: number,
])[] = [
  ['InsertArticle', article, 'guid', 64],
  ['InsertArticle', article, 'caption', 200],
  ['InsertArticle', article, 'categoryGuid', 64],
  ['InsertArticle', article, 'contactPhone', 40],
  ['InsertArticle', article, 'CreateUserId', 64],
  ['InsertArticle', article, 'IconGuid', 64],
  ['UpdateOrInsertArticleById', { token: TOKEN, caption: 'c' }, 'Id', 64],
  ['addNewAdvert', advert, 'title', 200],
  ['addNewAdvert', advert, 'linkTxt', 200],
  ['addNewAdvert', advert, 'postAtCategoryGuid', 64],
  ['InsertArticleImageFile', image, 'category', 100],
  ['InsertArticleImageFile', image, 'Link_Guid', 64],
  ['QueryAdvert', { userId: 'ada', pagesize: '0', pageindex: '0' }, 'query', 200],
  ['QueryImgData', { ImgIcon: 'false' }, 'query', 200],
  ['SendEmail', mail, 'receiverName', 100],
  ['SendEmail', mail, 'subject', 255],
  ['updateUserInfo', profile, 'firstName', 100],
  ['updateUserInfo', profile, 'lastName', 100],
  ['updateUserInfo', profile, 'zipCode', 20],
  ['updateUserInfo', profile, 'state', 100],
  ['updateUserInfo', profile, 'city', 100],
  ['updateUserInfo', profile, 'address', 200],
  ['updateUserInfo', profile, 'address2', 200],
  ['submitReview', review, 'Mark', 2_000],
];

/** Longer ones, which no query string holds. */
const LONG: typeof LENGTHS = [
  ['InsertArticle', article, 'content', 2_000_000],
  ['addNewAdvert', advert, 'detail', 20_000],
  ['SendEmail', mail, 'body', 262_144],
];

/** URLs, which are ASCII: a character is one code point and one byte. */
const URLS: typeof LENGTHS = [
  ['InsertArticle', article, 'fromUrl', 2_048],
  ['addNewAdvert', advert, 'linkUrl', 2_048],
  ['UrltoShortUrl', {}, '_orgUrl', 2_048],
];

/** Asserts that a text as long as it may be is taken, and one that is longer by one is refused by its name. */
async function assertLimit(
  binding: TestBinding,
  url: string,
  [operation, params, parameter, most]: (typeof LENGTHS)[number],
  textOf: (length: number) => string,
): Promise<void> {
  const what = `${binding.name}: ${operation}, ${parameter}`;
  const taken = await binding.call(url, operation, { ...params, [parameter]: textOf(most) });
  assert.equal(taken.status, 200, `${what}: ${taken.body.slice(0, 500)}`);
  const refused = await binding.call(url, operation, { ...params, [parameter]: textOf(most + 1) });
  assert.equal(refused.code, 'InvalidParameter', `${what}: ${refused.body.slice(0, 500)}`);
  assert.match(
    refused.body,
    new RegExp(`<parameter>${parameter}<|"parameter":"${parameter}"`),
    what,
  );
}

forEachEngine((_engine, fresh) => {
  it('texts are as long as they may be, and no longer', async (t) => {
    const { url } = await startService(t, await fresh(t), { RATE_LIMITS: 'off' });
    for (const binding of BINDINGS) {
      for (const row of LENGTHS)
        await assertLimit(binding, url, row, (length) => '😀'.repeat(length));
      for (const row of URLS)
        await assertLimit(binding, url, row, (length) => 'http://e.example/'.padEnd(length, 'a'));
      if (binding.name === 'get') continue;
      for (const row of LONG) await assertLimit(binding, url, row, (length) => 'a'.repeat(length));
    }
  });
});

/** A service whose limits are met at once, and tokens for it: of ada, and without the scope of articles. */
async function strictService(t: Parameters<typeof startService>[0]) {
  const database = await freshDatabase('sqlite', t);
  const env = {
    MAX_REQUEST_BYTES: '4096',
    fixed: { linksPerAddress: rates('1/h') },
    POSTS_PER_USER: '1/h',
    MAILS_PER_RECIPIENT: '1/h',
  };
  const { url } = await startService(t, database, env);
  const store = await database.open();
  const scopes = ['articles', 'adverts'] as const;
  const { text: ada } = await issueToken(store, { kind: 'user', scopes, userId: 'ada' }, Date.now);
  const { text: mailer } = await issueToken(store, { kind: 'service', scopes: ['mail'] }, Date.now);
  return { url, store, ada, mailer };
}

it('checks come in their order', async (t) => {
  const { url, store, ada, mailer } = await strictService(t);
  const [soap11] = TEST_BINDINGS;
  const codeOf = async (operation: string, params: Params) =>
    (await soap11!.call(url, operation, params)).code;
  const written = () =>
    store.read(async (db) => [
      await db.selectFrom('articles').selectAll().execute(),
      await db.selectFrom('postings').selectAll().execute(),
      await db.selectFrom('categories').selectAll().execute(),
      await db.selectFrom('mails').selectAll().execute(),
      await db.selectFrom('links').selectAll().execute(),
    ]);
  assert.equal(await codeOf('InsertArticle', article), undefined);
  assert.equal(await codeOf('UrltoShortUrl', { _orgUrl: 'http://one.example/' }), undefined);
  assert.equal(await codeOf('SendEmail', mail), undefined);
  const before = await written();

  const post = async (body: string) =>
    (await postTo(`${url}/WS01.asmx`, body, 'text/xml')).headers['x-error-code'];
  const bad = 'a\u007fb\u0085'.padEnd(65, 'x');
  const wrong = { ...article, categoryGuid: bad };
  assert.equal(await post(`<not-xml${' '.repeat(4096)}`), 'TooLarge', 'size before parse');
  assert.equal(await post('<not-xml'), 'MalformedRequest', 'parse before credential');
  assert.equal(
    await codeOf('InsertArticle', { ...wrong, token: 'wrong-token' }),
    'Unauthenticated',
  );
  assert.equal(
    await codeOf('InsertArticle', { ...wrong, token: mailer }),
    'Forbidden',
    'scope before parameters',
  );
  assert.equal(
    await codeOf('UrltoShortUrl', { _orgUrl: 'nonsense:' }),
    'RateLimited',
    'address before parameters',
  );
  assert.equal(
    await codeOf('InsertArticle', { ...wrong, token: ada }),
    'InvalidParameter',
    'parameters before owner',
  );
  assert.equal(await codeOf('InsertArticle', { ...article, token: ada }), 'AlreadyExists');
  assert.equal(
    await codeOf('SendEmail', { ...mail, subject: 'a\nb', body: 'x' }),
    'InvalidParameter',
  );
  assert.equal(await codeOf('SendEmail', { ...mail, body: 'x' }), 'RateLimited', 'recipient last');
  assert.deepEqual(await written(), before);
});

it('what a type forbids comes before what an operation forbids, in every binding', async (t) => {
  const { url, store } = await strictService(t);
  const link = { _orgUrl: 'http://one.example/' };
  for (const binding of BINDINGS) {
    const refused = async (operation: string, params: Params, parameter: string) => {
      const { code, body } = await binding.call(url, operation, params);
      assert.equal(code, 'InvalidParameter', `${binding.name}: ${body.slice(0, 500)}`);
      assert.match(
        body,
        new RegExp(`<parameter>${parameter}<|"parameter":"${parameter}"`),
        binding.name,
      );
    };
    await refused('InsertArticle', { token: TOKEN, Status: 'none' }, 'Status');
    await refused(
      'InsertArticle',
      { ...article, guid: '', pinnedTopDueDate: 'soon', Status: 'none' },
      'pinnedTopDueDate',
    );
    await refused(
      'InsertArticle',
      { ...article, caption: 'a'.repeat(201), Status: 'none' },
      'caption',
    );
    // The one link that the address may have is used up by the first binding.
    await binding.call(url, 'UrltoShortUrl', link);
    await refused('UrltoShortUrl', { _orgUrl: 'nonsense:', _deadline: 'soon' }, '_deadline');
  }
  const articles = await store.read((db) => db.selectFrom('articles').selectAll().execute());
  assert.deepEqual(articles, []);
});

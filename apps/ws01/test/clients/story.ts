import assert from 'node:assert/strict';
import type { Store } from '../../src/store/store.ts';
import { transparentPng } from '../kit/images/photographs.ts';
import { TOKEN } from '../kit/service.ts';

/** What a parameter is given as; a client writes it in whatever way is its own. */
export type ClientParams = Readonly<Record<string, string | number | boolean>>;

/** Calls an operation by a client. Resolves with the result as the client hands it out; rejects with {@link Refused}. */
export type ClientCall = (operation: string, params: ClientParams) => Promise<unknown>;

/** The service refused, and this is what the client hands out of it. */
export class Refused extends Error {
  /** The code of the typed detail. */
  readonly code: string | undefined;

  /** @param message the fault's text. */
  constructor(code: string | undefined, message: string) {
    super(message);
    this.code = code;
  }
}

/** Text that is hard on every layer. */
const HOSTILE = 'Zwei <b>& mehr</b>, "hell"\n两室一厅, 아파트, 👍🏽 \'ok\' ]]> &amp; é\u00a0.';
const LINE = HOSTILE.replace('\n', ' ');
const LARGE = HOSTILE.repeat(1_500);
const USER = 'DOMAIN\\书店 & <Söhne>';
const LINK = 'https://example.com/?a=1&b=<2>';

/**
 * A story of seventeen operations: what the client sent must be what is stored, what the service answered what the
 * client hands out.
 */
export async function tellStory(call: ClientCall, store: Store): Promise<void> {
  await tellOfArticles(call, store);
  await tellOfUsers(call, store);
  await tellOfAdverts(call);
  await tellOfImages(call);
  await tellOfRefusals(call);
}

async function tellOfArticles(call: ClientCall, store: Store): Promise<void> {
  const token = TOKEN;
  const article = () =>
    store.read((db) =>
      db.selectFrom('articles').selectAll().where('guid', '=', 'a-1').executeTakeFirstOrThrow(),
    );

  const given = {
    caption: LINE,
    content: LARGE,
    categoryGuid: 'c-1',
    pinnedTopDueDate: '0001-01-01T00:00:00',
    CreateUserId: USER,
    Status: -7,
    fromUrl: LINK,
  };
  assert.equal(await call('InsertArticle', { token, guid: 'a-1', ...given }), 'a-1');
  const { caption, content, status, pinned_until, from_url } = await article();
  assert.deepEqual([caption, status, pinned_until, from_url], [LINE, -7, null, LINK]);
  assert.ok(content === LARGE, 'a text of 150 kB arrives as it was sent');

  const pinned = { token, guid: 'a-1', pinnedTopDueDate: '2999-12-31T23:59:58Z' };
  assert.equal(await call('UpdatePinnedTopDueDateByGuid', pinned), 'a-1');
  assert.equal(
    await call('UpdateArticleCategory', { token, guid: 'a-1', cateId: '类 & <2>' }),
    'a-1',
  );
  assert.equal(
    await call('UpdateOrInsertArticleById', { token, Id: 'a-1', content: HOSTILE }),
    'a-1',
  );
  const changed = await article();
  assert.deepEqual(
    [changed.pinned_until, changed.category_key, changed.content, changed.caption],
    [Date.parse('2999-12-31T23:59:58Z'), '类 & <2>', HOSTILE, LINE],
  );
  assert.equal(
    await call('DeleteArticleByGuid', { token, createuserid: USER, guid: 'a-1' }),
    'a-1',
  );
}

async function tellOfUsers(call: ClientCall, store: Store): Promise<void> {
  const tokenId = TOKEN;
  assert.equal(
    await call('updateUserInfo', { tokenId, userId: USER, firstName: LINE, zipCode: '007' }),
    USER,
  );
  const phone = '+86 138 0013 8000';
  assert.equal(
    await call('updateUserCellphone', { tokenId, userId: USER, cellPhone: phone }),
    USER,
  );
  const user = await store.read((db) =>
    db.selectFrom('users').selectAll().where('id', '=', USER).executeTakeFirstOrThrow(),
  );
  assert.deepEqual(
    [user.first_name, user.zip_code, user.cell_phone],
    [LINE, '007', '+8613800138000'],
  );

  const code = await call('CreateVerifyCode', { tokenId, userId: USER, cellphone: phone });
  assert.match(String(code), /^\d{6}$/);
  const answer = { tokenId, userId: USER, VerifyCode: String(code), cellphone: phone };
  // An empty element is an empty text to some clients and nothing to others.
  assert.equal((await call('VerifyCodeForPhone', answer)) ?? '', '');
  assert.match(String(await call('VerifyCodeForPhone', answer)), /^CodeNotFound: /);
}

async function tellOfAdverts(call: ClientCall): Promise<void> {
  const tokenId = TOKEN;
  const advert = {
    guid: 'ad-1',
    CreateUserId: USER,
    title: '出租 "Flat"',
    detail: HOSTILE,
    linkUrl: 'https://example.com/?a=1&b=2',
    isImage: false,
  };
  assert.equal(await call('addNewAdvert', { tokenId, ...advert }), 'ad-1');
  const list = await call('QueryAdvert', {
    userId: USER,
    query: '室一',
    pagesize: 5,
    pageindex: 1,
  });
  const { total, items } = JSON.parse(String(list));
  assert.equal(total, 1);
  const [{ title, detail, createUserId }] = items;
  assert.deepEqual([title, detail, createUserId], [advert.title, HOSTILE, USER]);

  const review = await call('submitReview', {
    id: 'ad-1',
    IsPositive: '+',
    Mark: HOSTILE,
    userId: 'reader',
  });
  assert.deepEqual(JSON.parse(String(review)).yours, { isPositive: true, mark: HOSTILE });

  const link = {
    _userId: USER,
    _orgUrl: 'https://example.com/?a=1&b=2',
    _deadline: '2999-12-31T00:00:00Z',
  };
  assert.match(String(await call('UrltoShortUrl', link)), /^http:\/\/.*\/s\/\w{7}$/);

  assert.equal(
    await call('countUserPosted', { tokenId, userId: USER, lastFewDays: '1', level: '' }),
    '2',
  );
  const byAddress = await call('countIpPosted', {
    tokenId,
    IP: '127.0.0.1',
    lastFewDays: '0',
    level: 'review',
  });
  assert.equal(byAddress, '1');
}

async function tellOfImages(call: ClientCall): Promise<void> {
  const verifyCode = TOKEN;
  const FileImg = (await transparentPng()).toString('base64');
  const image = { FileGuid: 'i-1', FileImg, Link_Guid: 'ad-1', category: LINE, IsIcons: true };
  assert.equal(String(await call('InsertArticleImageFile', { verifyCode, ...image })), 'true');
  const list = await call('QueryImgData', {
    linkGuid: 'ad-1',
    ImgIcon: true,
    pageindex: '',
    pagesize: '',
  });
  const { total, items } = JSON.parse(String(list));
  assert.deepEqual([total, items[0].category, items[0].contentType], [1, LINE, 'image/png']);
  const noPicture = { FileGuid: 'i-2', FileImg: 'aGVsbG8=', Link_Guid: '', IsIcons: false };
  assert.equal(String(await call('InsertArticleImageFile', { verifyCode, ...noPicture })), 'false');
  assert.equal(
    await call('DeleImgById', { verifyCode, FileGuid: 'i-1', Link_Guid: 'ad-1' }),
    'i-1',
  );
}

/** A fault reaches the client with its text and its typed detail. */
async function tellOfRefusals(call: ClientCall): Promise<void> {
  for (const [operation, params, code, message] of [
    [
      'UpdateArticleCategory',
      { token: 'unknown', guid: 'a-1', cateId: 'c' },
      'Unauthenticated',
      /token/,
    ],
    ['addNewAdvert', { tokenId: TOKEN, guid: 'ad-2', isImage: false }, 'MissingParameter', /title/],
  ] as const) {
    await assert.rejects(call(operation, params), (error) => {
      assert.ok(error instanceof Refused, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    });
  }
}

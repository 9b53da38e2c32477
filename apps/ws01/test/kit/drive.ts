import assert from 'node:assert/strict';
import { WS01 } from '../../src/contract/service.ts';
import { type Params, TEST_BINDINGS } from './bindings.ts';
import { blackPng } from './images/containers.ts';
import { TOKEN } from './service.ts';

const [soap11] = TEST_BINDINGS;

type Call = readonly [operation: string, params: Params, code?: string];

const owner = { CreateUserId: 'ada' };
const phone = { tokenId: TOKEN, userId: 'ada', cellphone: '+12125550100' };
const picture = (side: number) => blackPng(side, side).toString('base64');

/** Each operation: created, changed, repeated, listed in each way that has a statement of its own, refused, removed. */
const CALLS: readonly Call[] = [
  ['updateUserInfo', { tokenId: TOKEN, userId: 'ada', firstName: 'Ada' }],
  ['updateUserInfo', { tokenId: TOKEN, userId: 'ada', firstName: 'Ada', city: 'London' }],
  ['updateUserCellphone', { tokenId: TOKEN, userId: 'ada', cellPhone: '+12125550100' }],
  [
    'InsertArticle',
    { token: TOKEN, guid: 'a', caption: 'one', content: 'two', categoryGuid: 'c', ...owner },
  ],
  [
    'InsertArticle',
    { token: TOKEN, guid: 'a', caption: 'one', content: 'two', categoryGuid: 'c', ...owner },
  ],
  [
    'InsertArticle',
    { token: TOKEN, guid: 'a', caption: 'other', content: 'two', categoryGuid: 'd', ...owner },
  ],
  ['UpdateOrInsertArticleById', { token: TOKEN, Id: 'a', caption: 'third' }],
  ['UpdateOrInsertArticleById', { token: TOKEN, Id: 'b', caption: 'new', nodeId: 'c' }],
  [
    'UpdatePinnedTopDueDateByGuid',
    { token: TOKEN, guid: 'a', pinnedTopDueDate: '2030-01-31T00:00:00Z' },
  ],
  ['UpdateArticleCategory', { token: TOKEN, guid: 'a', cateId: 'jobs' }],
  ['addNewAdvert', { tokenId: TOKEN, guid: 'ad', title: 'sale', ...owner }],
  ['addNewAdvert', { tokenId: TOKEN, guid: 'ad', title: 'sale', ...owner }],
  ['addNewAdvert', { tokenId: TOKEN, title: 'no key', ...owner }],
  ['addNewAdvert', { tokenId: TOKEN, title: 'no key', ...owner }],
  [
    'InsertArticleImageFile',
    { verifyCode: TOKEN, FileGuid: 'i', FileImg: picture(8), Link_Guid: 'a', IsIcons: 'true' },
  ],
  [
    'InsertArticleImageFile',
    { verifyCode: TOKEN, FileGuid: 'i', FileImg: picture(9), Link_Guid: 'ad', category: 'x' },
  ],
  ['InsertArticleImageFile', { verifyCode: TOKEN, FileGuid: 'j', FileImg: picture(9) }],
  ['InsertArticle', { token: TOKEN, guid: 'a', caption: 'with an image', IconGuid: 'i', ...owner }],
  ...['created', 'title', 'deadline', 'category'].flatMap((orderBy) =>
    ['', 'sale'].map(
      (query): Call => [
        'QueryAdvert',
        { userId: 'ada', query, orderBy, sort: 'asc', pageindex: '1' },
      ],
    ),
  ),
  ...['', 'created asc', 'size', 'category'].flatMap((orderBy) =>
    (
      [{}, { query: 'x' }, { linkGuid: 'ad' }, { nodeId: 'x' }, { ImgIcon: 'true' }] as Params[]
    ).map((filter): Call => ['QueryImgData', { orderBy, ...filter }]),
  ),
  ...['all', 'article', 'advert', 'image', 'review'].flatMap((level): Call[] => [
    ['countUserPosted', { tokenId: TOKEN, userId: 'ada', level, lastFewDays: '7' }],
    ['countIpPosted', { tokenId: TOKEN, IP: '127.0.0.1', level }],
  ]),
  ['submitReview', { id: 'a', IsPositive: 'true', Mark: '4', userId: 'u-1' }],
  ['submitReview', { id: 'a', IsPositive: 'false', Mark: '5', userId: 'u-1' }],
  ['submitReview', { id: 'a', Mark: 'good' }],
  ['UrltoShortUrl', { _orgUrl: 'https://example.com/long', _userId: 'ada' }],
  ['UrltoShortUrl', { _orgUrl: 'https://example.com/long', _userId: 'ada' }],
  [
    'SendEmail',
    { authorizationUserId: TOKEN, receiverEmail: 'a@example.com', subject: 's', body: 'b' },
  ],
  [
    'SendEmail',
    { authorizationUserId: TOKEN, receiverEmail: 'a@example.com', subject: 's', body: 'b' },
  ],
  ['queryEmailsent', { authorizationUserId: TOKEN }],
  ['queryEmailsent', { authorizationUserId: TOKEN, receiverEmail: 'a@example.com' }],
  ['VerifyCodeForPhone', { ...phone, VerifyCode: '000000' }],
  ['DeleImgById', { verifyCode: TOKEN, FileGuid: 'j' }],
  ['DeleteArticleByGuid', { token: TOKEN, guid: 'b' }],
  ['InsertArticle', { token: TOKEN, guid: 'b', caption: 'back again' }],
  ['DeleteArticleByGuid', { token: TOKEN, guid: 'a' }],
  ['DeleteArticleByGuid', { token: TOKEN, guid: 'never' }, 'NotFound'],
  ['InsertArticle', { token: 'no such token', guid: 'x', caption: 'x' }, 'Unauthenticated'],
];

/** Calls every operation of the contract over a service's listener, in the ways that have statements of their own. */
export async function drive(url: string): Promise<void> {
  const called = new Set<string>();
  const call = async ([operation, params, code]: Call) => {
    called.add(operation);
    const answer = await soap11!.call(url, operation, params);
    assert.equal(answer.code, code, `${operation} ${JSON.stringify(params)}: ${answer.body}`);
    return answer.result;
  };
  for (const one of CALLS) await call(one);
  const code = await call(['CreateVerifyCode', phone]);
  await call(['VerifyCodeForPhone', { ...phone, VerifyCode: code }]);
  await fetch(`${url}/readyz`);
  assert.deepEqual([...called].toSorted(), WS01.operations.map(({ name }) => name).toSorted());
}

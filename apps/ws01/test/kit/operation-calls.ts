import type { Params } from './bindings.ts';
import { blackPng } from './images/containers.ts';
import { TOKEN } from './names.ts';

/** A number of the film industry for each call. */
const phone = (n: number) => ({
  tokenId: TOKEN,
  userId: 'ada',
  cellphone: `+121255501${String(n % 100).padStart(2, '0')}`,
});

/** A call of each operation on an article that was inserted with the same number; `n` makes it another one each time. */
export const OPERATION_CALLS: Readonly<Record<string, (n: number) => Params>> = {
  InsertArticle: (n) => ({
    token: TOKEN,
    guid: `a-${n}`,
    caption: 'c',
    content: 'x',
    CreateUserId: 'ada',
  }),
  UpdateOrInsertArticleById: (n) => ({ token: TOKEN, Id: `a-${n}`, caption: `c ${n}` }),
  UpdatePinnedTopDueDateByGuid: (n) => ({
    token: TOKEN,
    guid: `a-${n}`,
    pinnedTopDueDate: '2030-01-01T00:00:00Z',
  }),
  UpdateArticleCategory: (n) => ({ token: TOKEN, guid: `a-${n}`, cateId: `c-${n % 100}` }),
  DeleteArticleByGuid: (n) => ({ token: TOKEN, guid: `a-${n}` }),
  addNewAdvert: (n) => ({ tokenId: TOKEN, title: `t ${n}`, CreateUserId: 'ada' }),
  QueryAdvert: () => ({ userId: 'ada' }),
  InsertArticleImageFile: (n) => ({
    verifyCode: TOKEN,
    FileGuid: `i-${n}`,
    FileImg: blackPng(8 + (n % 512), 8 + Math.floor(n / 512)).toString('base64'),
  }),
  // Of a full page the total is asked for by itself.
  QueryImgData: () => ({ pagesize: '100' }),
  DeleImgById: (n) => ({ verifyCode: TOKEN, FileGuid: `i-${n}` }),
  countUserPosted: () => ({ tokenId: TOKEN, userId: 'ada' }),
  countIpPosted: () => ({ tokenId: TOKEN, IP: '203.0.113.7' }),
  submitReview: (n) => ({ id: 'a-1', userId: `u-${n}`, Mark: '4' }),
  UrltoShortUrl: (n) => ({ _orgUrl: `https://example.com/${n}` }),
  // So many mails to one address are refused.
  SendEmail: (n) => ({
    authorizationUserId: TOKEN,
    receiverEmail: `a-${n % 100}@example.com`,
    subject: `s ${n}`,
    body: 'b',
  }),
  queryEmailsent: () => ({ authorizationUserId: TOKEN }),
  updateUserInfo: (n) => ({ tokenId: TOKEN, userId: 'ada', firstName: `Ada ${n}` }),
  updateUserCellphone: (n) => ({
    tokenId: TOKEN,
    userId: 'ada',
    cellPhone: phone(n).cellphone,
  }),
  CreateVerifyCode: phone,
  // A code may be answered five times.
  VerifyCodeForPhone: (n) => ({ ...phone(Math.ceil(n / 5)), VerifyCode: '000000' }),
};

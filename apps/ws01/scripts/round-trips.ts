/** Prints how often each operation waits for PostgreSQL: the fewest of five calls, read from the connection itself. */
import type { TestContext } from 'node:test';
import { type Params, TEST_BINDINGS } from '../test/kit/bindings.ts';
import { freshDatabase } from '../test/kit/database.ts';
import { blackPng } from '../test/kit/images/containers.ts';
import { startService, TOKEN } from '../test/kit/service.ts';
import { listenToPostgres } from '../test/kit/wire-statements.ts';

const phone = { tokenId: TOKEN, userId: 'ada', cellphone: '+12125550100' };

/** A call of each operation; `n` makes it another one each time. */
const CALLS: Readonly<Record<string, (n: number) => Params>> = {
  InsertArticle: (n) => ({ token: TOKEN, guid: `a-${n}`, caption: 'c', content: 'x', CreateUserId: 'ada' }),
  UpdateOrInsertArticleById: (n) => ({ token: TOKEN, Id: 'a-1', caption: `c ${n}` }),
  UpdatePinnedTopDueDateByGuid: (n) => ({ token: TOKEN, guid: 'a-1', pinnedTopDueDate: `2030-01-0${n}T00:00:00Z` }),
  UpdateArticleCategory: (n) => ({ token: TOKEN, guid: 'a-1', cateId: `c-${n}` }),
  DeleteArticleByGuid: (n) => ({ token: TOKEN, guid: `a-${n}` }),
  addNewAdvert: (n) => ({ tokenId: TOKEN, title: `t ${n}`, CreateUserId: 'ada' }),
  QueryAdvert: () => ({ userId: 'ada' }),
  InsertArticleImageFile: (n) => ({
    verifyCode: TOKEN,
    FileGuid: `i-${n}`,
    FileImg: blackPng(8, 8 + n).toString('base64'),
  }),
  QueryImgData: () => ({}),
  DeleImgById: (n) => ({ verifyCode: TOKEN, FileGuid: `i-${n}` }),
  countUserPosted: () => ({ tokenId: TOKEN, userId: 'ada' }),
  countIpPosted: () => ({ tokenId: TOKEN, IP: '203.0.113.7' }),
  submitReview: (n) => ({ id: 'a-1', userId: `u-${n}`, Mark: '4' }),
  UrltoShortUrl: (n) => ({ _orgUrl: `https://example.com/${n}` }),
  SendEmail: (n) => ({ authorizationUserId: TOKEN, receiverEmail: 'a@example.com', subject: `s ${n}`, body: 'b' }),
  queryEmailsent: () => ({ authorizationUserId: TOKEN }),
  updateUserInfo: (n) => ({ tokenId: TOKEN, userId: 'ada', firstName: `Ada ${n}` }),
  updateUserCellphone: (n) => ({ tokenId: TOKEN, userId: 'ada', cellPhone: `+1212555010${n}` }),
  CreateVerifyCode: () => phone,
  VerifyCodeForPhone: () => ({ ...phone, VerifyCode: '000000' }),
};

const after: (() => unknown)[] = [];
const scope = { after: (end: () => unknown) => after.push(end) } as unknown as TestContext;
const database = await freshDatabase('postgres', scope);
const url = new URL(database.databaseUrl!);
const wire = await listenToPostgres(scope, Number(url.port));
url.port = String(wire.port);
const service = await startService(scope, { ...database, databaseUrl: url.href });
const [soap11] = TEST_BINDINGS;
for (const [operation, params] of Object.entries(CALLS)) {
  const trips: number[] = [];
  for (let n = 1; n <= 5; n++) {
    const before = wire.roundTrips;
    const { code, body } = await soap11!.call(service.url, operation, params(n));
    if (code !== undefined) throw new Error(`${operation}: ${body}`);
    trips.push(wire.roundTrips - before);
  }
  process.stdout.write(`${operation.padEnd(30)} ${Math.min(...trips)}\n`);
}
process.exit(0);

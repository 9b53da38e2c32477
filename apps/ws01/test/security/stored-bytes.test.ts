import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import { registerUsers } from '../../src/domain/users/users.ts';
import { parseRates } from '../../src/domain/values/rate.ts';
import {
  type CallAnswer,
  JSON_BINDING,
  type Params,
  TEST_BINDINGS,
  type TestBinding,
} from '../kit/bindings.ts';
import { type FreshDatabase, forBothEngines } from '../kit/database.ts';
import { rates, type ServiceEnv } from '../kit/fixed.ts';
import { blackPng } from '../kit/images/containers.ts';
import { ADA, OperationDesk } from '../kit/operation-desk.ts';
import { startService, TOKEN } from '../kit/service.ts';

const BINDINGS = [...TEST_BINDINGS, JSON_BINDING];
const SCOPES = ['articles', 'adverts', 'users', 'images', 'mail'] as const;

/** A service with two members. */
async function site(t: TestContext, fresh: FreshDatabase, env: ServiceEnv) {
  const { url, database } = await startService(t, await fresh(t), env);
  const store = await database.open();
  const tokenOf = async (userId: string) =>
    (await issueToken(store, { kind: 'user', scopes: [...SCOPES], userId }, Date.now)).text;
  const call = (operation: string, params: Params, binding: TestBinding = JSON_BINDING) =>
    binding.call(url, operation, params);
  return { call, store, ada: await tokenOf('ada'), bob: await tokenOf('bob') };
}

/** Sees that a call was refused as one over its budget, with the time to wait. */
function assertOver({ status, code, headers, message = '' }: CallAnswer, words: RegExp): void {
  assert.deepEqual([status === 429 || status === 500, code], [true, 'RateLimited'], message);
  assert.ok(Number(headers['retry-after']) > 0);
  assert.match(message, words);
}

const OF_USER = /^Too many bytes of texts of one user: 20000 in 86400 seconds/;

forBothEngines((_engine, fresh) => {
  it('a member stores so many bytes of texts, by whichever operation and binding', async (t) => {
    const { call, ada, bob } = await site(t, fresh, {
      fixed: { textBytesPerUser: rates('20000/day') },
    });
    const article = (guid: string, content: string, token = ada) =>
      ({ token, guid, caption: 'c', content, Status: '0', pinnedTopDueDate: '' }) as const;
    // Three bytes each, and a kilobyte for the entry in the trail.
    assert.equal((await call('InsertArticle', article('a', '中'.repeat(2_000)))).result, 'a');
    const advert = { tokenId: ada, title: 't', detail: 'd'.repeat(7_000), isImage: 'false' };
    assert.equal((await call('addNewAdvert', { ...advert, guid: 'v' })).status, 200);
    const smaller = await call('InsertArticle', article('a', 'x'.repeat(1_000)));
    assert.equal(smaller.result, 'a', 'a shorter text adds none');
    const larger = await call('InsertArticle', article('a', 'y'.repeat(6_000)));
    assert.equal(larger.result, 'a', 'the last may exceed what is left');
    for (const binding of BINDINGS) {
      const refused = async (operation: string, params: Params) =>
        assertOver(await call(operation, params, binding), OF_USER);
      await refused('InsertArticle', article(`x ${binding.name}`, 'one more'));
      await refused('InsertArticle', article('a', 'another'));
      await refused('UpdateOrInsertArticleById', { token: ada, Id: 'a', content: 'another' });
      await refused('addNewAdvert', { ...advert, guid: `x ${binding.name}` });
      await refused('UpdateArticleCategory', { token: ada, guid: 'a', cateId: 'other' });
      const repeat = await call('InsertArticle', article('a', 'y'.repeat(6_000)), binding);
      assert.equal(repeat.result, 'a', 'a repeat is answered');
    }
    const pin = { token: ada, guid: 'a', pinnedTopDueDate: '2099-01-01T00:00:00Z' };
    assertOver(await call('UpdatePinnedTopDueDateByGuid', pin), OF_USER);
    assert.equal((await call('InsertArticle', article('b', 'z', bob))).result, 'b');
    const profile = { userId: 'bob', address: 'w'.repeat(200), address2: 'w'.repeat(200) };
    for (let i = 0; i < 13; i++) {
      const { status } = await call('updateUserInfo', {
        ...profile,
        tokenId: bob,
        city: `${i}`,
      });
      assert.equal(status, 200, `${i}`);
    }
    // Ada can still delete.
    const gone = await call('DeleteArticleByGuid', { token: ada, createuserid: '', guid: 'a' });
    assert.equal(gone.result, 'a');
    for (let i = 0; i < 30; i++) {
      const byService = await call('InsertArticle', article(`s${i}`, 'x'.repeat(2_000), TOKEN));
      assert.equal(byService.status, 200, 'service tokens have no such budget');
    }
  });

  it('who changes a profile again and again fills no audit trail', async (t) => {
    const { call, ada } = await site(t, fresh, { fixed: { textBytesPerUser: rates('20000/day') } });
    const change = (address: string) =>
      call('updateUserInfo', { tokenId: ada, userId: 'ada', address });
    await call('InsertArticle', { token: ada, guid: 'a', caption: 'c', Status: '0' });
    await call('updateUserCellphone', {
      tokenId: TOKEN,
      userId: 'ada',
      cellPhone: '+491711234567',
    });
    let made = 0;
    while ((await change(`${made}`.padEnd(200, '中'))).status === 200) made++;
    assert.ok(made > 10 && made < 20, `${made}`);
    assertOver(await change('other'), OF_USER);
    const number = { tokenId: ada, userId: 'ada', cellPhone: '' };
    assertOver(await call('updateUserCellphone', number), OF_USER);
  });

  it('a member stores so many bytes of images, replaced ones too', async (t) => {
    const files = [8, 9, 10, 11].map((size) => blackPng(size, size));
    const [one, two, three, four] = files.map((file) => file.toString('base64'));
    const limit = files[0]!.length + files[1]!.length + 1;
    const { call, ada, bob } = await site(t, fresh, {
      fixed: { imageBytesPerUser: rates(`${limit}/day`) },
    });
    const upload = (FileGuid: string, FileImg: string | undefined, verifyCode = ada) =>
      call('InsertArticleImageFile', { verifyCode, FileGuid, FileImg, IsIcons: 'false' });
    assert.equal((await upload('a', one)).result, 'true');
    assert.equal((await upload('a', one)).result, 'true');
    assert.equal((await upload('a', two)).result, 'true');
    assert.equal((await upload('b', three)).result, 'true', 'the last may exceed what is left');
    for (const key of ['a', 'c'])
      assertOver(await upload(key, four), /^Too many bytes of images of one user: /);
    assert.equal((await upload('b', three)).result, 'true', 'a repeat is answered');
    assert.equal((await upload('c', four, bob)).result, 'true');
  });

  it('a member’s mails are counted with the other texts', async (t) => {
    const { call, store, ada } = await site(t, fresh, {
      fixed: { textBytesPerUser: rates('20000/day') },
    });
    await registerUsers(store, [{ id: 'ada', email: 'ada@example.com' }], Date.now);
    const mail = (subject: string, authorizationUserId = ada) =>
      call('SendEmail', {
        authorizationUserId,
        receiverName: 'C',
        receiverEmail: `${subject}@example.invalid`,
        subject,
        body: subject.padEnd(9_000, ' m'),
      });
    for (const subject of ['one', 'two']) assert.equal((await mail(subject)).status, 200);
    const { result } = await mail('one');
    assert.ok(result, 'a repeat is answered');
    assertOver(await mail('three'), OF_USER);
    assert.equal((await mail('three', TOKEN)).status, 200);
  });

  it('an address stores so many bytes of reviews and links', async (t) => {
    const fixed = { textBytesPerAddress: parseRates('1000/h')! };
    const { call } = await site(t, fresh, { fixed });
    const review = (id: string, length: number) =>
      call('submitReview', { id, IsPositive: 'true', Mark: 'm'.repeat(length), userId: 'u' });
    assert.equal((await review('a', 600)).status, 200);
    for (let i = 0; i < 5; i++) assert.equal((await review('a', 600)).status, 200, 'repeats');
    assert.equal((await review('b', 2_001)).code, 'InvalidParameter', 'refused ones cost nothing');
    assert.equal((await review('b', 600)).status, 200);
    for (const binding of BINDINGS) {
      const words = /^Too many bytes of texts from one address: 1000 in 3600 seconds/;
      const link = { _orgUrl: 'http://example.com/more' };
      assertOver(await call('UrltoShortUrl', link, binding), words);
      const again = { id: 'c', IsPositive: '', Mark: 'more', userId: 'u' };
      assertOver(await call('submitReview', again, binding), words);
    }
    assert.equal((await review('b', 600)).status, 200, 'a repeat is answered');
    const vote = await call('submitReview', { id: 'c', IsPositive: 'true', Mark: '', userId: 'u' });
    assert.equal(vote.status, 200, 'a vote stores no text');
  });

  it('of 100 articles at once on two nodes no more are stored than the bytes allow, but for one', async (t) => {
    const database = await fresh(t);
    const rates = { textBytesPerUser: [{ limit: 50_000, window: DAY_MS }] };
    const nodes = [
      new OperationDesk(await database.open(), { rates }),
      new OperationDesk(await database.open(), { rates }),
    ];
    const content = 'x'.repeat(3_998 - 1_024);
    const calls = Array.from({ length: 100 }, (_, index) =>
      nodes[index % 2]!.call('InsertArticle', { guid: `${index}`, caption: 'c', content }, ADA),
    );
    const outcomes = await Promise.allSettled(calls);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 13);
  });
});

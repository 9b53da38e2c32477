import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { JSON_BINDING, type Params, TEST_BINDINGS } from '../kit/bindings.ts';
import { type CuttingProxy, startCuttingProxy } from '../kit/cutting-proxy.ts';
import { freshDatabase } from '../kit/database.ts';
import { operatorOf } from '../kit/operator.ts';
import { startService, TOKEN } from '../kit/service.ts';

const PHONE = '+12125550100';

interface Bench {
  readonly url: string;
  readonly proxy: CuttingProxy;
  readonly count: (sql: string) => Promise<number>;
}

/** The service with a proxy between it and PostgreSQL. */
async function openBench(t: TestContext): Promise<Bench> {
  const database = await freshDatabase('postgres', t);
  const url = new URL(database.databaseUrl!);
  const client = await operatorOf(t, url.href);
  const proxy = await startCuttingProxy(t, Number(url.port));
  url.port = String(proxy.port);
  const service = await startService(
    t,
    { ...database, databaseUrl: url.href },
    { impatient: true },
  );
  const count = async (sql: string) =>
    Number((await client.query(`select count(*) as n ${sql}`)).rows[0].n);
  return { url: service.url, proxy, count };
}

/** Operations whose effect is new with each call, or that have one effect alone; each repeat is byte for byte the same. */
interface Effect {
  readonly operation: string;
  readonly params: Params;
  /** Sent in the transaction of the effect and in no other. */
  readonly sentence: string;
  readonly counted: string;
}

const EFFECTS: readonly Effect[] = [
  {
    operation: 'InsertArticle',
    params: { token: TOKEN, guid: 'once', caption: 'once', CreateUserId: 'u' },
    sentence: 'insert into "articles"',
    counted: `from audit where action = 'article.create'`,
  },
  {
    operation: 'addNewAdvert',
    params: { tokenId: TOKEN, CreateUserId: 'u', title: 'without a key' },
    sentence: 'insert into "adverts"',
    counted: `from adverts where title = 'without a key'`,
  },
  {
    operation: 'SendEmail',
    params: {
      authorizationUserId: TOKEN,
      receiverEmail: 'a@example.com',
      subject: 'once',
      body: 'b',
    },
    sentence: 'insert into "mails"',
    counted: `from mails where subject = 'once'`,
  },
];

describe('a commit that got no reply', () => {
  for (const { operation, params, sentence, counted } of EFFECTS) {
    for (const forwarded of [true, false]) {
      it(`${operation} is told so, and the same call again does it once: ${forwarded ? 'was' : 'was not'} carried out`, async (t) => {
        const { url, proxy, count } = await openBench(t);
        const cut = proxy.cutCommitOf(sentence, forwarded);
        const first = await JSON_BINDING.call(url, operation, params);
        await cut;
        assert.deepEqual(
          [first.status, first.code, first.headers['retry-after']],
          [503, 'StorageUnavailable', '5'],
          first.body,
        );
        assert.match(first.body, /not known whether this was done; send the same again/);
        assert.equal(await count(counted), forwarded ? 1 : 0);
        const again = await JSON_BINDING.call(url, operation, params);
        assert.equal(again.status, 200, again.body);
        assert.equal(await count(counted), 1);
      });
    }
  }

  it('VerifyCodeForPhone finds what it came to, for the same caller and code; another code is still wrong', async (t) => {
    const { url, proxy, count } = await openBench(t);
    const create = { tokenId: TOKEN, userId: 'ada', cellphone: PHONE };
    for (const forwarded of [true, false]) {
      const made = await JSON_BINDING.call(url, 'CreateVerifyCode', create);
      const code = made.result!;
      const cut = proxy.cutCommitOf('delete from "phone_codes"', forwarded);
      const first = await JSON_BINDING.call(url, 'VerifyCodeForPhone', {
        ...create,
        VerifyCode: code,
      });
      await cut;
      assert.match(first.body, /not known whether this was done/);
      const other = code === '000000' ? '000001' : '000000';
      const guess = await JSON_BINDING.call(url, 'VerifyCodeForPhone', {
        ...create,
        VerifyCode: other,
      });
      assert.match(guess.result!, forwarded ? /^CodeNotFound/ : /^CodeWrong/);
      const again = await JSON_BINDING.call(url, 'VerifyCodeForPhone', {
        ...create,
        VerifyCode: code,
      });
      assert.deepEqual([again.status, again.result], [200, ''], again.body);
      const third = await JSON_BINDING.call(url, 'VerifyCodeForPhone', {
        ...create,
        VerifyCode: code,
      });
      assert.match(third.result!, /^CodeNotFound/);
    }
    assert.equal(await count(`from audit where action = 'code.verify'`), 2);

    const last = await JSON_BINDING.call(url, 'CreateVerifyCode', create);
    const cut = proxy.cutCommitOf('delete from "used_codes"', false);
    const told = await JSON_BINDING.call(url, 'VerifyCodeForPhone', {
      ...create,
      VerifyCode: last.result!,
    });
    await cut;
    assert.deepEqual([told.status, told.result], [200, '']);
    // What stands there would let another process find the same answer right once more.
    await until(async () => (await count('from used_codes')) === 0);
  });

  it('says so in every binding', async (t) => {
    const { url, proxy } = await openBench(t);
    for (const binding of TEST_BINDINGS) {
      const cut = proxy.cutCommitOf(`by ${binding.name}`, true);
      const params = { token: TOKEN, guid: binding.name, caption: `by ${binding.name}` };
      const { code, message } = await binding.call(url, 'InsertArticle', params);
      await cut;
      assert.deepEqual(
        [code, /not known whether/.test(message ?? '')],
        ['StorageUnavailable', true],
        binding.name,
      );
    }
  });
});

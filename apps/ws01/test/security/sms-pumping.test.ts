import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import {
  type FreshDatabase,
  forEachEngine,
  freshDatabase,
  type TestDatabase,
} from '../kit/database.ts';
import { rates, type ServiceEnv } from '../kit/fixed.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { auditOf } from '../kit/rows.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { SMS_SECRET } from '../kit/sms.ts';

/** Bounds that a test says nothing of are not in its way. */
const WIDE = {
  fixed: {
    smsPerPhone: rates('1000/h'),
    smsPerPrefix: rates('1000/h'),
    smsPerCountry: rates('1000/h'),
    smsPerUser: rates('1000/h'),
    smsPerToken: rates('1000/h'),
  },
  SMS_PER_DAY: '1000/day',
};

interface Site {
  readonly database: TestDatabase;
  /** Asks for a message; the code of the error, or `sent`. */
  ask(cellphone: string, tokenId?: string, userId?: string): Promise<string>;
  /** Asks for messages to numbers in turn; how many were taken. */
  taken(numbers: readonly string[], tokenId?: string, userId?: string): Promise<number>;
  userToken(userId: string): Promise<string>;
}

async function openSite(
  t: TestContext,
  fresh: FreshDatabase,
  { fixed, ...env }: ServiceEnv,
): Promise<Site> {
  const database = await fresh(t);
  const { url: gateway } = await startHttpGateway(t);
  const { url } = await startService(t, database, {
    SMS_URL: gateway,
    SMS_SECRET,
    ...WIDE,
    ...env,
    fixed: { ...WIDE.fixed, ...fixed },
  });
  const ask: Site['ask'] = async (cellphone, tokenId = TOKEN, userId = 'ada') => {
    const answer = await TEST_BINDINGS[0]!.call(url, 'CreateVerifyCode', {
      tokenId,
      userId,
      cellphone,
    });
    if (answer.code === 'RateLimited') assert.ok(Number(answer.headers['retry-after']) > 0);
    return answer.code ?? (answer.result === undefined ? answer.body : 'sent');
  };
  return {
    database,
    ask,
    async taken(numbers, tokenId, userId) {
      let count = 0;
      for (const number of numbers) {
        const said = await ask(number, tokenId, userId);
        assert.ok(said === 'sent' || said === 'RateLimited', said);
        if (said === 'sent') count++;
      }
      return count;
    },
    async userToken(userId) {
      const store = await database.open();
      return (await issueToken(store, { kind: 'user', scopes: ['phone'], userId }, Date.now)).text;
    },
  };
}

/** Numbers of many blocks of one country. */
function numbers(count: number, first = '+447911'): string[] {
  return Array.from(
    { length: count },
    (_, index) => `${first}${String(index).padStart(2, '0')}${4_000 + index}`,
  );
}

forEachEngine((_engine, fresh) => {
  it('one user has so many messages sent and no more, whatever the numbers; another has his own', async (t) => {
    const site = await openSite(t, fresh, { fixed: { smsPerUser: rates('3/h') } });
    const [ada, bob] = [await site.userToken('ada'), await site.userToken('bob')];
    assert.equal(await site.taken(numbers(6), ada, 'ada'), 3);
    assert.equal(await site.ask('+12125550100', ada, 'ada'), 'RateLimited');
    assert.equal(await site.ask('+12125550100', bob, 'bob'), 'sent');
    assert.equal(await site.ask('+12125550101'), 'sent');
  });

  it('a race for the last messages is won by so many as there are', async (t) => {
    const site = await openSite(t, fresh, { SMS_PER_DAY: '5/day' });
    const said = await Promise.all(numbers(20).map((number) => site.ask(number)));
    assert.equal(said.filter((one) => one === 'sent').length, 5);
  });

  it('the operator’s switch holds at once, is told by status and audit, and ends', async (t) => {
    const site = await openSite(t, fresh, {});
    const off = await ws01(site.database, ['sms', 'off']);
    assert.deepEqual([off.code, off.stderr], [0, '']);
    assert.match(off.stdout, /^Text messages are off: /);
    assert.equal(await site.ask('+447911004000'), 'SmsUnavailable');
    const again = await ws01(site.database, ['sms', 'off', '--json']);
    assert.deepEqual(JSON.parse(again.stdout), { sms: 'off', changed: false });
    const status = JSON.parse((await ws01(site.database, ['sms', 'status', '--json'])).stdout);
    assert.equal(status.sms, 'off');
    assert.match(
      (await ws01(site.database, ['sms', 'status'])).stdout,
      /^Text messages are off since .* [+-]\d\d:\d\d\.\n$/,
    );
    assert.equal((await ws01(site.database, ['sms', 'on'])).stdout, 'Text messages are on.\n');
    assert.equal(await site.ask('+447911004000'), 'sent');
    const store = await site.database.open();
    const told = await auditOf(store, 'sms.%');
    assert.deepEqual(
      told.map(({ action }) => action),
      ['sms.off', 'sms.on'],
    );
  });
});

describe('what messages are counted by', () => {
  const fresh: FreshDatabase = (test) => freshDatabase('sqlite', test);

  it('so do one service token, one block of numbers, one country and all together', async (t) => {
    const ways: [ServiceEnv, string[]][] = [
      [{ fixed: { smsPerToken: rates('3/h') } }, numbers(6)],
      [
        { fixed: { smsPerPrefix: rates('3/h') } },
        Array.from({ length: 6 }, (_, index) => `+44791100${4_000 + index}`),
      ],
      [{ fixed: { smsPerCountry: rates('3/h') } }, numbers(6)],
      [{ SMS_PER_DAY: '3/day' }, numbers(3).concat(numbers(3, '+33612'))],
    ];
    for (const [env, list] of ways) {
      const site = await openSite(t, fresh, env);
      assert.equal(await site.taken(list), 3, JSON.stringify(env));
    }
  });

  it('other blocks and other countries have budgets of their own, the home country has none', async (t) => {
    const site = await openSite(t, fresh, {
      fixed: { smsPerCountry: rates('2/h'), smsPerPrefix: rates('2/h') },
      DEFAULT_COUNTRY: 'US',
    });
    assert.equal(await site.taken(numbers(3)), 2);
    assert.equal(await site.ask('+33612345678'), 'sent');
    assert.equal(
      await site.taken(['212 555 0100', '+12125550101', '(212) 555-0102', '+12125650100']),
      3,
    );
  });

  it('a refusal by one budget uses up none of the others', async (t) => {
    const site = await openSite(t, fresh, {
      fixed: { smsPerPrefix: rates('1/h') },
      SMS_PER_DAY: '2/day',
    });
    const block = ['+447911004000', '+447911004001', '+447911004002', '+447911004003'];
    assert.equal(await site.taken(block), 1);
    assert.equal(await site.ask('+33612345678'), 'sent');
    assert.equal(await site.ask('+33712345678'), 'RateLimited');
  });

  it('a number is one number however it is written, with and without its plus', async (t) => {
    const site = await openSite(t, fresh, { fixed: { smsPerPhone: rates('1/h') } });
    const forms = [
      '12125550100',
      '+1 (212) 555-0100',
      '001-212-555-0100',
      '＋１２１２５５５０１００',
    ];
    assert.equal(await site.taken(forms), 1);
  });

  it('countries that are not allowed are refused, and bare digits with them', async (t) => {
    const site = await openSite(t, fresh, { SMS_COUNTRIES: 'US,GB' });
    assert.equal(await site.ask('+447911004000'), 'sent');
    assert.equal(await site.ask('+33612345678'), 'DestinationBlocked');
    assert.equal(await site.ask('+18765550100'), 'DestinationBlocked');
    assert.equal(await site.ask('33612345678'), 'DestinationBlocked');
  });
});

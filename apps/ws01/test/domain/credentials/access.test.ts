import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@ws01/asmx/time';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import { GUARDED, type Guarded } from '../../../src/contract/service.ts';
import { type AccessOptions, createAccess } from '../../../src/domain/credentials/access.ts';
import { WAITING } from '../../../src/domain/credentials/guess-throttle.ts';
import { purgeTokenNetworks } from '../../../src/domain/credentials/known-networks.ts';
import { newTokenText } from '../../../src/domain/credentials/token-text.ts';
import { importTokens, issueToken, revokeToken } from '../../../src/domain/credentials/tokens.ts';
import { type FreshDatabase, forEachEngine, freshDatabase } from '../../kit/database.ts';
import { rowsOf } from '../../kit/rows.ts';

const HERE = '192.0.2.1';
const START = Date.parse('2026-01-02T03:04:05Z');

/** A store, an access and a clock that the test moves. */
async function setUp(t: TestContext, fresh: FreshDatabase, options: Partial<AccessOptions> = {}) {
  const database = await fresh(t);
  const store = await database.open();
  let now = START;
  const clock = () => now;
  const access = createAccess({ store, clock, ...options });
  return {
    database,
    store,
    clock,
    access,
    pass: (ms: number) => {
      now += ms;
    },
    /** What becomes of a call: the caller's kind, or the code of the error. */
    outcome: async (
      text: string | undefined,
      operation: Guarded = InsertArticle,
      address = HERE,
    ) => {
      try {
        return (await access.authorize(operation, text, address)).kind;
      } catch (error) {
        return (error as { code: string }).code;
      }
    },
  };
}

const InsertArticle = GUARDED.get('InsertArticle')!;
const DeleteArticleByGuid = GUARDED.get('DeleteArticleByGuid')!;
const SendEmail = GUARDED.get('SendEmail')!;
const articles = { kind: 'service', scopes: ['articles'] } as const;

forEachEngine((_engine, fresh) => {
  test('a usable credential becomes its caller, in each of the four parameters', async (t) => {
    const { store, clock, access } = await setUp(t, fresh);
    const { id, text } = await issueToken(
      store,
      { kind: 'user', scopes: ['articles', 'counts', 'images', 'mail'], userId: 'ada' },
      clock,
    );
    for (const operation of GUARDED.values()) {
      const scope = operation.access?.scope;
      if (scope === undefined) {
        assert.equal((await access.authorize(operation, text, HERE)).kind, 'anonymous');
      } else if (['articles', 'counts', 'images', 'mail'].includes(scope)) {
        assert.deepEqual(await access.authorize(operation, text, HERE), {
          kind: 'user',
          tokenId: id,
          userId: 'ada',
        });
      } else {
        await assert.rejects(async () => access.authorize(operation, text, HERE), {
          code: 'Forbidden',
          parameter: operation.access!.credential,
        });
      }
    }
  });

  test('unknown, malformed, mistyped, revoked and expired credentials get the very same answer', async (t) => {
    const { store, clock, access, pass } = await setUp(t, fresh);
    const expired = await issueToken(store, { ...articles, expiresAt: START + 1_000 }, clock);
    const revoked = await issueToken(store, articles, clock);
    await revokeToken(store, revoked.id, clock);
    pass(1_000);
    const texts = [
      newTokenText(),
      'no-such-secret',
      'short',
      'x'.repeat(300),
      'x'.repeat(100_000),
      'bad\0chars',
      `${revoked.text.slice(0, -1)}${revoked.text.endsWith('a') ? 'b' : 'a'}`,
      revoked.text,
      expired.text,
      `<&>"'🔑密码密码`,
    ];
    const answers = new Set<string>();
    for (const text of texts) {
      await assert.rejects(
        async () => access.authorize(InsertArticle, text, HERE),
        (error: Error & { code: string; parameter: string; retryAfter: unknown }) => {
          answers.add(`${error.code} ${error.parameter} ${error.retryAfter} ${error.message}`);
          return true;
        },
      );
    }
    assert.equal(answers.size, 1, [...answers].join('\n'));
    assert.match([...answers][0]!, /^Unauthenticated token undefined .*"articles"/);
  });

  test('an absent credential: Unauthenticated, with a sentence that says what to send', async (t) => {
    const { access } = await setUp(t, fresh);
    for (const text of [undefined, '', ' \r\n', '{00000000-0000-0000-0000-000000000000}']) {
      await assert.rejects(async () => access.authorize(SendEmail, text, HERE), {
        code: 'Unauthenticated',
        parameter: 'authorizationUserId',
        message:
          'SendEmail needs a credential: send the text of a token with the scope "mail" in authorizationUserId.',
      });
    }
  });

  test('blanks around it and the form of a GUID do not matter', async (t) => {
    const { store, clock, outcome } = await setUp(t, fresh);
    const plain = await issueToken(store, articles, clock);
    const guid = await issueToken(store, articles, clock, { guid: true });
    await importTokens(
      store,
      [{ ...articles, text: ' {C56A4180-65AA-42EC-A945-5FD21DEC0538} ' }],
      clock,
    );
    assert.equal(await outcome(`\n  ${plain.text}\n`), 'service');
    assert.equal(await outcome(guid.text.toUpperCase()), 'service');
    assert.equal(await outcome('c56a418065aa42eca9455fd21dec0538'), 'service');
  });

  test('it is looked up once and then answered without a promise, until it is 4 s old', async (t) => {
    const { store, clock, access, pass } = await setUp(t, fresh);
    const { text } = await issueToken(store, articles, clock);
    assert.ok(access.authorize(InsertArticle, text, HERE) instanceof Promise);
    await access.authorize(InsertArticle, text, HERE);
    pass(3_999);
    assert.ok(!(access.authorize(DeleteArticleByGuid, ` ${text} `, HERE) instanceof Promise));
    pass(1);
    assert.ok(access.authorize(InsertArticle, text, HERE) instanceof Promise);
  });

  test('a new token works at once, although it was refused a moment ago', async (t) => {
    const { store, clock, outcome } = await setUp(t, fresh);
    assert.equal(await outcome('a-secret-to-be'), 'Unauthenticated');
    await importTokens(store, [{ ...articles, text: 'a-secret-to-be' }], clock);
    assert.equal(await outcome('a-secret-to-be'), 'service');
  });

  test('a revocation on another node takes effect within 5 s', async (t) => {
    const { store, clock, outcome, pass } = await setUp(t, fresh);
    const { id, text } = await issueToken(store, articles, clock);
    assert.equal(await outcome(text), 'service');
    await revokeToken(store, id, clock);
    pass(5_000);
    assert.equal(await outcome(text), 'Unauthenticated');
  });

  test('a revocation on this node takes effect at once, also for a look-up that was under way', async (t) => {
    const { store, clock, access, outcome } = await setUp(t, fresh);
    const { id, text } = await issueToken(store, articles, clock);
    const before = access.authorize(InsertArticle, text, HERE);
    access.forget();
    await before;
    await revokeToken(store, id, clock);
    assert.equal(await outcome(text), 'Unauthenticated');
  });

  test('an expiry takes effect at its instant, cached or not', async (t) => {
    const { store, clock, outcome, pass } = await setUp(t, fresh);
    const { text } = await issueToken(store, { ...articles, expiresAt: START + 1_000 }, clock);
    assert.equal(await outcome(text), 'service');
    pass(999);
    assert.equal(await outcome(text), 'service');
    pass(1);
    assert.equal(await outcome(text), 'Unauthenticated');
  });

  test('the last use is kept to the hour, in one write however many calls', async (t) => {
    const { store, clock, access, outcome, pass } = await setUp(t, fresh);
    const { text } = await issueToken(store, articles, clock);
    const lastUse = async () => (await rowsOf(store, 'tokens', 'id'))[0]!.last_used_at ?? undefined;
    const writes = store.metrics.writes;
    for (let call = 0; call < 50; call += 1) {
      await outcome(text);
      pass(MINUTE_MS);
    }
    await access.close();
    assert.equal(await lastUse(), START);
    assert.equal(store.metrics.writes, writes + 1);

    pass(600_000);
    await outcome(text);
    await access.close();
    assert.equal(await lastUse(), START + HOUR_MS);
  });

  test('a store that cannot be written fails no call for the last use', async (t) => {
    const { store, clock, access, outcome } = await setUp(t, fresh);
    const { text } = await issueToken(store, articles, clock);
    assert.equal(await outcome(text), 'service');
    await store.close();
    await access.close();
    assert.equal(await outcome(text), 'service');
  });
});

describe('failing attempts', () => {
  const fresh: FreshDatabase = (t) => freshDatabase('sqlite', t);

  /** An access whose delays take no time, and are noted. */
  async function slowed(t: TestContext, options: Partial<AccessOptions> = {}) {
    const delays: number[] = [];
    const wait = async (ms: number) => void delays.push(ms);
    return { delays, ...(await setUp(t, fresh, { wait, ...options })) };
  }

  test('from one network: 20 a minute at once, then RateLimited after 100 ms, twice that, up to 5 s', async (t) => {
    const { access, outcome, pass, delays } = await slowed(t);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      assert.equal(
        await outcome(`wrong-secret-${attempt}`, InsertArticle, `192.0.2.${attempt}`),
        'Unauthenticated',
      );
      pass(1_000);
    }
    assert.deepEqual(delays, []);
    await assert.rejects(async () => access.authorize(InsertArticle, 'wrong-secret', HERE), {
      code: 'RateLimited',
      retryAfter: 40,
    });
    for (let attempt = 0; attempt < 7; attempt += 1) {
      assert.equal(
        await outcome('wrong-secret', InsertArticle, `192.0.2.${100 + attempt}`),
        'RateLimited',
      );
    }
    assert.deepEqual(delays, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    assert.equal(await outcome('wrong-secret', InsertArticle, '192.0.3.1'), 'Unauthenticated');
    pass(40_000);
    assert.equal(await outcome('wrong-secret'), 'Unauthenticated');
    assert.equal(delays.length, 8);
  });

  test('a good credential passes at once where it was used in the last 30 days, and is waited for elsewhere', async (t) => {
    const { store, clock, access, outcome, pass, delays } = await slowed(t);
    const text = 'a-text-that-somebody-chose';
    await importTokens(store, [{ ...articles, text }], clock);
    const ours = await issueToken(store, articles, clock);
    assert.equal(await outcome(text), 'service');
    await access.close();
    const guess = async (address: string) => {
      for (let attempt = 0; attempt < 21; attempt += 1)
        await outcome('wrong-secret', InsertArticle, address);
      delays.length = 0;
    };
    // Another node, which has the use from the database.
    const other = createAccess({ store, clock, wait: async (ms) => void delays.push(ms) });
    for (const node of [access, other]) {
      for (let attempt = 0; attempt < 21; attempt += 1) {
        await assert.rejects(async () => node.authorize(InsertArticle, 'wrong-secret', HERE));
      }
      delays.length = 0;
      assert.equal((await node.authorize(InsertArticle, text, '192.0.2.99')).kind, 'service');
      assert.deepEqual(delays, []);
    }
    await guess('198.51.100.1');
    assert.equal(await outcome(ours.text, InsertArticle, '198.51.100.2'), 'service');
    assert.deepEqual(delays, [], 'what cannot be guessed is not waited for');
    assert.equal(await outcome(text, InsertArticle, '198.51.100.2'), 'service');
    assert.deepEqual(delays, [100]);
    // From now on it is known there.
    assert.equal(await outcome(text, InsertArticle, '198.51.100.3'), 'service');
    assert.deepEqual(delays, [100]);
    // Lacking a scope is no guess.
    assert.equal(await outcome(text, SendEmail), 'Forbidden');
    await access.close();
    pass(30 * DAY_MS);
    await guess(HERE);
    assert.equal(await outcome(text), 'service');
    assert.deepEqual(delays, [100]);
  });

  test('so many calls wait, and further ones are refused at once, but those of credentials known there', async (t) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let waiting = 0;
    const wait = () => {
      waiting += 1;
      return released;
    };
    const { store, clock, access, outcome } = await setUp(t, fresh, { wait });
    const known = await issueToken(store, articles, clock);
    const ours = await issueToken(store, articles, clock);
    const text = 'a-text-that-somebody-chose';
    await importTokens(store, [{ ...articles, text }], clock);
    assert.equal(await outcome(known.text), 'service');
    for (let attempt = 0; attempt < 20; attempt += 1) await outcome('wrong-secret');
    const held = Array.from({ length: WAITING.ofName }, () => outcome('wrong-secret'));
    while (waiting < WAITING.ofName) await new Promise(setImmediate);
    assert.equal(await outcome('wrong-secret'), 'RateLimited');
    assert.equal(await outcome(text), 'RateLimited');
    assert.equal(await outcome(known.text), 'service');
    assert.equal(await outcome(ours.text), 'service');
    assert.equal(waiting, WAITING.ofName);
    // Other names of the network have places of their own, up to a bound.
    const others: Promise<void>[] = [];
    for (let call = WAITING.ofName; call < WAITING.ofNetwork; call += 1) {
      others.push(access.brake!.delay('192.0.2.0/24', `name ${call % 50}`));
    }
    assert.equal(waiting, WAITING.ofNetwork);
    await assert.rejects(access.brake!.delay('192.0.2.0/24', 'another name'), {
      code: 'RateLimited',
    });
    release();
    assert.deepEqual(new Set(await Promise.all(held)), new Set(['RateLimited']));
    await Promise.all(others);
    assert.equal(await outcome(text), 'service');
    await access.close();
  });

  test('calls of all networks wait up to a bound, too', async (t) => {
    let waiting = 0;
    const wait = () => {
      waiting += 1;
      return new Promise(() => {});
    };
    const { outcome } = await setUp(t, fresh, { wait });
    const networks = WAITING.ofAll / WAITING.ofName;
    for (let network = 0; network < networks; network += 1) {
      for (let attempt = 0; attempt < 20; attempt += 1)
        await outcome('wrong-secret', InsertArticle, `10.0.${network}.1`);
      for (let call = 0; call < WAITING.ofName; call += 1)
        outcome('wrong-secret', InsertArticle, `10.0.${network}.1`);
    }
    while (waiting < WAITING.ofAll) await new Promise(setImmediate);
    for (let attempt = 0; attempt < 20; attempt += 1) await outcome('wrong-secret');
    assert.equal(await outcome('wrong-secret'), 'RateLimited');
    assert.equal(waiting, WAITING.ofAll);
  });

  forEachEngine((_engine, freshOfEngine) => {
    test('are counted by all nodes together', async (t) => {
      const { store, clock, outcome, access } = await setUp(t, freshOfEngine, { shareEvery: 10 });
      const other = createAccess({ store, clock, shareEvery: 10, wait: async () => {} });
      t.after(() => Promise.all([access.close(), other.close()]));
      const shared = (uses: number) =>
        until(async () => {
          const row = await store.read((db) =>
            db.selectFrom('budgets').select('used').executeTakeFirst(),
          );
          return (row?.used ?? 0) >= uses;
        });
      for (let attempt = 0; attempt < 20; attempt += 1) await outcome('wrong-secret');
      await shared(20);
      const elsewhere = async () => {
        try {
          await other.authorize(InsertArticle, 'wrong-secret', HERE);
        } catch (error) {
          return (error as { code: string }).code;
        }
      };
      // It learns of the others' failures when it tells of one of its own.
      for (let uses = 21; (await elsewhere()) !== 'RateLimited'; uses += 1) {
        assert.ok(uses < 25, 'as many as if it were alone');
        await shared(uses);
      }
    });
  });

  test('uses of 30 days ago are forgotten', async (t) => {
    const { store, clock, access, outcome, pass } = await setUp(t, fresh);
    const { text } = await issueToken(store, articles, clock);
    await outcome(text);
    await access.close();
    pass(30 * DAY_MS - 1);
    assert.equal(await purgeTokenNetworks(store, clock()), 0);
    pass(1);
    assert.equal(await purgeTokenNetworks(store, clock()), 1);
  });

  test('a call without any credential guesses nothing and is not counted', async (t) => {
    const { outcome } = await setUp(t, fresh);
    for (let attempt = 0; attempt < 50; attempt += 1) {
      assert.equal(await outcome(undefined), 'Unauthenticated');
    }
    assert.equal(await outcome('wrong-secret'), 'Unauthenticated');
  });

  test('an IPv6 site has many addresses and one count', async (t) => {
    const { outcome } = await slowed(t);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      assert.equal(
        await outcome('wrong-secret', InsertArticle, `2001:db8:1:${attempt}::1`),
        'Unauthenticated',
      );
    }
    assert.equal(await outcome('wrong-secret', InsertArticle, '2001:db8:1:ffff::1'), 'RateLimited');
    assert.equal(await outcome('wrong-secret', InsertArticle, '2001:db8:2::1'), 'Unauthenticated');
  });

  test('can be left unlimited', async (t) => {
    const { outcome } = await setUp(t, fresh, { limitFailures: false });
    for (let attempt = 0; attempt < 50; attempt += 1) {
      assert.equal(await outcome('wrong-secret'), 'Unauthenticated');
    }
  });
});

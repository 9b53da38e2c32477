import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import fc from 'fast-check';
import { sql } from 'kysely';
import { Ws01Error } from '../../src/contract/errors.ts';
import { sinceOf } from '../../src/domain/counts/operations.ts';
import { recordPosting } from '../../src/domain/counts/posts.ts';
import { POSTING_KINDS } from '../../src/store/tables/tables.ts';
import { forEachEngine } from '../kit/database.ts';
import {
  ADA,
  ANYBODY,
  checkRules,
  NOW,
  OBSERVED,
  OperationDesk,
  type Rules,
} from '../kit/operation-desk.ts';
import { explain, recordQueries } from '../kit/recorded-queries.ts';

type Kind = keyof typeof POSTING_KINDS;

let posted = 0;

/** Enters a creation into the ledger, as every creating operation does. */
function post(
  desk: OperationDesk,
  userId: string | undefined,
  at = desk.now,
  kind: Kind = 'article',
  address = OBSERVED,
) {
  const key = `record ${posted++}`;
  return desk.store.write((tx) => recordPosting(tx, { kind, key, userId, address, at }));
}

function countUser(desk: OperationDesk, userId: string, lastFewDays?: string, level?: string) {
  return desk.call('countUserPosted', { userId, lastFewDays, level });
}

const users: Rules = {
  'counts creations in decimal digits': async (desk, user) => {
    for (let count = 0; count < 3; count++) {
      assert.equal(await countUser(desk, user), String(count));
      await post(desk, user);
    }
  },

  'counts what articles, adverts and reviews create, and what was deleted since': async (
    desk,
    user,
  ) => {
    await desk.call('InsertArticle', { guid: `a ${user}`, caption: 'c', CreateUserId: user });
    await desk.call('InsertArticle', { guid: `a ${user}`, caption: 'changed', CreateUserId: user });
    await desk.call('addNewAdvert', { title: 't', CreateUserId: user });
    await desk.call('submitReview', { id: 'x', IsPositive: '1', userId: user }, ANYBODY);
    await desk.call('submitReview', { id: 'x', IsPositive: '0', userId: user }, ANYBODY);
    assert.equal(await countUser(desk, user), '3');
    await desk.call('DeleteArticleByGuid', { guid: `a ${user}` });
    assert.equal(await countUser(desk, user), '3');
    assert.equal(await countUser(desk, user, '', 'article'), '1');
  },

  'an unknown user has posted 0': async (desk, user) => {
    assert.equal(await countUser(desk, user, '3650'), '0');
  },

  'the key of the user in any GUID form': async (desk, user) => {
    await post(desk, user);
    assert.equal(await countUser(desk, `(${user.toUpperCase()})`), '1');
  },

  'N days are the last N times 24 hours': async (desk, user) => {
    for (const age of [
      0,
      DAY_MS,
      DAY_MS + 1,
      7 * DAY_MS,
      7 * DAY_MS + 1,
      3650 * DAY_MS,
      3650 * DAY_MS + 1,
    ]) {
      await post(desk, user, NOW - age);
    }
    for (const [days, count] of [
      ['1', '2'],
      ['2', '3'],
      [' 7 ', '4'],
      ['+007', '4'],
      ['8', '5'],
      ['3650', '6'],
    ] as const) {
      assert.equal(await countUser(desk, user, days), count, days);
    }
  },

  '0 and nothing are since midnight in the time zone': async (desk, user) => {
    // 12:00 UTC is 20:00 in Shanghai, whose day began 20 hours ago.
    for (const age of [0, 20 * HOUR_MS, 20 * HOUR_MS + 1]) {
      await post(desk, user, NOW - age);
    }
    for (const days of [undefined, '', '  ', '0', '-0', '00']) {
      assert.equal(await countUser(desk, user, days), '2', String(days));
    }
  },

  'negative, over 3,650 and no number are InvalidParameter': async (desk, userId) => {
    for (const lastFewDays of ['-1', '3651', '1.5', 'week', '0x10', '99999999999', '١']) {
      await desk.refuses('InvalidParameter', 'lastFewDays', 'countUserPosted', {
        userId,
        lastFewDays,
      });
      await desk.refuses('InvalidParameter', 'lastFewDays', 'countIpPosted', { lastFewDays });
    }
  },

  'level counts one kind by its name or number, and every kind by 0, all or nothing': async (
    desk,
    user,
  ) => {
    const kinds = Object.keys(POSTING_KINDS) as Kind[];
    for (const [index, kind] of kinds.entries()) {
      for (let count = 0; count <= index; count++) {
        await post(desk, user, NOW, kind);
      }
    }
    for (const [level, count] of [
      [undefined, 10],
      ['', 10],
      [' ', 10],
      ['0', 10],
      ['ALL', 10],
      ['1', 1],
      ['article', 1],
      ['2', 2],
      [' Advert ', 2],
      ['3', 3],
      ['image', 3],
      ['4', 4],
      ['review', 4],
    ] as const) {
      assert.equal(await countUser(desk, user, '1', level), String(count), String(level));
    }
  },

  'an unknown level is InvalidParameter': async (desk, userId) => {
    for (const level of ['5', '-1', 'articles', '1,2', '__proto__', 'constructor']) {
      await desk.refuses('InvalidParameter', 'level', 'countUserPosted', { userId, level });
      await desk.refuses('InvalidParameter', 'level', 'countIpPosted', { level });
    }
  },

  'userId is required': async (desk) => {
    await desk.refuses('MissingParameter', 'userId', 'countUserPosted', {});
  },

  'a user token counts its own user, named or not, and no other': async (desk, user) => {
    const caller = { ...ADA, userId: user };
    await post(desk, user);
    assert.equal(await desk.call('countUserPosted', { userId: user }, caller), '1');
    assert.equal(await desk.call('countUserPosted', {}, caller), '1');
    await desk.refuses('Forbidden', 'userId', 'countUserPosted', { userId: 'bob' }, caller);
  },
};

/** Addresses that no other rule uses: the documentation network of a rule's own. */
let network = 0;
const ownIPv4 = () => `192.0.2.${++network}`;

const addresses: Rules = {
  'counts what came from an address, whoever it was': async (desk, user) => {
    const address = ownIPv4();
    await post(desk, user, NOW, 'article', address);
    await post(desk, undefined, NOW, 'review', address);
    await post(desk, user, NOW, 'article', ownIPv4());
    assert.equal(await desk.call('countIpPosted', { IP: address }), '2');
    assert.equal(await desk.call('countIpPosted', { IP: address, level: 'review' }), '1');
    assert.equal(await desk.call('countIpPosted', { IP: ownIPv4(), lastFewDays: '3650' }), '0');
  },

  'an IPv6 address counts its /64': async (desk) => {
    await post(desk, undefined, NOW, 'article', '2001:db8:5:1::1');
    await post(desk, undefined, NOW, 'article', '2001:db8:5:1:ffff:ffff:ffff:ffff');
    await post(desk, undefined, NOW, 'article', '2001:db8:5:2::1');
    assert.equal(await desk.call('countIpPosted', { IP: '2001:DB8:0005:1:0::abcd' }), '2');
  },

  'a v4-mapped address is the IPv4 address': async (desk) => {
    const address = ownIPv4();
    await post(desk, undefined, NOW, 'article', address);
    assert.equal(await desk.call('countIpPosted', { IP: ` ::FFFF:${address} ` }), '1');
  },

  'empty, and what is no address, is the address that the call comes from': async (desk) => {
    const address = ownIPv4();
    await post(desk, undefined, NOW, 'article', address);
    for (const IP of [undefined, '', 'unknown', `${address}:80`, `${address}, 10.0.0.1`, '1.2.3']) {
      assert.equal(await desk.call('countIpPosted', { IP }, undefined, address), '1', String(IP));
    }
  },

  'a user token is not believed about addresses: it counts the one that it calls from': async (
    desk,
  ) => {
    const [named, observed] = [ownIPv4(), ownIPv4()];
    await post(desk, undefined, NOW, 'article', named);
    assert.equal(await desk.call('countIpPosted', { IP: named }, ADA, observed), '0');
    assert.equal(await desk.call('countIpPosted', { IP: observed }, ADA, named), '1');
  },
};

forEachEngine((engine, fresh) => {
  it('countUserPosted', (t) => checkRules(t, fresh, users, { timeZone: 'Asia/Shanghai' }));
  it('countIpPosted', (t) => checkRules(t, fresh, addresses));

  it('both are answered by an index alone', async (t) => {
    const store = await (await fresh(t)).open();
    const recorded = recordQueries(store);
    const desk = new OperationDesk(recorded.store);
    for (let start = 0; start < 5000; start += 500) {
      const rows = Array.from({ length: 500 }, (_, index) => ({
        kind: POSTING_KINDS.article,
        record_key: `filler ${start + index}`,
        user_id: `user ${index}`,
        network: `192.0.2.${index % 250}`,
        at: NOW,
      }));
      await store.write((tx) => tx.insertInto('postings').values(rows).execute());
    }
    if (engine === 'postgres') {
      // Autovacuum does it in the course of time.
      await store.read((db) => sql`vacuum (analyze) postings`.execute(db));
    }
    for (const level of ['all', 'article']) {
      await desk.call('countUserPosted', { userId: 'user 1', level });
      await desk.call('countIpPosted', { IP: '192.0.2.1', level });
    }
    assert.equal(recorded.queries.size, 4);
    for (const query of recorded.queries.values()) {
      const plan = (await store.read((db) => explain(db, engine, query))).join('\n');
      assert.match(plan, /USING COVERING INDEX postings_by_|Index Only Scan using postings_by_/);
      assert.doesNotMatch(plan, /Seq Scan|SCAN postings|Heap Fetches: [1-9]/);
    }
  });

  it('both count more than are counted while other calls wait', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open());
    const row = { user_id: 'heavy', network: '192.0.2.7', kind: POSTING_KINDS.advert };
    const posted = 10_100;
    for (let start = 0; start < posted; start += 500) {
      const rows = Array.from({ length: Math.min(500, posted - start) }, (_, index) => ({
        ...row,
        record_key: `heavy ${start + index}`,
        at: desk.now - (start + index) * 1000,
      }));
      await desk.store.write((tx) => tx.insertInto('postings').values(rows).execute());
    }
    for (const level of ['all', 'advert']) {
      assert.equal(await countUser(desk, 'heavy', '30', level), '10100');
      assert.equal(
        await desk.call('countIpPosted', { IP: '192.0.2.7', lastFewDays: '30', level }),
        '10100',
      );
    }
    assert.equal(await countUser(desk, 'heavy', '30', 'review'), '0');
  });

  it('both count what a look at every row counts', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open());
    const kinds = Object.keys(POSTING_KINDS) as Kind[];
    const posting = fc.record({
      user: fc.constantFrom('ada', 'bob', undefined),
      kind: fc.constantFrom(...kinds),
      address: fc.constantFrom('192.0.2.1', '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'),
      age: fc.integer({ min: 0, max: 3 * DAY_MS }),
    });
    const postings = fc.sample(posting, 200);
    for (const { user, kind, address, age } of postings) {
      await post(desk, user, NOW - age, kind, address);
    }
    const network = (address: string) => (address === '2001:db8::2' ? '2001:db8::1' : address);
    await fc.assert(
      fc.asyncProperty(
        posting,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (like, days, every) => {
          const [lastFewDays, level] = [String(days), every ? 'all' : like.kind];
          const counted = postings.filter(
            ({ age, kind }) => age <= days * DAY_MS && (every || kind === like.kind),
          );
          const byAddress = counted.filter(
            ({ address }) => network(address) === network(like.address),
          );
          assert.equal(
            await desk.call('countIpPosted', { IP: like.address, lastFewDays, level }),
            String(byAddress.length),
          );
          const userId = like.user ?? 'nobody';
          const byUser = counted.filter(({ user }) => user === userId);
          assert.equal(
            await desk.call('countUserPosted', { userId, lastFewDays, level }),
            String(byUser.length),
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('the midnight that began the day', () => {
  const midnight = (now: string, timeZone: string) =>
    new Date(sinceOf('0', Date.parse(now), timeZone)).toISOString().replace('.000Z', 'Z');

  it('is the one of the time zone', () => {
    assert.equal(midnight('2026-11-21T12:00:00Z', 'UTC'), '2026-11-21T00:00:00Z');
    assert.equal(midnight('2026-11-21T00:00:00Z', 'UTC'), '2026-11-21T00:00:00Z');
    assert.equal(midnight('2026-11-20T23:59:59.999Z', 'UTC'), '2026-11-20T00:00:00Z');
    assert.equal(midnight('2026-11-21T15:59:59Z', 'Asia/Shanghai'), '2026-11-20T16:00:00Z');
    assert.equal(midnight('2026-11-21T16:00:00Z', 'Asia/Shanghai'), '2026-11-21T16:00:00Z');
    assert.equal(midnight('2026-11-21T12:00:00Z', 'Asia/Kathmandu'), '2026-11-20T18:15:00Z');
  });

  it('is right on days that a clock change makes longer or shorter', () => {
    assert.equal(midnight('2026-03-29T21:30:00Z', 'Europe/Berlin'), '2026-03-28T23:00:00Z');
    assert.equal(midnight('2026-10-25T22:30:00Z', 'Europe/Berlin'), '2026-10-24T22:00:00Z');
    assert.equal(midnight('2026-11-01T23:00:00Z', 'America/New_York'), '2026-11-01T04:00:00Z');
  });

  it('is the first instant of a day whose midnight is skipped, and the first of two midnights', () => {
    // Lebanon's clocks go from 00:00 to 01:00, and in October from 00:00 back to 23:00.
    assert.equal(midnight('2026-03-29T10:00:00Z', 'Asia/Beirut'), '2026-03-28T22:00:00Z');
    // Havana's go from 01:00 back to 00:00, so that the day has midnight twice.
    assert.equal(midnight('2026-11-01T12:00:00Z', 'America/Havana'), '2026-11-01T04:00:00Z');
  });

  it('is at or before now, and less than 26 hours ago, everywhere and always', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const instants = fc.integer({ min: Date.parse('1970-01-01'), max: Date.parse('2100-01-01') });
    fc.assert(
      fc.property(zones, instants, (zone, now) => {
        const since = sinceOf('', now, zone);
        assert.ok(since <= now && now - since < 26 * HOUR_MS, `${zone} ${now} ${since}`);
      }),
    );
  });

  it('is not asked for where a number of days is given', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3650 }), (days) => {
        assert.equal(sinceOf(` ${days} `, NOW, 'Asia/Beirut'), NOW - days * DAY_MS);
      }),
    );
    assert.throws(() => sinceOf('3651', NOW, 'UTC'), Ws01Error);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE_MS } from '@ws01/asmx/time';
import { editLink, isLive, REMEMBERED_MS } from '../../../src/domain/links/links.ts';
import { newShortCode } from '../../../src/domain/links/short-code.ts';
import { forEachEngine } from '../../kit/database.ts';
import { LinkDesk, NOW } from '../../kit/links.ts';
import { refused } from '../../kit/refused.ts';

const TARGET = 'https://example.org/a?b=c#d';

/** A generator that draws codes in the order given. */
function draw(...codes: readonly string[]): () => string {
  const left = [...codes];
  return () => left.shift() ?? assert.fail('no more codes');
}

forEachEngine((_engine, fresh) => {
  describe('UrltoShortUrl', () => {
    it('returns the short link and leads to the target', async (t) => {
      const desk = new LinkDesk(await (await fresh(t)).open());
      const code = await desk.shorten(TARGET);
      assert.match(code, /^[2-9BCDFGHJKLMNPQRSTVWXYZbdfghjmnqrty]{7}$/);
      assert.equal(await desk.targetOf(code), TARGET);
    });

    it('gives the same user, target and deadline the same link, others another', async (t) => {
      const desk = new LinkDesk(await (await fresh(t)).open());
      const asks = [
        { _userId: undefined, _deadline: undefined },
        { _userId: 'ada', _deadline: undefined },
        { _userId: 'ada', _deadline: NOW + MINUTE_MS },
        { _userId: 'ada', _deadline: NOW + 2 * MINUTE_MS },
        { _userId: 'Ada', _deadline: NOW + MINUTE_MS },
      ];
      const first = [];
      for (const ask of asks) first.push(await desk.shorten(TARGET, ask));
      assert.equal(new Set(first).size, asks.length);
      for (const [i, ask] of asks.entries())
        assert.equal(await desk.shorten(` ${TARGET} `, ask), first[i]);
      assert.equal(await desk.shorten('HTTPS://EXAMPLE.ORG:443/a?b=c#d'), first[0]);
      assert.notEqual(await desk.shorten('https://example.org/A?b=c#d'), first[0]);
    });

    it('refuses a deadline that has passed, and lets one work until it does', async (t) => {
      const desk = new LinkDesk(await (await fresh(t)).open());
      await refused(desk.shorten(TARGET, { _deadline: NOW - 1 }), 'InvalidParameter', '_deadline');
      await refused(desk.shorten(TARGET, { _deadline: NOW }), 'InvalidParameter', '_deadline');
      const code = await desk.shorten(TARGET, { _deadline: NOW + 1 });
      const link = (await desk.links.find(code)) ?? assert.fail();
      assert.ok(isLive(link, NOW));
      assert.ok(!isLive(link, NOW + 1));
    });

    it('wants a target, in the order of the contract', async (t) => {
      const desk = new LinkDesk(await (await fresh(t)).open());
      await refused(desk.shorten(undefined), 'MissingParameter', '_orgUrl');
      await refused(desk.shorten(' '), 'MissingParameter', '_orgUrl');
      await refused(
        desk.shorten('', { _userId: '\u0000', _userEmail: 'x' }),
        'InvalidParameter',
        '_userId',
      );
      await refused(
        desk.shorten('', { _userEmail: 'x', _deadline: 0 }),
        'InvalidParameter',
        '_userEmail',
      );
      await refused(
        desk.shorten('', { _userEmail: 'a@b.cd,e@f.gh' }),
        'InvalidParameter',
        '_userEmail',
      );
      await refused(desk.shorten('', { _deadline: 0 }), 'InvalidParameter', '_deadline');
    });

    it('keeps who asked, as far as they said', async (t) => {
      const desk = new LinkDesk(await (await fresh(t)).open());
      const code = await desk.shorten(TARGET, {
        _userId: ' {0F8FAD5B-D9CB-469F-A165-70867728950E} ',
        _userEmail: 'Ada@Bücher.example ',
      });
      const row = await desk.store.read((db) =>
        db.selectFrom('links').selectAll().executeTakeFirstOrThrow(),
      );
      assert.deepEqual(
        [row.code, row.user_id, row.user_email, row.created_at],
        [code, '0f8fad5b-d9cb-469f-a165-70867728950e', 'Ada@xn--bcher-kva.example', NOW],
      );
      const audit = await desk.store.read((db) => db.selectFrom('audit').selectAll().execute());
      assert.deepEqual(
        audit.map((entry) => [
          entry.action,
          entry.target_kind,
          entry.target_key,
          entry.token_id,
          entry.address,
          entry.details,
        ]),
        [['link.create', 'link', code, null, '198.51.100.7', '{}']],
      );
      assert.equal(
        (await desk.store.read((db) => db.selectFrom('users').selectAll().execute())).length,
        0,
      );
    });
  });

  describe('codes', () => {
    it('that are taken are drawn again', async (t) => {
      const store = await (await fresh(t)).open();
      const desk = new LinkDesk(store, {
        newCode: draw('BBBBBBB', 'BBBBBBB', 'BBBBBBB', 'CCCCCCC'),
      });
      assert.equal(await desk.shorten('http://one.example/'), 'BBBBBBB');
      assert.equal(await desk.shorten('http://two.example/'), 'CCCCCCC');
      assert.equal(await desk.targetOf('BBBBBBB'), 'http://one.example/');
    });

    it('are never given again, also when their link has ended', async (t) => {
      const store = await (await fresh(t)).open();
      const desk = new LinkDesk(store, {
        newCode: draw('BBBBBBB', 'BBBBBBB', 'CCCCCCC', 'BBBBBBB', 'CCCCCCC', 'DDDDDDD'),
      });
      await desk.shorten('http://one.example/', { _deadline: NOW + 1 });
      desk.now += MINUTE_MS;
      await desk.shorten('http://two.example/');
      await desk.links.disable('CCCCCCC');
      assert.equal(await desk.shorten('http://two.example/'), 'DDDDDDD');
    });

    it('do run out of luck at last: nothing is written then', async (t) => {
      const store = await (await fresh(t)).open();
      const desk = new LinkDesk(store, { newCode: () => 'BBBBBBB' });
      await desk.shorten('http://one.example/');
      await refused(desk.shorten('http://two.example/'), 'Busy');
    });
  });

  it('of 200 calls at once from two nodes with three targets, each target has one link', async (t) => {
    const database = await fresh(t);
    const desks = [new LinkDesk(await database.open()), new LinkDesk(await database.open())];
    const calls = Array.from({ length: 200 }, (_, i) =>
      desks[i % 2]!.shorten(`http://${i % 3}.example/`),
    );
    const codes = await Promise.all(calls);
    assert.equal(new Set(codes).size, 3);
    const rows = await desks[0]!.store.read((db) =>
      db.selectFrom('links').select('code').execute(),
    );
    assert.deepEqual(new Set(rows.map(({ code }) => code)), new Set(codes));
    const target = 'http://same.example/';
    const by = { tokenId: undefined, address: '::1', requestId: 'r' };
    const edits = rows.map(({ code }, i) =>
      desks[i % 2]!.store.write((tx) => editLink(tx, code, { target }, NOW, by)),
    );
    const ends = await Promise.allSettled(edits);
    const lost = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []));
    assert.deepEqual(lost, ['AlreadyExists', 'AlreadyExists'], 'one link leads there');
  });

  it('of 60 calls at once that often draw the same code, each has a link of its own', async (t) => {
    const database = await fresh(t);
    let drawn = 0;
    const newCode = () => (drawn++ % 4 === 0 ? 'BBBBBBB' : newShortCode());
    const desks = [
      new LinkDesk(await database.open(), { newCode }),
      new LinkDesk(await database.open(), { newCode }),
    ];
    const codes = await Promise.all(
      Array.from({ length: 60 }, (_, i) => desks[i % 2]!.shorten(`http://${i}.example/`)),
    );
    assert.equal(new Set(codes).size, 60);
    for (const [i, code] of codes.entries())
      assert.equal(await desks[0]!.targetOf(code), `http://${i}.example/`);
  });

  describe('a take-down', () => {
    it('is at once on its own node, and within five seconds on the others, which had the link in memory', async (t) => {
      const database = await fresh(t);
      const [one, other] = [
        new LinkDesk(await database.open()),
        new LinkDesk(await database.open()),
      ];
      const code = await one.shorten(TARGET);
      const ended = async (desk: LinkDesk) =>
        !isLive((await desk.links.find(code)) ?? assert.fail(), desk.now);
      assert.deepEqual([await ended(one), await ended(other)], [false, false]);
      assert.equal(await one.links.disable(code), true);
      assert.equal(await ended(one), true);
      other.now += REMEMBERED_MS;
      assert.ok(REMEMBERED_MS < 5_000);
      assert.equal(await ended(other), true);
    });

    it('beats a look-up that began before it', async (t) => {
      const desk = new LinkDesk(await (await fresh(t)).open());
      const code = await desk.shorten(TARGET);
      const [, ...finds] = await Promise.all([
        desk.links.disable(code),
        ...Array.from({ length: 20 }, () => desk.links.find(code)),
      ]);
      assert.equal(finds.length, 20);
      assert.equal((await desk.links.find(code))?.disabled_at, NOW);
    });

    it('is told to the audit trail once, and of an unknown code there is none', async (t) => {
      const desk = new LinkDesk(await (await fresh(t)).open());
      const code = await desk.shorten(TARGET);
      assert.equal(await desk.links.disable(code), true);
      desk.now += 1;
      assert.equal(await desk.links.disable(code), true);
      assert.equal(await desk.links.disable('BBBBBBB'), false);
      const audit = await desk.store.read((db) =>
        db
          .selectFrom('audit')
          .select(['action', 'at'])
          .where('action', '=', 'link.disable')
          .execute(),
      );
      assert.deepEqual(audit, [{ action: 'link.disable', at: NOW }]);
      assert.equal((await desk.links.find(code))?.disabled_at, NOW);
    });
  });

  it('the same request after a take-down is a new link', async (t) => {
    const desk = new LinkDesk(await (await fresh(t)).open());
    const code = await desk.shorten(TARGET);
    await desk.links.disable(code);
    assert.notEqual(await desk.shorten(TARGET), code);
  });

  it('new links of an address have a budget, which repeats and refusals do not use up', async (t) => {
    const store = await (await fresh(t)).open();
    const desk = new LinkDesk(store, {
      rates: { linksPerAddress: [{ limit: 3, window: MINUTE_MS }] },
    });
    await desk.shorten('http://1.example/');
    for (let i = 0; i < 5; i++) {
      await desk.shorten('http://1.example/');
      await refused(desk.shorten('ftp://2.example/'), 'InvalidParameter', '_orgUrl');
    }
    await desk.shorten('http://2.example/');
    await desk.shorten('http://3.example/');
    assert.equal((await refused(desk.shorten('http://4.example/'), 'RateLimited')).retryAfter, 60);
    await refused(desk.shorten('ftp://2.example/'), 'RateLimited');
    desk.now += MINUTE_MS;
    await desk.shorten('http://4.example/');
  });
});

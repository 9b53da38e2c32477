import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  exchange,
  JSON_BINDING,
  type Params,
  TEST_BINDINGS,
  type TestBinding,
} from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { rates } from '../kit/fixed.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';

const BINDINGS = [...TEST_BINDINGS, JSON_BINDING];

type Call = (operation: string, params: Params) => Promise<string | undefined>;

/** Calls over a binding: the result, or the code of the error. */
function caller({ call }: TestBinding, url: string): Call {
  return async (operation, params) => {
    const { result, code } = await call(url, operation, params);
    return result ?? code;
  };
}

const isForm = ({ name }: TestBinding) => name === 'get' || name === 'post';

forEachEngine((_engine, fresh) => {
  it('short links: a site shortens its own pages, and never its own short links', async (t) => {
    const { url } = await startService(t, await fresh(t));
    for (const binding of BINDINGS) {
      const call = caller(binding, url);
      const shorten = (_orgUrl: string) => call('UrltoShortUrl', { _orgUrl });
      const link = (await shorten(`https://example.org/${binding.name}`))!;
      const code = link.slice(-7);
      assert.match((await shorten(`${url}/WS01.asmx?op=InsertArticle`))!, /\/s\/.{7}$/);
      assert.match((await shorten(`${url}/`))!, /\/s\/.{7}$/);
      const own = [
        link,
        `${url}/%73/${code}`,
        `${url}//s/${code}+`,
        `${url}/s/%${code.charCodeAt(0).toString(16)}${code.slice(1)}`,
      ];
      for (const target of [
        ...own,
        `http://localhost/s/${code}`,
        `http://another-name.example/%73/${code}.png`,
      ]) {
        assert.equal(await shorten(target), 'DestinationBlocked', target);
      }
    }
  });

  it('addresses: a back end of TRUSTED_CALLERS is believed without a credential; others may be kept out', async (t) => {
    const database = await fresh(t);
    const open = await startService(t, database);
    const review = (binding: TestBinding, url: string, ip: string, Mark: string) =>
      binding.call(url, 'submitReview', { id: binding.name, IsPositive: '', Mark, ip });
    const marks = (answer: { result: string | undefined }) => JSON.parse(answer.result!).marks;
    for (const binding of BINDINGS) {
      await review(binding, open.url, '203.0.113.1', '4');
      assert.equal(marks(await review(binding, open.url, '203.0.113.2', '5')), 1);
    }
    await open.app.stop();
    const site = await startService(t, database, {
      TRUSTED_CALLERS: 'loopback',
      REVIEWS_FROM: 'trusted',
      REVIEW_SCALE: '10',
    });
    for (const binding of BINDINGS) {
      await review(binding, site.url, '203.0.113.1', '10');
      // The port goes; of a list the first counts; what begins with no address counts as empty.
      assert.equal(marks(await review(binding, site.url, '203.0.113.1:4711', '9')), 2);
      assert.equal(marks(await review(binding, site.url, '203.0.113.2, 10.0.0.1', '9')), 3);
      assert.equal(marks(await review(binding, site.url, '[2001:db8::1]:80', '9')), 4);
      assert.equal(marks(await review(binding, site.url, 'unknown, 203.0.113.9', '9')), 4);
      const outside = await review(binding, site.url, '', '11');
      assert.deepEqual(
        [outside.code, outside.message?.includes('0 to 10 (REVIEW_SCALE)')],
        ['InvalidParameter', true],
      );
    }
    await site.app.stop();
    const closed = await startService(t, database, {
      TRUSTED_CALLERS: '192.0.2.0/24',
      REVIEWS_FROM: 'trusted',
    });
    for (const binding of BINDINGS) {
      assert.equal((await review(binding, closed.url, '', '5')).code, 'Forbidden');
    }
  });

  it('marks: numbers with a comma or without a zero, never a remark when outside the scale; lone blanks', async (t) => {
    const { url } = await startService(t, await fresh(t));
    for (const binding of BINDINGS) {
      const review = async (IsPositive: string, Mark: string) => {
        const { result, code } = await binding.call(url, 'submitReview', {
          id: binding.name,
          IsPositive,
          Mark,
        });
        return result === undefined ? code : JSON.parse(result).yours;
      };
      assert.deepEqual(await review('', '3,5'), { isPositive: null, mark: 3.5 });
      assert.deepEqual(await review('', '.5'), { isPositive: null, mark: 0.5 });
      for (const mark of ['6', '-1', '5,01'])
        assert.equal(await review('true', mark), 'InvalidParameter');
      assert.deepEqual(await review('  ', '5'), { isPositive: null, mark: 5 });
      assert.deepEqual(await review(' ', '5'), {
        isPositive: isForm(binding) ? true : null,
        mark: 5,
      });
    }
  });

  it('phones: a blank before digits is an unencoded + over GET and POST', async (t) => {
    const { url, database } = await startService(t, await fresh(t));
    const store = await database.open();
    for (const binding of BINDINGS) {
      const userId = `user ${binding.name}`;
      for (const cellPhone of [' 12125550100', '  12125550100']) {
        await caller(binding, url)('updateUserCellphone', { tokenId: TOKEN, userId, cellPhone });
        const { cell_phone } = await store.read((db) =>
          db
            .selectFrom('users')
            .select('cell_phone')
            .where('id', '=', userId)
            .executeTakeFirstOrThrow(),
        );
        assert.equal(cell_phone, isForm(binding) ? '+12125550100' : '12125550100', binding.name);
      }
    }
    const plain = `${url}/WS01.asmx/updateUserCellphone?tokenId=${TOKEN}&userId=plain&cellPhone=+8613800138000`;
    assert.equal((await exchange(plain)).status, 200);
    const row = await store.read((db) =>
      db.selectFrom('users').select('cell_phone').where('id', '=', 'plain').executeTakeFirst(),
    );
    assert.equal(row!.cell_phone, '+8613800138000');
  });

  it('adverts: links without a scheme, dates that are not given, URLs on both sides of their limits', async (t) => {
    const { url } = await startService(t, await fresh(t));
    for (const binding of BINDINGS) {
      const call = caller(binding, url);
      const publish = (guid: string, given: Params) =>
        call('addNewAdvert', {
          tokenId: TOKEN,
          guid: `${binding.name}-${guid}`,
          CreateUserId: binding.name,
          title: 't',
          isImage: 'false',
          ...given,
        });
      await publish('link', { linkUrl: 'example.org/a?b=1' });
      for (const [index, day] of ['1753-01-01', '1899-12-30', '0000-00-00'].entries()) {
        await publish(`day${index}`, { showDeadLine: day });
        await publish(`time${index}`, { showDeadLine: `${day} 12:34:56` });
        await publish(`zone${index}`, { showDeadLine: `${day}T00:00:00+08:00` });
      }
      const listed = JSON.parse(
        (await call('QueryAdvert', { userId: binding.name, pagesize: '100', pageindex: '0' }))!,
      );
      assert.equal(listed.total, 10);
      for (const item of listed.items) {
        assert.deepEqual([item.showDeadLine, item.isCurrent], [null, true], item.guid);
        assert.match(item.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      }
      assert.equal(
        listed.items.find(({ guid }: { guid: string }) => guid.endsWith('-link')).linkUrl,
        'http://example.org/a?b=1',
      );

      if (binding.name === 'get') continue;
      const base = 'http://example.org/';
      const most = base + '道'.repeat(Math.floor((8_000 - base.length) / 9));
      for (const [operation, name, given] of [
        ['addNewAdvert', 'linkUrl', { tokenId: TOKEN, title: 't', isImage: 'false' }],
        [
          'InsertArticle',
          'fromUrl',
          { token: TOKEN, guid: `${binding.name}-from`, caption: 'c', Status: '0' },
        ],
        ['UrltoShortUrl', '_orgUrl', {}],
      ] as const) {
        assert.notEqual(
          await call(operation, { ...given, [name]: most }),
          'InvalidParameter',
          operation,
        );
        assert.equal(
          await call(operation, { ...given, [name]: `${most}道` }),
          'InvalidParameter',
          operation,
        );
        assert.equal(
          await call(operation, { ...given, [name]: base + 'a'.repeat(2_049 - base.length) }),
          'InvalidParameter',
        );
      }
    }
  });

  it('keys: every form that .NET writes a GUID in', async (t) => {
    const { url } = await startService(t, await fresh(t));
    const guid = '00112233-4455-6677-8899-aabbccddeeff';
    const X = '{0x00112233,0x4455,0x6677,{0x88,0x99,0xaa,0xbb,0xcc,0xdd,0xee,0xff}}';
    for (const binding of BINDINGS) {
      const call = caller(binding, url);
      for (const form of [
        X,
        X.toUpperCase().replaceAll('0X', '0x'),
        guid.replaceAll('-', ''),
        `(${guid})`,
      ]) {
        assert.equal(
          await call('InsertArticle', { token: TOKEN, guid: form, caption: 'c', Status: '0' }),
          guid,
          form,
        );
      }
    }
  });

  it('counts: every creation, also under a key that was used and deleted before', async (t) => {
    const { url } = await startService(t, await fresh(t));
    for (const binding of BINDINGS) {
      const call = caller(binding, url);
      const image = { verifyCode: TOKEN, FileGuid: binding.name, IsIcons: 'false' };
      await call('InsertArticle', {
        token: TOKEN,
        guid: binding.name,
        caption: 'c',
        CreateUserId: binding.name,
        Status: '0',
      });
      for (let n = 0; n < 3; n++) {
        const FileImg = blackPng(8, 8).toString('base64');
        assert.equal(
          await call('InsertArticleImageFile', { ...image, FileImg, Link_Guid: binding.name }),
          'true',
        );
        assert.equal(
          await call('DeleImgById', { verifyCode: TOKEN, FileGuid: binding.name }),
          binding.name,
        );
      }
      const counted = { tokenId: TOKEN, userId: binding.name, lastFewDays: '1' };
      assert.equal(await call('countUserPosted', { ...counted, level: 'image' }), '3');
      assert.equal(await call('countUserPosted', { ...counted, level: 'article' }), '1');
    }
  });

  it('repeats are answered as before when the budget is used up', async (t) => {
    const { url } = await startService(t, await fresh(t), {
      fixed: { linksPerAddress: rates('5/h'), reviewsPerAddress: rates('5/h') },
    });
    const links: (string | undefined)[] = [];
    const tallies: (string | undefined)[] = [];
    const shorten = (binding: TestBinding) =>
      caller(binding, url)('UrltoShortUrl', { _orgUrl: `http://${binding.name}.example` });
    const review = (binding: TestBinding) =>
      caller(binding, url)('submitReview', { id: binding.name, IsPositive: 'true', userId: 'u' });
    for (const binding of BINDINGS) {
      links.push(await shorten(binding));
      tallies.push(await review(binding));
    }
    for (const [index, binding] of BINDINGS.entries()) {
      assert.equal(await shorten(binding), links[index]);
      assert.equal(await review(binding), tallies[index]);
      const call = caller(binding, url);
      assert.equal(await call('UrltoShortUrl', { _orgUrl: 'http://new.example' }), 'RateLimited');
      assert.equal(
        await call('submitReview', { id: binding.name, IsPositive: 'false', userId: 'u' }),
        'RateLimited',
      );
    }
  });

  it('texts: what XML forbids, what is too long for its field, what is too large altogether', async (t) => {
    const { url } = await startService(t, await fresh(t));
    for (const binding of BINDINGS) {
      const call = caller(binding, url);
      const put = (caption: string) =>
        call('InsertArticle', { token: TOKEN, guid: 'g', caption, content: 'c', Status: '0' });
      const { code, status } = await binding.call(url, 'InsertArticle', {
        token: TOKEN,
        guid: 'g',
        caption: 'a\u0001b',
        Status: '0',
      });
      const isSoap = binding.name.startsWith('soap');
      assert.deepEqual(
        [code, status === 200],
        [isSoap ? 'MalformedRequest' : 'InvalidParameter', false],
        binding.name,
      );
      assert.equal(await put('漢'.repeat(200)), 'g');
      assert.equal(await put('漢'.repeat(201)), 'InvalidParameter');
      if (binding.name === 'get') continue;
      const mail = (body: string) =>
        call('SendEmail', {
          authorizationUserId: TOKEN,
          receiverEmail: 'grace@example.com',
          subject: binding.name,
          body,
        });
      assert.match((await mail('漢'.repeat(262_144)))!, /^[0-9a-f-]{36}$/);
      assert.equal(await mail('漢'.repeat(262_145)), 'InvalidParameter');
      assert.equal(
        await call('SendEmail', { authorizationUserId: TOKEN, body: 'x'.repeat(4 * 1024 ** 2) }),
        'TooLarge',
      );
    }
  });
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import {
  ADA,
  ADMIN,
  BOB,
  checkRules,
  NEW_ARTICLE,
  NOW,
  OBSERVED,
  type Rules,
  SERVICE,
} from '../../kit/articles.ts';
import { forEachEngine } from '../../kit/database.ts';
import { HOSTILE_TEXT } from '../../kit/hostile-texts.ts';
import { refused } from '../../kit/refused.ts';

const creation: Rules = {
  'creates the article with every field, returns its key': async (desk, guid) => {
    const result = await desk.insert({
      guid,
      caption: '两室一厅',
      content: HOSTILE_TEXT,
      categoryGuid: 'housing',
      contactPhone: '+1 212 555 0100',
      pinnedTopDueDate: NOW + DAY_MS,
      CreateUserId: 'ada',
      IconGuid: '{0F8FAD5B-D9CB-469F-A165-70867728950E}',
      Status: -2_147_483_648,
      fromUrl: 'javascript:alert(1)',
    });
    assert.equal(result, guid);
    assert.deepEqual(await desk.article(guid), {
      ...NEW_ARTICLE,
      guid,
      owner: 'ada',
      caption: '两室一厅',
      content: HOSTILE_TEXT,
      category_key: 'housing',
      contact_phone: '+1 212 555 0100',
      pinned_until: NOW + DAY_MS,
      icon_guid: '0f8fad5b-d9cb-469f-a165-70867728950e',
      status: -2_147_483_648,
      from_url: 'javascript:alert(1)',
    });
  },

  'the key in any GUID form is one key: stored and returned in lower-case form D': async (
    desk,
    guid,
  ) => {
    const digits = guid.replaceAll('-', '');
    for (const form of [
      digits,
      `{${guid}}`,
      `(${guid.toUpperCase()})`,
      ` ${digits.toUpperCase()} `,
    ]) {
      assert.equal(await desk.insert({ guid: form, caption: 'c' }), guid);
    }
    assert.equal((await desk.article(guid)).revision, 1);
    assert.equal(await desk.pin(`{${guid.toUpperCase()}}`, NOW + 1), guid);
    assert.equal(await desk.categorise(digits, 'x'), guid);
    assert.equal(await desk.delete(`(${guid})`), guid);
  },

  'a key that is no GUID is opaque and case-sensitive': async (desk, guid) => {
    const key = `DOMAIN\\文章+${guid.slice(0, 8)}`;
    assert.equal(await desk.insert({ guid: ` ${key} `, caption: 'upper' }), key);
    assert.equal(
      await desk.insert({ guid: key.toLowerCase(), caption: 'lower' }),
      key.toLowerCase(),
    );
    assert.equal((await desk.article(key)).caption, 'upper');
  },

  'guid is required: absent, blank and all zeros are MissingParameter': async (desk) => {
    for (const guid of [undefined, '', ' ', '00000000-0000-0000-0000-000000000000']) {
      await refused(desk.insert({ guid, caption: 'c' }), 'MissingParameter', 'guid');
    }
  },

  'a key with control characters or of 65 characters is InvalidParameter': async (desk) => {
    for (const guid of ['a\nb', 'a\u0000b', '漢'.repeat(65)]) {
      await refused(desk.insert({ guid, caption: 'c' }), 'InvalidParameter', 'guid');
    }
  },

  'caption or content is required, blanks are neither': async (desk, guid) => {
    for (const text of [undefined, '', ' \t\n\u3000']) {
      const saysNothing = desk.insert({ guid, caption: text, content: text });
      await refused(saysNothing, 'MissingParameter', 'caption');
    }
    assert.equal(await desk.exists('articles', guid), false);
    await desk.insert({ guid: `${guid}-1`, caption: 'only a caption' });
    await desk.insert({ guid: `${guid}-2`, content: 'only content' });
  },

  'errors come in contract order': async (desk, guid) => {
    const bad = 'a\nb';
    const wrong = { guid, caption: 'c', categoryGuid: bad, CreateUserId: bad, IconGuid: bad };
    for (const [parameter, right, caller] of [
      ['guid', { guid: bad, caption: '' }],
      ['caption', { caption: '' }],
      ['categoryGuid', {}],
      ['CreateUserId', { categoryGuid: '' }],
      ['IconGuid', { categoryGuid: '', CreateUserId: '' }],
      ['categoryGuid', { CreateUserId: 'bob' }, ADA],
    ] as const)
      await assert.rejects(desk.insert({ ...wrong, ...right }, caller), { parameter });
  },

  'what is not given is not set: all-zero GUIDs, no pin, status 0': async (desk, guid) => {
    const zero = '00000000-0000-0000-0000-000000000000';
    const nothing = { categoryGuid: zero, CreateUserId: zero, IconGuid: zero };
    await desk.insert({ guid, content: 'c', ...nothing });
    assert.deepEqual(await desk.article(guid), { ...NEW_ARTICLE, guid, content: 'c' });
  },

  'a pin in the past is accepted': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c', pinnedTopDueDate: NOW - DAY_MS });
    assert.equal((await desk.article(guid)).pinned_until, NOW - DAY_MS);
  },

  'a category exists from first use, in its canonical form': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c', categoryGuid: `{${guid.toUpperCase()}}` });
    assert.equal(await desk.exists('categories', guid), true);
    assert.equal((await desk.article(guid)).category_key, guid);
  },

  'a creation is one row of the ledger: owner, network, time': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c', CreateUserId: 'ada' }, SERVICE, '2001:db8:1:2:3:4:5:6');
    assert.deepEqual(await desk.postings(guid), [
      { user_id: 'ada', network: '2001:db8:1:2::/64', at: NOW },
    ]);
  },
};

const replacing: Rules = {
  'the same content again: same answer, nothing is written': async (desk, guid) => {
    const said = { caption: 'c', content: HOSTILE_TEXT, categoryGuid: 'x' };
    const given = { guid, ...said, CreateUserId: 'ada', Status: 2 };
    await desk.insert(given);
    const before = await desk.everything(guid);
    desk.now += DAY_MS;
    assert.equal(await desk.insert({ ...given, guid: guid.toUpperCase() }), guid);
    assert.deepEqual(await desk.everything(guid), before);
  },

  'other content replaces; the earlier stays as a revision, with the call that wrote it': async (
    desk,
    guid,
  ) => {
    const first = { caption: 'one', content: HOSTILE_TEXT, categoryGuid: 'x', contactPhone: '1' };
    const rest = { pinnedTopDueDate: NOW + DAY_MS, IconGuid: 'icon', fromUrl: 'http://a' };
    await desk.insert({ guid, ...first, ...rest, Status: 1 });
    desk.now += 1000;
    await desk.insert({ guid, caption: 'two' }, ADMIN, '203.0.113.9');
    await desk.sees(guid, {
      ...{ ip: '203.0.113.9', token_id: 't-admin', caption: 'two', content: '', status: 0 },
      ...{ pinned_until: NOW + DAY_MS, revision: 2, created_at: NOW, updated_at: NOW + 1000 },
    });
    assert.deepEqual(await desk.revisions(guid), [
      {
        article_guid: guid,
        revision: 1,
        caption: 'one',
        content: HOSTILE_TEXT,
        category_key: 'x',
        contact_phone: '1',
        pinned_until: NOW + DAY_MS,
        icon_guid: 'icon',
        status: 1,
        from_url: 'http://a',
        ip: OBSERVED,
        claimed_ip: null,
        token_id: 't-service',
        recorded_at: NOW + 1000,
      },
    ]);
  },

  'a pin that is not given stays; a status is stored as sent, 0 included': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c', pinnedTopDueDate: NOW + DAY_MS, Status: 3 });
    await desk.insert({ guid, caption: 'c', Status: 0 });
    await desk.sees(guid, { pinned_until: NOW + DAY_MS, status: 0 });
    await desk.pin(guid, undefined);
    assert.equal((await desk.article(guid)).pinned_until, null);
  },

  'each field alone makes another content': async (desk, guid) => {
    const given = { guid, caption: 'c', content: 't' };
    await desk.insert(given);
    const texts = { caption: 'd', content: 'u', categoryGuid: 'x', contactPhone: '1' };
    const others = { pinnedTopDueDate: NOW, IconGuid: 'i', Status: 1, fromUrl: 'u' };
    const changes = Object.entries({ ...texts, ...others });
    for (const [index, [name, value]] of changes.entries()) {
      await desk.insert({ ...given, [name]: value });
      assert.equal((await desk.article(guid)).revision, index + 2, name);
    }
    assert.deepEqual(
      (await desk.revisions(guid)).map(({ revision }) => revision),
      changes.map((_, index) => index + 1),
    );
  },

  'replacing is no new creation: the ledger keeps the first row': async (desk, guid) => {
    await desk.insert({ guid, caption: 'one', CreateUserId: 'ada' });
    desk.now += DAY_MS;
    await desk.insert({ guid, caption: 'two', CreateUserId: 'ada' }, SERVICE, '203.0.113.9');
    assert.deepEqual(await desk.postings(guid), [{ user_id: 'ada', network: OBSERVED, at: NOW }]);
  },

  'restores the own article from the trash: with the same content without a revision': async (
    desk,
    guid,
  ) => {
    const given = { guid, caption: 'c', CreateUserId: 'ada' };
    await desk.insert(given);
    desk.now += 1000;
    await desk.delete(guid);
    desk.now = NOW + DAY_MS;
    assert.equal(await desk.insert(given), guid);
    await desk.sees(guid, { deleted_at: null, revision: 1, updated_at: NOW + DAY_MS });
    assert.equal((await desk.postings(guid)).length, 1);
    assert.deepEqual(await desk.actions(guid), ['create', 'trash', 'restore']);
  },

  'restores the own article from the trash: with other content and a revision': async (
    desk,
    guid,
  ) => {
    await desk.insert({ guid, caption: 'one' }, ADA);
    desk.now += 1000;
    await desk.delete(guid, ADA);
    desk.now += 1000;
    await desk.insert({ guid, caption: 'two' }, ADA);
    assert.deepEqual(await desk.actions(guid), ['create', 'trash', 'replace', 'restore']);
    await desk.sees(guid, { deleted_at: null, caption: 'two', revision: 2 });
    assert.deepEqual(
      (await desk.revisions(guid)).map(({ caption }) => caption),
      ['one'],
    );
    assert.equal((await desk.postings(guid)).length, 1);
  },
};

const ownership: Rules = {
  'service token: CreateUserId owns what it creates, and exists from then on': async (
    desk,
    guid,
  ) => {
    const user = `user-${guid}`;
    await desk.insert({ guid, caption: 'c', CreateUserId: user });
    assert.equal((await desk.article(guid)).owner, user);
    assert.equal(await desk.exists('users', user), true);
  },

  'service token without CreateUserId: the article has no owner, not even the default sender':
    async (desk, guid) => {
      await desk.insert({ guid, caption: 'c' });
      assert.equal((await desk.article(guid)).owner, null);
      assert.deepEqual(await desk.postings(guid), [{ user_id: null, network: OBSERVED, at: NOW }]);
    },

  'service token: another owner than CreateUserId is Forbidden, also in the trash; nothing is written':
    async (desk, guid) => {
      const stranger = `stranger-${guid}`;
      await desk.insert({ guid, caption: 'c', CreateUserId: 'ada' });
      for (const step of ['live', 'in the trash']) {
        const before = await desk.everything(guid);
        const given = { guid, caption: 'other', categoryGuid: stranger, CreateUserId: stranger };
        await assert.rejects(desk.insert(given), { code: 'Forbidden', parameter: 'guid' }, step);
        assert.deepEqual(await desk.everything(guid), before);
        await desk.delete(guid);
      }
      assert.equal(await desk.exists('users', stranger), false);
      assert.equal(await desk.exists('categories', stranger), false);
    },

  'service token without CreateUserId: the owner is not compared, and stays': async (
    desk,
    guid,
  ) => {
    await desk.insert({ guid, caption: 'c', CreateUserId: 'ada' });
    await desk.insert({ guid, caption: 'other' });
    await desk.sees(guid, { owner: 'ada', caption: 'other' });
  },

  'service token: an article without owner may be written for anyone, and stays without': async (
    desk,
    guid,
  ) => {
    await desk.insert({ guid, caption: 'c' });
    for (const CreateUserId of [`one-${guid}`, `two-${guid}`]) {
      await desk.insert({ guid, caption: CreateUserId, CreateUserId });
      assert.equal(await desk.exists('users', CreateUserId), true);
    }
    assert.equal((await desk.article(guid)).owner, null);
  },

  'user token: the bound user owns, named or not': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' }, ADA);
    await desk.insert({ guid, caption: 'd', CreateUserId: 'ada' }, ADA);
    await desk.sees(guid, { owner: 'ada', revision: 2 });
    assert.deepEqual(await desk.postings(guid), [{ user_id: 'ada', network: OBSERVED, at: NOW }]);
  },

  'user token: any other CreateUserId is Forbidden, whoever owns the article': async (
    desk,
    guid,
  ) => {
    const others = () => desk.insert({ guid, caption: 'd', CreateUserId: 'bob' }, ADA);
    await refused(others(), 'Forbidden', 'CreateUserId');
    assert.equal(await desk.exists('articles', guid), false);
    await desk.insert({ guid, caption: 'c' }, ADA);
    await refused(others(), 'Forbidden', 'CreateUserId');
  },

  'user token: another’s key is AlreadyExists, live, in the trash or without owner': async (
    desk,
    guid,
  ) => {
    const same = { guid, caption: 'c' };
    await desk.insert(same, BOB);
    await refused(desk.insert(same, ADA), 'AlreadyExists', 'guid');
    await desk.delete(guid, BOB);
    await refused(desk.insert(same, ADA), 'AlreadyExists', 'guid');
    const ownerless = `${guid}-1`;
    await desk.insert({ guid: ownerless, caption: 'c' });
    await refused(desk.insert({ guid: ownerless, caption: 'c' }, ADA), 'AlreadyExists', 'guid');
  },

  'admin token: overrides ownership; the owner stays': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' }, ADA);
    await desk.insert({ guid, caption: 'd', CreateUserId: 'bob' }, ADMIN);
    await desk.sees(guid, { owner: 'ada', caption: 'd' });
  },
};

forEachEngine((_, fresh) => {
  it('InsertArticle creates', (t) => checkRules(t, fresh, creation));
  it('InsertArticle replaces', (t) => checkRules(t, fresh, replacing));
  it('InsertArticle keeps to ownership', (t) => checkRules(t, fresh, ownership));
});

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
import { refused } from '../../kit/refused.ts';

const ZERO = '00000000-0000-0000-0000-000000000000';

const putting: Rules = {
  'creates an article under the key space of InsertArticle; what is absent is empty': async (
    desk,
    guid,
  ) => {
    assert.equal(await desk.update({ Id: `{${guid.toUpperCase()}}`, content: '文' }), guid);
    assert.deepEqual(await desk.article(guid), { ...NEW_ARTICLE, guid, content: '文' });
    assert.equal((await desk.postings(guid)).length, 1);
  },

  'Id is required': async (desk) => {
    for (const Id of [undefined, ' ', ZERO]) {
      await refused(desk.update({ Id, caption: 'c' }), 'MissingParameter', 'Id');
    }
  },

  'a creation needs caption or content': async (desk, guid) => {
    for (const text of [undefined, '', '  ']) {
      const saysNothing = desk.update({ Id: guid, caption: text, content: text, nodeId: guid });
      await refused(saysNothing, 'MissingParameter', 'caption');
    }
    assert.equal(await desk.exists('articles', guid), false);
    assert.equal(await desk.exists('categories', guid), false);
  },

  'absent keeps, and the fields it does not carry keep their values': async (desk, guid) => {
    const carried = { caption: 'c', content: 't', contactPhone: '1', categoryGuid: 'x' };
    const others = { pinnedTopDueDate: NOW + DAY_MS, IconGuid: 'i', fromUrl: 'http://a' };
    await desk.insert({ guid, ...carried, ...others, Status: 3, CreateUserId: 'ada' });
    const before = await desk.article(guid);
    await desk.update({ Id: guid, content: 'other' });
    assert.deepEqual(await desk.article(guid), {
      ...before,
      content: 'other',
      revision: 2,
      revision_bytes: 512 + before.caption.length + before.content.length,
    });
    assert.partialDeepStrictEqual(await desk.revisions(guid), [
      { caption: 'c', content: 't', pinned_until: NOW + DAY_MS, status: 3 },
    ]);
  },

  'present and empty clears, the all-zero GUID is not given and keeps': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c', content: 't', contactPhone: '1', categoryGuid: 'x' });
    await desk.update({ Id: guid, caption: '', contactPhone: '', nodeId: ZERO });
    await desk.sees(guid, { caption: '', content: 't', contact_phone: '', category_key: 'x' });
    await desk.update({ Id: guid, nodeId: ' ' });
    assert.equal((await desk.article(guid)).category_key, null);
  },

  'clearing both caption and content is MissingParameter, and nothing is written': async (
    desk,
    guid,
  ) => {
    await desk.insert({ guid, caption: 'c' });
    const before = await desk.everything(guid);
    const missing = { code: 'MissingParameter', parameter: 'caption' };
    const empty = [{ content: '', nodeId: guid }, {}, { caption: ' ', content: '\n' }];
    for (const given of empty)
      await assert.rejects(desk.update({ Id: guid, caption: '', ...given }), missing);
    assert.deepEqual(await desk.everything(guid), before);
    await desk.update({ Id: guid, caption: '', content: 't' });
  },

  'nothing given, or the same again, writes nothing, also with another ip': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c', categoryGuid: 'x' });
    const before = await desk.everything(guid);
    desk.now += DAY_MS;
    for (const given of [{}, { caption: 'c' }, { nodeId: 'x', ip: '203.0.113.1' }]) {
      assert.equal(await desk.update({ Id: guid, ...given }), guid);
    }
    assert.deepEqual(await desk.everything(guid), before);
  },

  'restores the own article from the trash, also with nothing given': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' }, ADA);
    await desk.delete(guid, ADA);
    await desk.update({ Id: guid }, ADA);
    assert.equal((await desk.article(guid)).deleted_at, null);
    await desk.delete(guid, ADA);
    await desk.update({ Id: guid, content: 't' }, ADA);
    await desk.sees(guid, {
      deleted_at: null,
      caption: 'c',
      content: 't',
      revision: 2,
    });
    assert.equal((await desk.postings(guid)).length, 1);
  },

  'a category exists from first use here too, at creation and later': async (desk, guid) => {
    await desk.update({ Id: guid, caption: 'c', nodeId: `a-${guid}` });
    await desk.update({ Id: guid, nodeId: `b-${guid}` });
    assert.equal(await desk.exists('categories', `a-${guid}`), true);
    assert.equal(await desk.exists('categories', `b-${guid}`), true);
  },

  'errors come in contract order': async (desk, guid) => {
    await assert.rejects(desk.update({ Id: 'a\nb', nodeId: 'a\nb' }), { parameter: 'Id' });
    await refused(desk.update({ Id: guid, nodeId: 'a\nb' }), 'InvalidParameter', 'nodeId');
  },
};

const addresses: Rules = {
  'a service token is believed: the ip it names is recorded and counted': async (desk, guid) => {
    for (const [index, caller] of [SERVICE, ADMIN].entries()) {
      const Id = `${guid}-${index}`;
      await desk.update({ Id, caption: 'c', ip: '::ffff:203.0.113.7' }, caller);
      await desk.sees(Id, { ip: '203.0.113.7', claimed_ip: null });
      assert.deepEqual(await desk.postings(Id), [
        { user_id: null, network: '203.0.113.7', at: NOW },
      ]);
    }
  },

  'a user token is not: the ip it names is kept as claimed, the observed one counted': async (
    desk,
    guid,
  ) => {
    await desk.update({ Id: guid, caption: 'c', ip: '2001:DB8::7' }, ADA);
    await desk.sees(guid, { ip: OBSERVED, claimed_ip: '2001:db8::7' });
    assert.deepEqual(await desk.postings(guid), [{ user_id: 'ada', network: OBSERVED, at: NOW }]);
  },

  'what is no address counts as empty': async (desk, guid) => {
    for (const ip of ['', 'unknown', 'unknown, 5.6.7.8', '1.2.3.4:port', '999.1.1.1']) {
      const Id = `${guid}-${ip}`;
      await desk.update({ Id, caption: 'c', ip });
      await desk.sees(Id, { ip: OBSERVED, claimed_ip: null });
    }
  },

  'each content keeps the address and the token of the call that wrote it': async (desk, guid) => {
    await desk.update({ Id: guid, caption: 'one', ip: '203.0.113.1' }, ADA);
    await desk.update({ Id: guid, caption: 'two', ip: '203.0.113.2' });
    await desk.update({ Id: guid, caption: 'three' }, ADMIN);
    const contents = [...(await desk.revisions(guid)), await desk.article(guid)];
    assert.deepEqual(
      contents.map(({ caption, ip, claimed_ip, token_id }) => [caption, ip, claimed_ip, token_id]),
      [
        ['one', OBSERVED, '203.0.113.1', 't-ada'],
        ['two', '203.0.113.2', null, 't-service'],
        ['three', OBSERVED, null, 't-admin'],
      ],
    );
  },
};

const ownership: Rules = {
  'service token: no owner parameter, so no check; a creation has no owner': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' }, ADA);
    await desk.update({ Id: guid, caption: 'd' });
    await desk.sees(guid, { owner: 'ada', caption: 'd' });
  },

  'user token: owns what it creates, writes only what it owns': async (desk, guid) => {
    await desk.update({ Id: guid, caption: 'c' }, ADA);
    await desk.update({ Id: guid, caption: 'd' }, ADA);
    await desk.sees(guid, { owner: 'ada', revision: 2 });
  },

  'user token: another’s key is AlreadyExists, also with nothing given, in the trash and without owner':
    async (desk, guid) => {
      await desk.insert({ guid, caption: 'c' }, BOB);
      const before = await desk.everything(guid);
      await refused(desk.update({ Id: guid, caption: 'c' }, ADA), 'AlreadyExists', 'Id');
      await refused(desk.update({ Id: guid }, ADA), 'AlreadyExists', 'Id');
      assert.deepEqual(await desk.everything(guid), before);
      await desk.delete(guid, BOB);
      await refused(desk.update({ Id: guid, caption: 'c' }, ADA), 'AlreadyExists', 'Id');
      await desk.insert({ guid: `${guid}-1`, caption: 'c' });
      await refused(desk.update({ Id: `${guid}-1`, caption: 'c' }, ADA), 'AlreadyExists', 'Id');
    },
};

forEachEngine((_, fresh) => {
  it('UpdateOrInsertArticleById creates and updates', (t) => checkRules(t, fresh, putting));
  it('UpdateOrInsertArticleById records addresses', (t) => checkRules(t, fresh, addresses));
  it('UpdateOrInsertArticleById keeps to ownership', (t) => checkRules(t, fresh, ownership));
});

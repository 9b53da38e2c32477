import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MINUTE_MS } from '@ws01/asmx/time';
import { RETRY_MS } from '../../../src/domain/adverts/create.ts';
import { forEachEngine } from '../../kit/database.ts';
import { HOSTILE_TEXT } from '../../kit/hostile-texts.ts';
import {
  ADA,
  ADMIN,
  BOB,
  checkRules,
  NOW,
  OBSERVED,
  type OperationDesk,
  type Rules,
  SERVICE,
} from '../../kit/operation-desk.ts';

const OPERATION = 'addNewAdvert';
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function advert(desk: OperationDesk, guid: string) {
  return desk.store.read((db) =>
    db.selectFrom('adverts').selectAll().where('guid', '=', guid).executeTakeFirstOrThrow(),
  );
}

/** The deadline that a text means. */
async function deadlineOf(desk: OperationDesk, showDeadLine: string): Promise<string | null> {
  const guid = await desk.call(OPERATION, { title: 't', showDeadLine });
  const { deadline } = await advert(desk, guid);
  return deadline === null ? null : new Date(deadline).toISOString();
}

function postings(desk: OperationDesk, guid: string) {
  return desk.store.read((db) =>
    db
      .selectFrom('postings')
      .select(['kind', 'user_id', 'network', 'at'])
      .where('record_key', '=', guid)
      .execute(),
  );
}

const creation: Rules = {
  'creates the advert with every field, returns its key': async (desk, guid) => {
    const result = await desk.call(OPERATION, {
      guid: `{${guid.toUpperCase()}}`,
      CreateUserId: 'DOMAIN\\user',
      title: 'Ｓale 夏物',
      detail: HOSTILE_TEXT,
      linkTxt: 'Read <more>',
      linkUrl: ' https://example.com/出?a=1&b=2 ',
      showDeadLine: '2030-01-31',
      postAtCategoryGuid: ' 住宅 ',
      isImage: true,
      imgGuid: '{0F8FAD5B-D9CB-469F-A165-70867728950E}',
    });
    assert.equal(result, guid);
    const { search_text, title_key, ...row } = await advert(desk, guid);
    assert.deepEqual(row, {
      guid,
      owner: 'DOMAIN\\user',
      created_at: NOW,
      updated_at: NOW,
      held_at: null,
      removed_at: null,
      title: 'Ｓale 夏物',
      deadline: Date.parse('2030-01-31T23:59:59.999Z'),
      category_key: '住宅',
      link_txt: 'Read <more>',
      link_url: 'https://example.com/出?a=1&b=2',
      is_image: 1,
      img_guid: '0f8fad5b-d9cb-469f-a165-70867728950e',
      ip: OBSERVED,
      retry_key: null,
      search_id: null,
      detail: HOSTILE_TEXT,
    });
    assert.equal(title_key, 'SALE 夏物');
    assert.ok(search_text.includes('한국어'));
  },

  'one creation is one posting of its publisher and of the address': async (desk, guid) => {
    const given = { guid, title: 't', CreateUserId: 'ada' };
    await desk.call(OPERATION, given);
    desk.now += 1;
    await desk.call(OPERATION, given);
    assert.deepEqual(await postings(desk, guid), [
      { kind: 2, user_id: 'ada', network: OBSERVED, at: NOW },
    ]);
  },

  'one creation is one line of the audit trail, with the credential': async (desk, guid) => {
    await desk.call(OPERATION, { guid, title: 't' });
    await desk.call(OPERATION, { guid, title: 't' });
    assert.deepEqual(await desk.audit('advert', guid), [
      { action: 'advert.create', details: {}, token_id: SERVICE.tokenId },
    ]);
  },

  'its publisher, when a service names them, and its category exist from then on': async (
    desk,
    key,
  ) => {
    const [user, category] = [`user ${key}`, `category ${key}`];
    await desk.call(OPERATION, {
      title: 't',
      CreateUserId: user,
      postAtCategoryGuid: category,
    });
    const [users, categories] = await desk.store.read((db) =>
      Promise.all([
        db.selectFrom('users').select('registered').where('id', '=', user).execute(),
        db.selectFrom('categories').select('created_at').where('key', '=', category).execute(),
      ]),
    );
    assert.deepEqual([users, categories], [[{ registered: 0 }], [{ created_at: NOW }]]);
  },
};

const required: Rules = {
  'title is required and more than blanks': async (desk) => {
    for (const title of [undefined, '', ' \u3000\n']) {
      await desk.refuses('MissingParameter', 'title', OPERATION, { title });
    }
  },

  'linkUrl is empty or an absolute http or https URL': async (desk, key) => {
    for (const linkUrl of ['', 'http://a', 'HTTPS://例え.jp/x?y#z', 'example.com/sale']) {
      await desk.call(OPERATION, { title: `${key} ${linkUrl}`, linkUrl });
    }
    for (const linkUrl of [
      'javascript:alert(1)',
      '/sale',
      'ftp://a/b',
      'http://',
      'mailto:a@b.c',
    ]) {
      await desk.refuses('InvalidParameter', 'linkUrl', OPERATION, { title: 't', linkUrl });
    }
  },

  'an image advert needs the key of its image, which need not exist': async (desk, key) => {
    for (const imgGuid of [undefined, '', '00000000-0000-0000-0000-000000000000']) {
      await desk.refuses('MissingParameter', 'imgGuid', OPERATION, {
        title: 't',
        isImage: true,
        imgGuid,
      });
    }
    assert.equal(
      await desk.call(OPERATION, { guid: key, title: 't', isImage: true, imgGuid: 'nowhere' }),
      key,
    );
  },

  'the first wrong parameter in contract order is the one that is told': async (desk) => {
    const wrong = {
      guid: 'x'.repeat(65),
      CreateUserId: '\u0001',
      linkUrl: 'ftp://x',
      showDeadLine: 'x',
    };
    await desk.refuses('InvalidParameter', 'guid', OPERATION, wrong);
    await desk.refuses('InvalidParameter', 'CreateUserId', OPERATION, { ...wrong, guid: '' });
    const untitled = { ...wrong, guid: '', CreateUserId: 'bob' };
    await desk.refuses('MissingParameter', 'title', OPERATION, untitled, ADA);
    const rest = { title: 't', linkUrl: 'ftp://x', showDeadLine: 'x' };
    await desk.refuses('InvalidParameter', 'linkUrl', OPERATION, rest);
    await desk.refuses('InvalidParameter', 'showDeadLine', OPERATION, {
      ...rest,
      linkUrl: '',
    });
  },
};

const deadlines: Rules = {
  'showDeadLine without a time is the end of that day in the time zone': async (desk) => {
    for (const text of ['2030-01-31', '2030/1/31', '1/31/2030', '2030年1月31日']) {
      assert.equal(await deadlineOf(desk, text), '2030-01-31T15:59:59.999Z', text);
    }
  },
  'showDeadLine with a time and no zone is wall-clock time there': async (desk) => {
    for (const text of ['2030-01-31T09:30:00', '2030-01-31 09:30', '1/31/2030 9:30 AM']) {
      assert.equal(await deadlineOf(desk, text), '2030-01-31T01:30:00.000Z', text);
    }
  },
  'showDeadLine with a zone is that instant': async (desk) => {
    assert.equal(
      await deadlineOf(desk, '2030-01-31T09:30:00.250-05:00'),
      '2030-01-31T14:30:00.250Z',
    );
    assert.equal(await deadlineOf(desk, '2030-01-31T09:30:00Z'), '2030-01-31T09:30:00.000Z');
  },
  'an empty or .NET-empty showDeadLine is no deadline': async (desk) => {
    for (const text of ['', ' ', '0001-01-01T00:00:00', '1900-01-01T00:00:00.000Z', '0001-01-01']) {
      assert.equal(await deadlineOf(desk, text), null, text);
    }
  },
  'a past showDeadLine is accepted': async (desk) => {
    assert.equal(await deadlineOf(desk, '1999-12-31T00:00:00Z'), '1999-12-31T00:00:00.000Z');
  },
};

const repeats: Rules = {
  'the same call again returns the same key, also long after': async (desk, guid) => {
    const given = {
      guid,
      title: 't',
      detail: HOSTILE_TEXT,
      showDeadLine: '2030-01-31',
      CreateUserId: 'ada',
    };
    await desk.call(OPERATION, given);
    desk.now += 10 * RETRY_MS;
    assert.equal(await desk.call(OPERATION, { ...given, guid: guid.replaceAll('-', '') }), guid);
    assert.equal((await advert(desk, guid)).created_at, NOW);
  },

  'any other content or publisher under the key is AlreadyExists, and changes nothing': async (
    desk,
    guid,
  ) => {
    const given = { guid, title: 't', CreateUserId: 'ada' };
    await desk.call(OPERATION, given);
    const before = await advert(desk, guid);
    const others = [
      ...[{ title: 'T' }, { detail: ' ' }, { linkTxt: 'x' }, { linkUrl: 'http://a' }],
      ...[{ showDeadLine: '2030-01-31' }, { postAtCategoryGuid: 'c' }, { imgGuid: 'i' }],
      ...[{ isImage: true, imgGuid: 'i' }, { CreateUserId: 'bob' }, { CreateUserId: '' }],
    ];
    for (const other of others) {
      await desk.refuses('AlreadyExists', 'guid', OPERATION, { ...given, ...other });
    }
    await desk.refuses('AlreadyExists', 'guid', OPERATION, { ...given, title: 'T' }, ADMIN);
    assert.deepEqual(await advert(desk, guid), before);
  },

  'without a key, or with the all-zero GUID, the server makes a UUIDv7': async (desk, key) => {
    for (const guid of [undefined, '', '  ', '{00000000-0000-0000-0000-000000000000}']) {
      assert.match(await desk.call(OPERATION, { guid, title: `${key} ${guid}` }), UUID_V7);
    }
  },

  'without a key, the same call within twelve hours returns the same key': async (desk, key) => {
    const given = { title: key, CreateUserId: 'ada', detail: HOSTILE_TEXT };
    const first = await desk.call(OPERATION, given);
    for (const later of [0, 1, RETRY_MS - 1]) {
      desk.now = NOW + later;
      assert.equal(await desk.call(OPERATION, given), first);
    }
    assert.equal((await postings(desk, first)).length, 1);
  },

  'without a key, the same content twelve hours later is another advert, itself recognised': async (
    desk,
    key,
  ) => {
    const first = await desk.call(OPERATION, { title: key });
    desk.now += RETRY_MS;
    const second = await desk.call(OPERATION, { title: key });
    assert.notEqual(second, first);
    desk.now += RETRY_MS - 1;
    assert.equal(await desk.call(OPERATION, { title: key }), second);
    desk.now += 1;
    assert.notEqual(await desk.call(OPERATION, { title: key }), second);
  },

  'without a key, another field, publisher or credential is another advert': async (desk, key) => {
    const others = [
      {},
      { detail: 'x' },
      { linkTxt: 'x' },
      { CreateUserId: 'ada' },
      { CreateUserId: 'bob' },
    ];
    const keys = await Promise.all(
      others.map((other) => desk.call(OPERATION, { title: key, ...other })),
    );
    keys.push(await desk.call(OPERATION, { title: key }, ADMIN));
    keys.push(await desk.call(OPERATION, { title: key, CreateUserId: 'ada' }, ADA));
    assert.equal(new Set(keys).size, keys.length);
  },
};

const owners: Rules = {
  'a user token publishes as its user, named or not': async (desk, key) => {
    const keys = [await desk.call(OPERATION, { guid: `${key} a`, title: 't' }, ADA)];
    keys.push(
      await desk.call(OPERATION, { guid: `${key} b`, title: 't', CreateUserId: 'ada' }, ADA),
    );
    for (const guid of keys) {
      assert.equal((await advert(desk, guid)).owner, 'ada');
    }
  },

  'a user token that names another user is Forbidden': async (desk) => {
    const given = { title: 't', CreateUserId: 'bob' };
    await desk.refuses('Forbidden', 'CreateUserId', OPERATION, given, ADA);
  },

  'a key of another user is AlreadyExists, though the content be the same': async (desk, guid) => {
    await desk.call(OPERATION, { guid, title: 't' }, ADA);
    await desk.refuses('AlreadyExists', 'guid', OPERATION, { guid, title: 't' }, BOB);
  },

  'adverts have their own key space': async (desk, guid) => {
    await desk.call('InsertArticle', { guid, caption: 'c', CreateUserId: 'ada' });
    assert.equal(await desk.call(OPERATION, { guid, title: 't', CreateUserId: 'bob' }), guid);
  },
};

forEachEngine((_, fresh) => {
  it('addNewAdvert creates', (t) => checkRules(t, fresh, creation));
  it('addNewAdvert asks for what it needs', (t) => checkRules(t, fresh, required));
  it('addNewAdvert reads deadlines', (t) =>
    checkRules(t, fresh, deadlines, { timeZone: 'Asia/Shanghai' }));
  it('addNewAdvert may be retried', (t) => checkRules(t, fresh, repeats));
  it('addNewAdvert knows owners', (t) => checkRules(t, fresh, owners));

  it('the posts of a user token are budgeted, repeats and refused calls not', async (t) => {
    const rates = { postsPerUser: [{ limit: 2, window: 10 * MINUTE_MS }] };
    await checkRules(
      t,
      fresh,
      {
        'two and no more, service tokens without bounds': async (desk, key) => {
          const post = (title: string, caller = ADA) =>
            desk.call(OPERATION, { guid: `${key} ${title}`, title }, caller);
          for (const title of ['a', 'a', 'b', 'a', 'b']) {
            await post(title);
          }
          const other = { guid: `${key} a`, title: 'x' };
          await desk.refuses('AlreadyExists', 'guid', OPERATION, other, ADA);
          await desk.refuses('RateLimited', undefined, OPERATION, { title: 'c' }, ADA);
          await post('a');
          for (const title of ['c', 'd', 'e']) {
            await post(title, SERVICE);
          }
          desk.now += 10 * MINUTE_MS;
          await post('f');
        },
      },
      { rates },
    );
  });
});

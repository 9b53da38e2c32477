import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MINUTE_MS } from '@ws01/asmx/time';
import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import { forEachEngine } from '../../kit/database.ts';
import { ANYBODY, checkRules, NOW, OperationDesk, type Rules } from '../../kit/operation-desk.ts';
import { publish, query, titles } from './listing.ts';

/** Sees the titles that a list has, in this order. */
async function sees(desk: OperationDesk, user: string, all: string, given = {}): Promise<void> {
  assert.equal((await titles(desk, user, given)).join(' '), all);
}

const listing: Rules = {
  'shows every field; what is not there is null, empty text is empty': async (desk, user) => {
    const guid = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const full = {
      guid,
      title: '<&>"\'',
      detail: '漢字\n한국어 😀',
      linkTxt: 'l',
      linkUrl: 'https://a/?b=1&c',
      showDeadLine: '2030-01-31T00:00:00+08:00',
      postAtCategoryGuid: 'housing',
      isImage: true,
      imgGuid: 'picture',
    };
    await publish(desk, user, [{ guid: `bare ${user}`, title: 'bare' }, full]);
    assert.deepEqual(await query(desk, user), {
      items: [
        {
          ...full,
          createUserId: user,
          showDeadLine: '2030-01-30T16:00:00.000Z',
          isCurrent: true,
          imageUrl: 'https://media.example/picture',
          createdAt: '2026-11-21T12:00:00.002Z',
          owner: user,
          updatedAt: '2026-11-21T12:00:00.002Z',
        },
        {
          guid: `bare ${user}`,
          createUserId: user,
          title: 'bare',
          detail: '',
          linkTxt: '',
          linkUrl: '',
          showDeadLine: null,
          isCurrent: true,
          postAtCategoryGuid: null,
          isImage: false,
          imgGuid: null,
          imageUrl: null,
          createdAt: '2026-11-21T12:00:00.001Z',
          owner: user,
          updatedAt: '2026-11-21T12:00:00.001Z',
        },
      ],
      pageIndex: 1,
      pageSize: 20,
      total: 2,
      totalPages: 1,
      warnings: [],
    });
  },

  'shows texts of any length and script as they were sent': async (desk, user) => {
    const pieces = ['漢字', 'Zürich ', 'plain ', '😀 ', '\ufeff한국어'];
    // The lengths about that from which texts are read otherwise, in characters of one to four bytes.
    const lengths = [1, 120, 130, 160, 170, 249, 250, 251, 499, 500, 501, 5_000];
    const texts = pieces.flatMap((piece) =>
      lengths.map((length) => piece.repeat(length).slice(0, length).toWellFormed()),
    );
    const bomFirst = `\ufeff${'漢'.repeat(600)}`;
    await publish(
      desk,
      user,
      [...texts, bomFirst].map((detail, at) => ({ title: String(at), detail })),
    );
    for (const orderBy of ['created', 'title']) {
      const { items } = await query(desk, user, { pagesize: 100, orderBy });
      const shown = new Map(items.map(({ title, detail }) => [title, detail]));
      assert.deepEqual(
        [...texts, bomFirst].map((_, at) => shown.get(String(at))),
        [...texts, bomFirst],
      );
    }
  },

  'has its fields in the documented order': async (desk, user) => {
    await publish(desk, user, [{ title: 't' }]);
    const text = await desk.call('QueryAdvert', { userId: user }, ANYBODY);
    assert.deepEqual(
      Object.keys(JSON.parse(text)),
      words('items pageIndex pageSize total totalPages warnings'),
    );
    assert.deepEqual(
      Object.keys(JSON.parse(text).items[0]).join(),
      'guid,createUserId,title,detail,linkTxt,linkUrl,showDeadLine,isCurrent,postAtCategoryGuid,isImage,imgGuid,imageUrl,createdAt,owner,updatedAt',
    );
  },

  'is current until the deadline, by the clock at reading; past adverts are listed': async (
    desk,
    user,
  ) => {
    const showDeadLine = new Date(NOW + 1000).toISOString();
    await publish(desk, user, [
      { title: 'past', showDeadLine: '1999-01-01' },
      { title: 'soon', showDeadLine },
    ]);
    const current = async () =>
      (await query(desk, user)).items.map(({ title, isCurrent }) => [title, isCurrent]);
    desk.now = NOW + 999;
    assert.deepEqual(await current(), [
      ['soon', true],
      ['past', false],
    ]);
    desk.now = NOW + 1000;
    assert.deepEqual(await current(), [
      ['soon', false],
      ['past', false],
    ]);
  },

  'an image that is not there has no URL': async (desk, user) => {
    await publish(desk, user, [{ title: 't', isImage: true, imgGuid: 'missing' }]);
    assert.deepEqual(
      (await query(desk, user)).items.map(({ imgGuid, imageUrl }) => [imgGuid, imageUrl]),
      [['missing', null]],
    );
  },

  'only the publisher’s adverts; the user’s key in any GUID form; an unknown user has none': async (
    desk,
    user,
  ) => {
    await publish(desk, user, [{ title: 'mine' }]);
    await publish(desk, `other ${user}`, [{ title: 'other' }]);
    await sees(desk, `{${user.toUpperCase()}}`, 'mine');
    const none = await query(desk, `nobody ${user}`);
    assert.deepEqual([none.items, none.total, none.totalPages], [[], 0, 0]);
  },

  'userId is required': async (desk) => {
    for (const userId of [undefined, '', ' ', '00000000000000000000000000000000']) {
      await desk.refuses('MissingParameter', 'userId', 'QueryAdvert', { userId }, ANYBODY);
    }
  },
};

const orders: Rules = {
  'newest first by default': async (desk, user) => {
    await publish(desk, user, [{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
    await sees(desk, user, 'c b a');
    await sees(desk, user, 'a b c', { sort: 'asc' });
    await sees(desk, user, 'a b c', { orderBy: ' Created ', sort: 'ASC' });
  },

  'by title, whatever the capitals, accents and width': async (desk, user) => {
    const all = ['zoo', 'Äpfel', 'ｂanana', '东京', '나무', 'apple'];
    await publish(
      desk,
      user,
      all.map((title) => ({ title })),
    );
    const sorted = ['Äpfel', 'apple', 'ｂanana', 'zoo', '东京', '나무'];
    assert.deepEqual(await titles(desk, user, { orderBy: 'title', sort: 'asc' }), sorted);
    assert.deepEqual(
      await titles(desk, user, { orderBy: 'title', sort: 'desc' }),
      sorted.toReversed(),
    );
  },

  'by deadline: one that is always current has the last of all': async (desk, user) => {
    await publish(desk, user, [
      { title: 'always' },
      { title: '2031', showDeadLine: '2031-01-01' },
      { title: '1999', showDeadLine: '1999-01-01' },
    ]);
    await sees(desk, user, '1999 2031 always', { orderBy: 'deadline', sort: 'asc' });
    await sees(desk, user, 'always 2031 1999', { orderBy: 'deadline', sort: 'desc' });
  },

  'by category: uncategorised before all': async (desk, user) => {
    await publish(desk, user, [
      { title: 'b', postAtCategoryGuid: 'b' },
      { title: 'none' },
      { title: 'a', postAtCategoryGuid: 'a' },
    ]);
    await sees(desk, user, 'none a b', { orderBy: 'category', sort: 'asc' });
    await sees(desk, user, 'b a none', { orderBy: 'category', sort: 'desc' });
  },

  'what is equal is in the order of the keys, in every order and direction': async (desk, user) => {
    const keys = ['k3', 'k1', 'k2'].map((key) => `${key} ${user}`);
    for (const guid of keys) {
      await desk.call('addNewAdvert', { guid, title: 'same', CreateUserId: user });
    }
    for (const orderBy of ['created', 'title', 'deadline', 'category']) {
      for (const sort of ['asc', 'desc']) {
        const guids = (await query(desk, user, { orderBy, sort })).items.map(({ guid }) => guid);
        assert.deepEqual(
          guids,
          sort === 'asc' ? keys.toSorted() : keys.toSorted().toReversed(),
          `${orderBy} ${sort}`,
        );
      }
    }
  },

  'an unknown orderBy or sort is the default, with a warning for each': async (desk, user) => {
    await publish(desk, user, [{ title: 'a' }, { title: 'b' }]);
    const { items, warnings } = await query(desk, user, {
      orderBy: '__proto__',
      sort: 'up; drop table adverts',
    });
    assert.deepEqual(
      items.map(({ title }) => title),
      ['b', 'a'],
    );
    assert.deepEqual(warnings, [
      'orderBy "__proto__" is unknown; created was used.',
      'sort "up; drop table adverts" is unknown; desc was used.',
    ]);
    assert.deepEqual((await query(desk, user, { orderBy: '', sort: ' ' })).warnings, []);
  },
};

const pages: Rules = {
  'every advert is on exactly one page, in every order': async (desk, user) => {
    await publish(
      desk,
      user,
      Array.from({ length: 7 }, (_, n) => ({ title: `same ${n % 2}`, detail: `${n}` })),
    );
    for (const orderBy of ['created', 'title', 'deadline', 'category']) {
      const guids: unknown[] = [];
      for (const pageindex of [1, 2, 3, 4]) {
        const page = await query(desk, user, { orderBy, pagesize: 2, pageindex });
        assert.deepEqual(
          [page.pageIndex, page.pageSize, page.total, page.totalPages],
          [pageindex, 2, 7, 4],
        );
        guids.push(...page.items.map(({ guid }) => guid));
      }
      assert.equal(new Set(guids).size, 7, orderBy);
    }
  },

  'past the end there are no items, and the total all the same': async (desk, user) => {
    await publish(desk, user, [{ title: 'a' }, { title: 'b' }]);
    const past = await query(desk, user, { pagesize: 2, pageindex: 2 });
    assert.deepEqual([past.items, past.pageIndex, past.total, past.totalPages], [[], 2, 2, 1]);
    const far = await query(desk, user, { pagesize: 100, pageindex: 2_147_483_647 });
    assert.deepEqual([far.items, far.total], [[], 2]);
  },

  'page 0 and below is the first, size 0 and below is 20, over 100 is 100': async (desk, user) => {
    await publish(
      desk,
      user,
      Array.from({ length: 101 }, (_, n) => ({ title: `${n}` })),
    );
    for (const [pagesize, pageindex, size] of [
      [0, 0, 20],
      [-1, -5, 20],
      [101, 1, 100],
      [2_147_483_647, -2_147_483_648, 100],
      [1, 1, 1],
    ] as const) {
      const { items, pageIndex, pageSize, total } = await query(desk, user, {
        pagesize,
        pageindex,
      });
      assert.deepEqual([items.length, pageIndex, pageSize, total], [size, 1, size, 101]);
    }
  },
};

const imageUrls = async (keys: readonly string[]) =>
  new Map(
    keys.filter((key) => key !== 'missing').map((key) => [key, `https://media.example/${key}`]),
  );

forEachEngine((_, fresh) => {
  it('QueryAdvert lists', (t) => checkRules(t, fresh, listing, { imageUrls }));
  it('QueryAdvert sorts', (t) => checkRules(t, fresh, orders));
  it('QueryAdvert pages', (t) => checkRules(t, fresh, pages));
  it('QueryAdvert is budgeted by address', async (t) => {
    const rates = { queriesPerAddress: [{ limit: 2, window: MINUTE_MS }] };
    const desk = new OperationDesk(await (await fresh(t)).open(), { rates });
    await desk.refuses('MissingParameter', 'userId', 'QueryAdvert', {}, ANYBODY);
    await query(desk, 'ada');
    await query(desk, 'bob');
    await desk.refuses('RateLimited', undefined, 'QueryAdvert', { userId: 'ada' }, ANYBODY);
    await desk.call('QueryAdvert', { userId: 'ada' }, ANYBODY, '203.0.113.1');
    desk.now += MINUTE_MS;
    await query(desk, 'ada');
  });
});

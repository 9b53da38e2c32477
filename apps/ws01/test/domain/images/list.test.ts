import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MINUTE_MS } from '@ws01/asmx/time';
import fc from 'fast-check';
import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import { searchTextOf } from '../../../src/domain/images/listing/search.ts';
import { refoldAll } from '../../../src/domain/search-folding.ts';
import { termsOf, termsOfWords } from '../../../src/domain/shared/search-terms.ts';
import { searchWords } from '../../../src/domain/values/search-text.ts';
import { indexTerms } from '../../../src/store/text-index.ts';
import { forBothEngines } from '../../kit/database.ts';
import { blackPng } from '../../kit/images/containers.ts';
import { ANYBODY, type ImageDesk, openImageDesk, SERVICE } from '../../kit/images/desk.ts';

/** Uploads images one millisecond apart. */
async function uploadAll(
  desk: ImageDesk,
  images: Readonly<Record<string, Record<string, unknown>>>,
): Promise<void> {
  for (const [key, given] of Object.entries(images)) {
    desk.now += 1;
    await desk.upload(key, given);
  }
}

/** Sees the keys that a list has, in this order. */
async function listed(
  desk: ImageDesk,
  given: Readonly<Record<string, unknown>>,
  keys: string,
): Promise<void> {
  assert.equal((await desk.keys(given)).join(' '), keys, JSON.stringify(given));
}

forBothEngines((_engine, fresh) => {
  it('finds whatever the accents, and what the rules of 0.2.0 folded after it was folded again', async (t) => {
    const desk = await openImageDesk(t, fresh);
    const found = async (query: string) =>
      JSON.parse((await desk.call('QueryImgData', { query }, ANYBODY)) as string).total;
    await desk.upload('one', { category: 'Βορράς İstanbul' });
    assert.deepEqual([await found('ΒΟΡΡΑΣ'), await found('istanbul')], [1, 1]);
    await desk.store.write(async (tx) => {
      const before = 'ΒΟΡΡΆΣ İSTANBUL\nONE';
      const set = { search_text: before };
      const { id } = await tx
        .updateTable('images')
        .set(set)
        .returning('id')
        .executeTakeFirstOrThrow();
      indexTerms(tx, 'image_search', id, termsOf(before));
    });
    assert.deepEqual([await found('ΒΟΡΡΑΣ'), await found('istanbul')], [0, 0]);
    await refoldAll(desk.store);
    assert.deepEqual([await found('ΒΟΡΡΑΣ'), await found('istanbul')], [1, 1]);
  });

  it('shows every field in the documented order; what is not there is null, empty text is empty', async (t) => {
    const desk = await openImageDesk(t, fresh);
    const guid = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const picture = blackPng(30, 20);
    await desk.upload(
      `{${guid.toUpperCase()}}`,
      { Link_Guid: ' l ', category: '猫 <&>"\'', IsIcons: true },
      SERVICE,
      picture,
    );
    desk.now += 1;
    await desk.upload('bare', {}, SERVICE, picture);
    const text = (await desk.call('QueryImgData', {}, ANYBODY)) as string;
    const { items, ...envelope } = JSON.parse(text);
    assert.deepEqual(
      Object.keys(JSON.parse(text)),
      words('items pageIndex pageSize total totalPages warnings'),
    );
    const page = { pageIndex: 1, pageSize: 20, total: 2, totalPages: 1 };
    assert.deepEqual(envelope, { ...page, warnings: [] });
    const { hash } = (await desk.row('bare'))!;
    const shared = {
      url: `https://example.com/ws/media/${hash}.png`,
      iconUrl: `https://example.com/ws/media/${hash}-icon.png`,
      contentType: 'image/png',
      width: 30,
      height: 20,
      bytes: picture.length,
    };
    const bare = { fileGuid: 'bare', linkGuid: null, category: '', isIcon: false, ...shared };
    const full = { fileGuid: guid, linkGuid: 'l', category: '猫 <&>"\'', isIcon: true, ...shared };
    assert.deepEqual(items, [
      {
        ...bare,
        createdAt: '2026-11-21T12:00:00.001Z',
        owner: null,
        updatedAt: '2026-11-21T12:00:00.001Z',
      },
      {
        ...full,
        createdAt: '2026-11-21T12:00:00.000Z',
        owner: null,
        updatedAt: '2026-11-21T12:00:00.000Z',
      },
    ]);
    assert.equal(
      Object.keys(items[0]!).join(),
      'fileGuid,linkGuid,category,isIcon,url,iconUrl,contentType,width,height,bytes,createdAt,owner,updatedAt',
    );
  });

  it('filters: link, icons, category of the image or of what it belongs to; ip is none', async (t) => {
    const desk = await openImageDesk(t, fresh);
    await desk.call('InsertArticle', { guid: 'art', caption: 'c', categoryGuid: 'Housing' });
    await uploadAll(desk, {
      a: { Link_Guid: 'art', category: 'x' },
      b: { Link_Guid: 'art', category: 'Housing', IsIcons: true },
      c: { Link_Guid: 'other', category: 'Housing', ip: '203.0.113.7' },
      d: { category: '{0F8FAD5B-D9CB-469F-A165-70867728950E}', IsIcons: true },
      e: {},
    });
    await listed(desk, { linkGuid: 'art' }, 'b a');
    await listed(desk, { ImgIcon: true }, 'd b');
    await listed(desk, { nodeId: 'Housing' }, 'c b a');
    await listed(desk, { nodeId: 'housing' }, '');
    await listed(desk, { nodeId: '0f8fad5bd9cb469fa16570867728950e' }, 'd');
    await listed(desk, { nodeId: 'Housing', linkGuid: 'art', ImgIcon: true }, 'b');
    await listed(desk, { ip: '198.51.100.1' }, 'e d c b a');
    assert.deepEqual((await desk.list({ linkGuid: 'unknown' })).total, 0);
    // The article moves, goes to the trash and comes back.
    await desk.call('UpdateArticleCategory', { guid: 'art', cateId: 'jobs' });
    await listed(desk, { nodeId: 'jobs' }, 'b a');
    await desk.call('DeleteArticleByGuid', { guid: 'art' });
    await listed(desk, { nodeId: 'jobs' }, '');
    await desk.call('UpdateOrInsertArticleById', { Id: 'art' });
    await listed(desk, { nodeId: 'jobs' }, 'b a');
  });

  it('finds texts of one, two and more characters in category, key and caption, whenever that was written', async (t) => {
    const desk = await openImageDesk(t, fresh);
    await desk.call('InsertArticle', { guid: 'art', caption: '两室一厅出租 Flat ＡＢＣ' });
    await uploadAll(desk, {
      'key-1': { category: '风景照片', Link_Guid: 'art' },
      'key-2': { category: 'Straße 100%_!', Link_Guid: 'advert' },
      'key-3': { category: '東京タワー 한국어 😀', Link_Guid: 'later' },
    });
    await desk.call('addNewAdvert', { guid: 'advert', title: '中古自転車' });
    await desk.call('InsertArticle', { guid: 'later', caption: '后来的标题' });
    const found = {
      'key-1': ['风', '一厅', '景照', '出租', '两室一厅出租', 'abc FLAT'],
      'key-2': ['中古', 'strasse', '100%', '0%_!', '%', '-2'],
      'key-3': ['タワー', 'ﾀﾜｰ', '국', '😀', '标题', 'key-3 标题 東'],
      'key-3 key-2 key-1': ['KEY-', '   '],
      '': ['照风', '片两', '風', 'key-3 出租', '" OR 1=1 --', 't123 OR NEAR(a)'],
    };
    for (const [keys, queries] of Object.entries(found)) {
      const count = keys === '' ? 0 : keys.split(' ').length;
      for (const query of queries) {
        await listed(desk, { query }, keys);
        assert.equal((await desk.list({ query })).total, count, query);
      }
    }
    await desk.call('InsertArticle', { guid: 'art', caption: '新的' });
    assert.deepEqual(
      [await desk.keys({ query: '出租' }), await desk.keys({ query: '新的' })],
      [[], ['key-1']],
    );
    await desk.call('DeleteArticleByGuid', { guid: 'art' });
    await listed(desk, { query: '新的' }, '');
    await desk.call('DeleImgById', { FileGuid: 'key-2' });
    await listed(desk, { query: '中古' }, '');
  });

  it('orders, each with the key for what is equal; an unknown one is newest first with a warning', async (t) => {
    const desk = await openImageDesk(t, fresh);
    const sizes: (readonly [string, Buffer, string])[] = [
      ['a', blackPng(8, 8), 'zoo'],
      ['b', blackPng(300, 300), 'Äpfel'],
      ['c', blackPng(80, 80), 'banana'],
    ];
    for (const [key, picture, category] of sizes) {
      desk.now += 1;
      await desk.upload(key, { category }, SERVICE, picture);
    }
    const orders: [string, string[]][] = [
      ['', ['c', 'b', 'a']],
      ['created', ['c', 'b', 'a']],
      [' Created  ASC ', ['a', 'b', 'c']],
      ['size', ['b', 'c', 'a']],
      ['size asc', ['a', 'c', 'b']],
      ['category', ['b', 'c', 'a']],
      ['category desc', ['a', 'c', 'b']],
    ];
    for (const [orderBy, keys] of orders) {
      const { items, warnings } = await desk.list({ orderBy });
      assert.deepEqual([items.map(({ fileGuid }) => fileGuid), warnings], [keys, []], orderBy);
    }
    for (const orderBy of [
      '__proto__',
      'created asc asc',
      'size;drop table images',
      'asc',
      'created up',
    ]) {
      const { items, warnings } = await desk.list({ orderBy });
      assert.deepEqual(
        items.map(({ fileGuid }) => fileGuid),
        ['c', 'b', 'a'],
      );
      assert.deepEqual(warnings, [`orderBy "${orderBy}" is unknown; created was used.`]);
    }
    for (const key of ['k3', 'k1', 'k2'])
      await desk.upload(key, { Link_Guid: 'same', category: 'same' });
    await listed(desk, { linkGuid: 'same' }, 'k3 k2 k1');
    await listed(desk, { linkGuid: 'same', orderBy: 'created asc' }, 'k1 k2 k3');
    await listed(desk, { linkGuid: 'same', orderBy: 'category' }, 'k1 k2 k3');
  });

  it('pages: every image on exactly one, in every order; past the end none; bounds as everywhere', async (t) => {
    const desk = await openImageDesk(t, fresh);
    for (let index = 0; index < 7; index++) {
      await desk.upload(`p${index}`, { category: `c${index % 2}`, Link_Guid: 'l' });
    }
    for (const given of [
      {},
      { orderBy: 'size' },
      { orderBy: 'category' },
      { linkGuid: 'l' },
      { query: 'c' },
    ]) {
      const seen: string[] = [];
      for (const pageindex of ['1', '2', '3', '4']) {
        const page = await desk.list({ ...given, pagesize: '2', pageindex });
        assert.deepEqual(
          [page.pageIndex, page.pageSize, page.total, page.totalPages],
          [Number(pageindex), 2, 7, 4],
        );
        seen.push(...page.items.map(({ fileGuid }) => fileGuid));
      }
      assert.equal(new Set(seen).size, 7, JSON.stringify(given));
      const beyond = await desk.list({ ...given, pagesize: '2', pageindex: '5' });
      assert.deepEqual([beyond.items, beyond.total], [[], 7]);
    }
    for (const [pagesize, size] of [
      ['', 20],
      ['0', 20],
      ['-5', 20],
      ['100', 100],
      ['101', 100],
    ] as const) {
      assert.equal((await desk.list({ pagesize, pageindex: '-1' })).pageSize, size);
    }
    await desk.refuses('InvalidParameter', 'pageindex', desk.list({ pageindex: 'two' }));
    await desk.refuses('InvalidParameter', 'pagesize', desk.list({ pagesize: '1.5' }));
  });

  it('a word that thousands of images have is found in every order, and counted', async (t) => {
    const desk = await openImageDesk(t, fresh);
    await desk.upload('first', { category: '共同 一' });
    const copies = 2_100;
    const { id: _id, ...row } = (await desk.row('first'))!;
    await desk.store.write(async (tx) => {
      for (let from = 0; from < copies; from += 300) {
        const rows = Array.from({ length: 300 }, (_, index) => {
          const number = from + index;
          // Of a third the record is of a category, which for some is theirs as well.
          const linked_category = number % 3 === 0 ? 'third' : null;
          const category_key = number % 30 === 0 ? 'third' : row.category_key;
          const created_at = row.created_at + number + 1;
          const written = { created_at, bytes: copies - number, linked_category, category_key };
          return { ...row, guid: `copy-${number}`, ...written };
        });
        const inserted = await tx
          .insertInto('images')
          .values(rows)
          .returning(['id', 'search_text'])
          .execute();
        for (const { id, search_text } of inserted)
          indexTerms(tx, 'image_search', id, termsOf(search_text));
      }
    });
    for (const query of ['共', '共同', '共同 一', '同', '一 共同']) {
      const newest = await desk.list({ query, pagesize: '3' });
      await listed(desk, { query, pagesize: '3' }, 'copy-2099 copy-2098 copy-2097');
      assert.equal(newest.total, copies + 1);
      await listed(desk, { query, pagesize: '2', orderBy: 'size asc' }, 'copy-2099 copy-2098');
      await listed(desk, { query, pagesize: '100', pageindex: '22' }, 'first');
    }
    for (const [nodeId, total] of [
      ['third', copies / 3],
      ['共同 一', copies + 1 - copies / 30],
    ] as const) {
      assert.equal((await desk.list({ nodeId, pagesize: '2' })).total, total);
      assert.equal((await desk.list({ nodeId, pagesize: '2', orderBy: 'size' })).total, total);
      assert.equal((await desk.list({ nodeId, pagesize: '2', query: '共同' })).total, total);
    }
    await listed(desk, { nodeId: 'third', pagesize: '2' }, 'copy-2097 copy-2094');
    await listed(desk, { nodeId: 'third', pagesize: '2', pageindex: '350' }, 'copy-3 copy-0');
    await listed(desk, { nodeId: 'third', pagesize: '2', orderBy: 'created asc' }, 'copy-0 copy-3');
    for (const [orderBy, pageindex, keys] of [
      ['size', '1', 'copy-0 copy-3'],
      ['size', '350', 'copy-2094 copy-2097'],
      ['size', '351', ''],
      ['size asc', '1', 'copy-2097 copy-2094'],
    ] as const) {
      const given = { nodeId: 'third', pagesize: '2', pageindex, orderBy };
      await listed(desk, given, keys);
      assert.equal((await desk.list(given)).total, copies / 3);
    }
    await listed(desk, { nodeId: 'third', pagesize: '2', query: '共同 一' }, 'copy-2097 copy-2094');
    assert.equal((await desk.list({ query: '共同', linkGuid: 'none' })).total, 0);
    assert.equal((await desk.list({ query: '共二' })).total, 0);
  });

  it('has a budget an address', async (t) => {
    const desk = await openImageDesk(t, fresh, {
      queriesPerAddress: [{ limit: 2, window: MINUTE_MS }],
    });
    await desk.list();
    await desk.list();
    await desk.refuses('RateLimited', undefined, desk.list());
  });

  it('gives adverts the URLs of their images', async (t) => {
    const desk = await openImageDesk(t, fresh);
    await desk.upload('pic');
    for (const imgGuid of ['pic', 'missing']) {
      const shown = { isImage: true, imgGuid, CreateUserId: 'u' };
      await desk.call('addNewAdvert', { guid: imgGuid, title: 't', ...shown });
    }
    const answer = await desk.call(
      'QueryAdvert',
      { userId: 'u', orderBy: 'created', sort: 'asc', pagesize: 0, pageindex: 0 },
      ANYBODY,
    );
    const [{ url }] = (await desk.list()).items as unknown as [{ url: string }];
    const urls = JSON.parse(answer as string).items.map(
      (item: { imgGuid: string; imageUrl: string | null }) => [item.imgGuid, item.imageUrl],
    );
    assert.deepEqual(Object.fromEntries(urls), { missing: null, pic: url });
  });
});

it('the terms of a text contain those of every word in it', () => {
  const character = fc.constantFrom(...'abAB中文字字ß😀ﾀ한 \n-%_');
  const text = fc.string({ unit: character, maxLength: 30 });
  fc.assert(
    fc.property(text, text, fc.nat(), fc.nat(), (category, caption, from, length) => {
      const searched = searchTextOf({ guid: 'key', category, captions: [caption] });
      const characters = [...searched];
      const start = from % characters.length;
      const part = characters.slice(start, start + 1 + (length % 8)).join('');
      const terms = termsOf(searched);
      for (const term of termsOfWords(searchWords(part))) assert.ok(terms.has(term));
    }),
    { numRuns: 500 },
  );
});

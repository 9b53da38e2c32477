import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import { indexAdverts } from '../../../src/domain/adverts/search-index.ts';
import { hold, release, remove } from '../../../src/domain/moderation/moderation.ts';
import { purge } from '../../../src/domain/moderation/purge.ts';
import { erasePerson } from '../../../src/domain/persons/erase.ts';
import { refoldAll } from '../../../src/domain/search-folding.ts';
import { foldText } from '../../../src/domain/values/search-text.ts';
import type { Store } from '../../../src/store/store.ts';
import { countWithTerms } from '../../../src/store/text-index.ts';
import { forEachEngine } from '../../kit/database.ts';
import { checkRules, NOW, OperationDesk, type Rules } from '../../kit/operation-desk.ts';
import { recordQueries } from '../../kit/recorded-queries.ts';
import { WORDS_OF_LANGUAGES } from '../../kit/words-of-languages.ts';
import { publish, query, titles } from './listing.ts';

const searches: Rules = {
  'finds words of one and two characters of Chinese, Japanese and Korean': async (desk, user) => {
    await publish(desk, user, [
      { title: '东京站前公寓出租', detail: '两室一厅' },
      { title: 'アパート', detail: '駅から５分' },
      { title: '서울 아파트', detail: '방 두 개' },
    ]);
    for (const [word, title] of [
      ['京', '东京站前公寓出租'],
      ['公寓', '东京站前公寓出租'],
      ['厅', '东京站前公寓出租'],
      ['駅', 'アパート'],
      ['5分', 'アパート'],
      ['ｱﾊﾟ', 'アパート'],
      ['방', '서울 아파트'],
      ['아파', '서울 아파트'],
    ] as const) {
      assert.deepEqual(await titles(desk, user, { query: word }), [title], word);
    }
    assert.deepEqual(await titles(desk, user, { query: '京东' }), []);
  },

  'finds in title, detail and linkTxt, and nowhere else': async (desk, user) => {
    await publish(desk, user, [
      { title: 'needle' },
      { title: 'b', detail: 'x needle' },
      { title: 'c', linkTxt: 'needle y' },
      { title: 'd', linkUrl: 'https://needle/', postAtCategoryGuid: 'needle', imgGuid: 'needle' },
    ]);
    assert.deepEqual(await titles(desk, user, { query: 'needle' }), ['c', 'b', 'needle']);
  },

  'finds whatever the accents, in every script': async (desk, user) => {
    const rows = WORDS_OF_LANGUAGES;
    await publish(
      desk,
      user,
      rows.map(([, title]) => ({ title })),
    );
    for (const [language, title, ...words] of rows) {
      for (const word of words) {
        const found = await titles(desk, user, { query: word });
        assert.ok(found.includes(title), `${language}: ${word}`);
      }
    }
    assert.equal((await titles(desk, user, { query: 'カラス' })).includes('ガラス'), false);
    assert.equal((await titles(desk, user, { query: 'कताब' })).includes('किताब'), false);
  },

  'does not find across fields': async (desk, user) => {
    await publish(desk, user, [{ title: 'ab', detail: 'cd', linkTxt: 'ef' }]);
    for (const word of ['bc', 'abcd', 'de']) {
      assert.deepEqual(await titles(desk, user, { query: word }), [], word);
    }
  },

  'finds whatever the capitals and the width': async (desk, user) => {
    await publish(desk, user, [{ title: 'Straße ОБЪЯВЛЕНИЕ ΟΔΟΣ Ｓａｌｅ Éclair' }]);
    for (const word of ['STRASSE', 'strasse', 'объявление', 'οδος', 'sale', 'SALE', 'éCLAIR']) {
      assert.equal((await titles(desk, user, { query: word })).length, 1, word);
    }
  },

  'finds what has every word, in any order': async (desk, user) => {
    await publish(desk, user, [
      { title: 'summer', detail: 'sale' },
      { title: 'summer' },
      { title: 'sale' },
    ]);
    assert.deepEqual(await titles(desk, user, { query: ' sale\u3000SUMMER ' }), ['summer']);
  },

  'per cent signs, underscores, backslashes and quotes mean themselves': async (desk, user) => {
    const all = ['50% off', '50 off', 'a_b', 'axb', 'c\\d', "it's", '!%'];
    await publish(
      desk,
      user,
      all.map((title) => ({ title })),
    );
    for (const [word, found] of [
      ['50%', '50% off'],
      ['a_b', 'a_b'],
      ['\\', 'c\\d'],
      ["'", "it's"],
      ['!', '!%'],
      ['!%', '!%'],
    ] as const) {
      assert.deepEqual(await titles(desk, user, { query: word }), [found], word);
    }
    assert.equal((await query(desk, user, { query: '%' })).total, 2);
  },

  'total, pages and order are those of what is found': async (desk, user) => {
    await publish(
      desk,
      user,
      Array.from({ length: 9 }, (_, n) => ({ title: n % 2 === 0 ? `房 ${n}` : `${n}` })),
    );
    const page = await query(desk, user, {
      query: '房',
      pagesize: 2,
      pageindex: 2,
      orderBy: 'title',
      sort: 'asc',
    });
    assert.deepEqual(
      page.items.map(({ title }) => title),
      ['房 4', '房 6'],
    );
    assert.deepEqual([page.total, page.totalPages], [5, 3]);
    const past = await query(desk, user, { query: '房', pagesize: 5, pageindex: 2 });
    assert.deepEqual([past.items, past.total], [[], 5]);
  },

  'an empty query finds all': async (desk, user) => {
    await publish(desk, user, [{ title: 'a' }, { title: 'b' }]);
    for (const text of [undefined, '', ' \u3000']) {
      assert.equal((await query(desk, user, { query: text })).total, 2);
    }
  },
};

forEachEngine((engine, fresh) => {
  it('QueryAdvert searches', (t) => checkRules(t, fresh, searches));

  it('QueryAdvert finds any piece of any advert, indexed or not, and only what has it', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open());
    const letters = fc.constantFrom(..."aAàßσΣ漢京가か゛%_!\\' <&\u{1F600}");
    const word = fc.string({ unit: letters, minLength: 1, maxLength: 4 });
    const adverts = fc.array(fc.record({ title: word, detail: word, linkTxt: word }), {
      minLength: 1,
      maxLength: 5,
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(adverts, word, fc.constantFrom(0, 0, 2), async (given, needle, indexed) => {
        const user = `user ${run++}`;
        const filled = given.map((advert, n) => ({
          ...advert,
          title: `t${advert.title}`,
          guid: `${user} ${n}`,
        }));
        await publish(desk, user, filled.slice(0, indexed));
        if (indexed > 0) await indexAdverts(desk.store, { many: 1 });
        await publish(desk, user, filled.slice(indexed));
        const words = foldText(needle).trim().split(/\s+/);
        const expected = filled.filter(({ title, detail, linkTxt }) => {
          const fields = [title, detail, linkTxt].map(foldText);
          return words.every((one) => fields.some((field) => field.includes(one)));
        });
        const found = (await query(desk, user, { query: needle, sort: 'asc' })).items.map(
          ({ guid }) => guid,
        );
        assert.deepEqual(
          found,
          expected.map(({ guid }) => guid),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('texts that were folded by the rules of 0.2.0 are folded again, in the index, too', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open());
    const before = (text: string) => text.normalize('NFKC').toUpperCase().normalize('NFKC');
    const given = ['İstanbul', 'Βορράς', 'plain'].map((title) => ({ title, detail: 'x' }));
    await publish(desk, 'ada', given);
    for (const { title } of given) {
      await desk.store.write((tx) =>
        tx
          .updateTable('adverts')
          .set({ search_text: before(`${title}\nx\n`) })
          .where('title', '=', title)
          .execute(),
      );
    }
    await indexAdverts(desk.store, { many: 1 });
    await publish(desk, 'ada', [{ title: 'Łódź', detail: 'x' }]);
    assert.deepEqual(await titles(desk, 'ada', { query: 'istanbul' }), []);
    await refoldAll(desk.store);
    for (const [word, title] of [
      ['istanbul', 'İstanbul'],
      ['ΒΟΡΡΑΣ', 'Βορράς'],
      ['plain', 'plain'],
      ['lodz', 'Łódź'],
    ] as const)
      assert.deepEqual(await titles(desk, 'ada', { query: word }), [title]);
    // By earlier rules, not by none: the words of all records are indexed again.
    const { store } = desk;
    const noted = () =>
      store.read((db) =>
        db.selectFrom('search_changes').where('kind', '=', 'D').select('key').execute(),
      );
    assert.deepEqual(await noted(), []);
    await store.write((tx) =>
      tx.insertInto('service_time').values({ id: 1, at: 0, folding: 0 }).execute(),
    );
    await refoldAll(store);
    assert.deepEqual(await noted(), [{ key: '' }]);
  });

  it('counts and pages common words exactly, whole and in pieces, of indexed, held, new and others’ adverts', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open());
    const details = [
      'quiet park',
      'Quiet, park',
      'disquieting park',
      'qui uie iet par ark',
      'quiet parks',
      '安静公寓 quiet park',
    ];
    const some = (owner: string, from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => {
        const i = from + n;
        return {
          guid: `${owner} ${i}`,
          title: `t${i}`,
          detail: details[i % 7] ?? 'quiet park'.repeat(i % 2),
        };
      });
    const given = some('ada', 0, 84);
    const hidden = given.filter((_, i) => i % 9 === 4 || i === 82);
    await publish(desk, 'ada', given.slice(0, 70));
    await publish(desk, 'bob', some('bob', 0, 40));
    await indexAdverts(desk.store, { many: 1 });
    await publish(desk, 'ada', given.slice(70));
    const by = { tokenId: 't', address: '192.0.2.9' };
    for (const [i, { guid }] of hidden.entries()) {
      const call = { kind: 'advert', key: guid, by, at: NOW, reason: 'spam' } as const;
      if (i % 3 < 2) await desk.store.write((tx) => hold(tx, call));
      if (i % 3 > 0) await desk.store.write((tx) => remove(tx, call));
    }
    const shown = given.filter((advert) => !hidden.includes(advert));
    for (const text of [
      'quiet',
      'park',
      'quiet park',
      'uie',
      'ie',
      '静 quiet',
      'disquieting',
      'quieting',
      'quiet,',
      '静公寓',
      'iet p',
      'quiet nothing',
    ]) {
      const words = foldText(text).split(' ');
      const found = shown.filter(({ detail }) =>
        words.every((word) => foldText(detail).includes(word)),
      );
      for (const pageindex of [1, 4, 60]) {
        for (const orderBy of ['created', 'deadline']) {
          const page = await query(desk, 'ada', {
            query: text,
            pagesize: 2,
            pageindex,
            orderBy,
            sort: 'asc',
          });
          const expected = found.slice(2 * pageindex - 2, 2 * pageindex).map(({ guid }) => guid);
          const guids = page.items.map(({ guid }) => guid);
          assert.equal(page.total, found.length, `${text}, page ${pageindex} by ${orderBy}`);
          if (orderBy === 'created')
            assert.deepEqual(guids, expected, `${text}, page ${pageindex}`);
        }
      }
    }
  });

  it('pages common words that only adverts at the other end of the list have', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open());
    const given = Array.from({ length: 200 }, (_, i) => ({
      guid: `${i}`,
      title: `t${String(i).padStart(3, '0')}`,
      detail: i < 40 ? 'nokia3310' : 'phone',
    }));
    await publish(desk, 'ada', given);
    await indexAdverts(desk.store, { many: 1 });
    for (const orderBy of ['created', 'title']) {
      for (const [sort, pageindex, guid] of [
        ['desc', 1, '39'],
        ['desc', 40, '0'],
        ['asc', 1, '0'],
        ['asc', 40, '39'],
        ['asc', 41, undefined],
      ] as const) {
        const page = await query(desk, 'ada', {
          query: 'nokia3310',
          pagesize: 1,
          pageindex,
          orderBy,
          sort,
        });
        assert.deepEqual(
          [page.items[0]?.guid, page.total],
          [guid, 40],
          `${orderBy} ${sort}, page ${pageindex}`,
        );
      }
    }
  });

  it('looks for a word that half have in the texts, in any order, where an index of terms cannot count', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open());
    const recorded = recordQueries(desk.store);
    const reader = new OperationDesk(recorded.store);
    const detail = (i: number) => `${i % 2 === 0 ? 'quiet' : ''} ${i % 16 === 0 ? 'garden' : ''}`;
    await publish(
      desk,
      'ada',
      Array.from({ length: 160 }, (_, i) => ({ title: `t${i}`, detail: detail(i) })),
    );
    await indexAdverts(desk.store, { many: 1 });
    for (const [word, total] of [
      ['quiet', 80],
      ['garden', 10],
    ] as const) {
      for (const orderBy of ['created', 'title', 'deadline', 'category']) {
        recorded.queries.clear();
        assert.equal((await query(reader, 'ada', { query: word, orderBy })).total, total);
        const asksIndex = recorded.queries.keys().some((sql) => sql.includes('advert_search'));
        assert.equal(asksIndex, engine === 'sqlite' || word === 'garden', `${word} by ${orderBy}`);
      }
    }
  });

  it('an indexed advert is found by its state, and leaves no words when it is purged or its publisher erased', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open());
    const { store } = desk;
    await publish(
      desk,
      'ada',
      ['a', 'b', 'c'].map((guid) => ({ guid, title: '公寓' })),
    );
    await indexAdverts(store, { many: 1 });
    const found = async () =>
      (await query(desk, 'ada', { query: '公寓', sort: 'asc' })).items.map(({ guid }) => guid);
    const inIndex = () => store.read((db) => countWithTerms(db, 'advert_search', ['公寓']));
    const call = {
      kind: 'advert',
      key: 'b',
      by: { tokenId: 't', address: '192.0.2.9' },
      at: NOW,
    } as const;
    const reason = 'spam';
    assert.deepEqual([await found(), await inIndex()], [['a', 'b', 'c'], 3]);
    await store.write((tx) => hold(tx, { ...call, reason }));
    assert.deepEqual(await found(), ['a', 'c']);
    await store.write((tx) => release(tx, { ...call, reason }));
    assert.deepEqual(await found(), ['a', 'b', 'c']);
    await store.write((tx) => remove(tx, { ...call, reason }));
    assert.deepEqual([await found(), await inIndex()], [['a', 'c'], 3]);
    await store.write((tx) => purge(tx, { ...call, reason }));
    assert.deepEqual([await found(), await inIndex()], [['a', 'c'], 2]);
    const files = { store: { remove: async () => {}, async *list() {} } };
    await erasePerson({ store, files, clock: () => NOW }, 'ada', undefined);
    assert.deepEqual([await found(), await inIndex()], [[], 0]);
  });

  it('an advert leaves no words when its publisher is erased while another node indexes it', async (t) => {
    const database = await fresh(t);
    const desk = new OperationDesk(await database.open());
    const { store } = desk;
    await publish(desk, 'ada', [{ guid: 'a', title: '公寓' }]);
    const held = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const node = await database.open();
    // Indexes as always, but keeps the write open.
    const slow: Pick<Store, 'scan' | 'write'> = {
      scan: (work) => node.scan(work),
      write: (work) =>
        node.write(async (tx) => {
          const made = await work(tx);
          written.resolve();
          await held.promise;
          return made;
        }),
    };
    const indexing = indexAdverts(slow as Store, { many: 1 });
    await written.promise;
    const files = { store: { remove: async () => {}, async *list() {} } };
    const erasing = erasePerson({ store, files, clock: () => NOW }, 'ada', undefined);
    if (engine === 'postgres') {
      const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until(async () => (await store.read((db) => waiting.execute(db))).rows.length > 0);
    }
    held.resolve();
    await Promise.all([indexing, erasing]);
    assert.equal(await store.read((db) => countWithTerms(db, 'advert_search', ['公寓'])), 0);
  });
});

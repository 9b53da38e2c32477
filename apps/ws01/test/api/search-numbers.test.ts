import assert from 'node:assert/strict';
import { it } from 'node:test';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import type { Role } from '../../src/contract/roles.ts';
import { type ApiDesk, apiOf, callOperation, openApiDesk, SEEDED_SETTINGS } from '../kit/api.ts';
import { forBothEngines, forEachEngine } from '../kit/database.ts';
import { index } from '../kit/search-index.ts';

const SETTINGS = { ...SEEDED_SETTINGS, DEFAULT_COUNTRY: 'CN' };

/** The number as people say and paste it, whole. */
const WHOLE = [
  ...['+8613812345678', '8613812345678', '13812345678', '138 1234 5678', '138-1234-5678'],
  ...['+86 138 1234 5678', '0086 138-1234-5678', '(+86) 138 – 1234 – 5678', '"138.1234.5678"'],
  ...[
    'tel:+86-138-1234-5678',
    '１３８ １２３４ ５６７８',
    '١٣٨١٢٣٤٥٦٧٨',
    '\u200e+86 138 1234 5678\u200e',
  ],
];
/** Its last digits. */
const ENDS = [...words('5678 45678 345678 2345678 12345678 1234-5678 ５６７８'), '1234 5678'];
/** What is none of these. */
const OTHERS = [...words('678 3456 8612345678 13812345679 56789'), '+44 20 1234 5678', '5678 0000'];

/** Records with the number, and as many with another one. */
async function seed(desk: ApiDesk): Promise<void> {
  const call = (operation: string, params: Record<string, unknown>) =>
    callOperation(desk, operation, params);
  for (const [who, phone] of [
    ['wang', '+8613812345678'],
    ['li', '+8613900001111'],
  ] as const) {
    await call('updateUserInfo', { userId: who, firstName: who });
    await call('CreateVerifyCode', { userId: who, cellphone: phone });
    await call('updateUserCellphone', { userId: who, cellPhone: phone });
    const contactPhone = `010-88886666 / ${phone.slice(3, 6)} ${phone.slice(6)}`;
    const article = { guid: `of-${who}`, caption: 'Flat', content: '', contactPhone };
    await call('InsertArticle', { ...article, CreateUserId: who });
  }
}

forBothEngines((_engine, fresh) => {
  it('every kind with a phone number is found by it in any writing, and by its last digits', async (t) => {
    const desk = await openApiDesk(t, fresh, SETTINGS);
    await seed(desk);
    const textsTo = async (phone: string) =>
      (await desk.get(`/sms?phone=${encodeURIComponent(phone)}`)).body.items;
    const [text] = await textsTo('+8613812345678');
    for (const phone of ['+86 138-1234-5678', '0086 138 1234 5678', '＋８６ 138 1234 5678'])
      assert.deepEqual(await textsTo(phone), [text], phone);
    assert.deepEqual(await textsTo('no number'), []);
    const own = { users: 'wang', articles: 'of-wang', sms: text.id } as const;
    const listed = async (kind: string, key: string, q: string) => {
      const { items, total } = (await desk.get(`/${kind}?total=true&q=${encodeURIComponent(q)}`))
        .body;
      assert.equal(total, items.length, `${kind} ${q}`);
      return items.map((item: Record<string, string>) => item[key]);
    };
    const found = async (q: string) => {
      const { items } = (await desk.get(`/search?q=${encodeURIComponent(q)}`)).body;
      const its = items.filter(({ matched }: Record<string, string>) => matched === 'phone');
      return its.map(({ kind, key }: Record<string, string>) => `${kind} ${key}`).toSorted();
    };
    const codes = (await desk.get('/codes?userId=wang')).body.items;
    assert.ok(codes.length > 0);
    const lists = [
      ['users', 'id'],
      ['articles', 'guid'],
      ['sms', 'id'],
    ] as const;
    /** By day each text is looked for in one list, and in the next one when it is indexed. */
    const listsFor = (at: number) => lists.filter((_, list) => BY_NIGHT || (list + at) % 3 === 0);
    for (const round of [0, 1]) {
      if (round === 1) await index(desk.store);
      for (const [at, q] of [...WHOLE, ...ENDS].entries()) {
        for (const [kind, key] of listsFor(at + round))
          assert.deepEqual(await listed(kind, key, q), [own[kind]], q);
        assert.deepEqual(
          await found(q),
          [
            ...Object.entries(own).map(([kind, key]) => `${kind} ${key}`),
            ...codes.map(({ id }: Record<string, string>) => `codes ${id}`),
          ].toSorted(),
          q,
        );
      }
      for (const [at, q] of OTHERS.entries()) {
        for (const [kind] of listsFor(at + round))
          assert.deepEqual(await listed(kind, 'id', q), [], q);
        assert.deepEqual(await found(q), [], q);
      }
      // Among other words, too; the other number of a field ends as it does.
      assert.deepEqual(await listed('users', 'id', 'wang 5678'), ['wang']);
      assert.deepEqual(await listed('users', 'id', 'li 5678'), []);
      assert.deepEqual((await listed('articles', 'guid', '8888 6666')).length, 2);
    }
  });
});

forEachEngine((_engine, fresh) => {
  it('who may not see a number finds nobody by its digits', async (t) => {
    const desk = await openApiDesk(t, fresh, SETTINGS);
    await seed(desk);
    await index(desk.store);
    const api = apiOf(desk.store, { defaultCountry: 'CN' });
    const ask = async (role: Role, path: string) => {
      const principal = { kind: 'admin', name: role, role, id: role } as const;
      const answer = await api.fetch(new Request(`http://localhost/api/v1${path}`), { principal });
      const { items = [] } = (await answer.json()) as { items?: Record<string, string>[] };
      return items;
    };
    for (const q of [...WHOLE, ...ENDS].map(encodeURIComponent)) {
      assert.equal((await ask('owner', `/users?q=${q}`)).length, 1, q);
      for (const role of ['reader', 'moderator'] as const) {
        for (const kind of ['users', 'sms', 'codes'])
          assert.deepEqual(await ask(role, `/${kind}?q=${q}`), [], kind);
        // The number of an article stands on the site.
        const hits = await ask(role, `/search?q=${q}`);
        assert.deepEqual(
          hits.map(({ kind, key }) => `${kind} ${key}`),
          ['articles of-wang'],
          q,
        );
      }
    }
  });
});

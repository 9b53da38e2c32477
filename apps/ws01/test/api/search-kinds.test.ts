import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { indexRecords } from '../../src/domain/search/indexing.ts';
import { callOperation, openApiDesk, SEEDED_SETTINGS, seedEveryKind } from '../kit/api.ts';
import { forBothEngines, forEachEngine } from '../kit/database.ts';

/** The kinds that people write texts of, each with the column of one. */
const TEXTS = {
  articles: ['articles', 'content', 'guid'],
  adverts: ['adverts', 'detail', 'guid'],
  images: ['images', 'category', 'guid'],
  users: ['users', 'name', 'id'],
  links: ['links', 'target', 'code'],
  mails: ['mails', 'subject', 'id'],
  suppressions: ['mail_suppressions', 'detail', 'address'],
  reviews: ['reviews', 'remark', 'id'],
  reports: ['reports', 'detail', 'id'],
  tokens: ['tokens', 'label', 'id'],
} as const;

const TEXT =
  'https://example.com/ Große Straße ＦＵＬＬ Łódź Ἀθῆναι İstanbul ' +
  '东京站龙 ขายบ้านเดี่ยว 서울아파트 ドライヤー ' +
  '"quoted" 50% off_road a*b NEAR( naïve 🚲 O’Brien 192.0.2.77 +1(212)555-0100 \\n q1w2e3';

const FOUND = [
  ...words(
    'strasse STRASSE straß full ｆｕｌｌ lodz ŁÓDŹ αθηναι istanbul ISTANBUL 龙 京 东京 京站龙 บ้าน',
    'ขาย 서 아파 서울아파트 ドライ ﾄﾞﾗｲ "quoted" quoted " % 50% _road off * a*b near NEAR( naive',
    'NAÏVE 🚲 192.0.2 0.2.77 q1w2',
  ),
  'GROSSE große',
  "o'brien",
  '\\n',
  '\\',
  'q1w2 龙 %',
  'e h g s f l a i q o b n 5 grosse strasse istanbul quoted naïve',
];

const ABSENT = [
  ...['trasse', 'strassen', '龙站', '东站', 'lodzz', '🚀', '192.2', '%%', '__', "'--", 'near(1)'],
  ...[
    '" OR "',
    'a*c',
    '*)',
    'q1w2 zzzz',
    'e h g strasse istanbul quoted zz',
    '\ud83d',
    'x'.repeat(200),
    'é'.repeat(200),
    '龙'.repeat(200),
  ],
];

forBothEngines((_engine, fresh) => {
  it('each kind is found by every word in it, in its list and in the one box, and by no other', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    const seeded = await seedEveryKind(desk);
    const kinds = Object.keys(TEXTS) as (keyof typeof TEXTS)[];
    await desk.store.write(async (tx) => {
      for (const kind of kinds) {
        const [table, column, key] = TEXTS[kind];
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${TEXT}
          where ${sql.ref(key)} = ${seeded[kind]}`.execute(tx);
      }
    });
    const ask = async (path: string) => (await desk.get(path)).body;
    /** Asks for a word by the lists of all kinds, by day of some, and by the one box. */
    const look = async (word: string, at: number, isIn: boolean) => {
      const q = encodeURIComponent(word.toWellFormed());
      const isIts = (kind: (typeof kinds)[number]) => (item: Record<string, unknown>) =>
        Object.values(item).includes(seeded[kind]);
      for (const kind of kinds.filter((_, index) => BY_NIGHT || (index + at) % 3 === 0)) {
        const { items, next, total } = await ask(`/${kind}?total=true&q=${q}`);
        const told = [next, total, items.filter(isIts(kind)).length];
        assert.deepEqual(told, [null, items.length, Number(isIn)], `${kind} ${word}`);
      }
      const { items, further } = await ask(`/search?q=${q}`);
      const found = kinds.filter((kind) =>
        items.some(
          (item: Record<string, string>) => item.kind === kind && item.key === seeded[kind],
        ),
      );
      assert.deepEqual([further, found], [[], isIn ? kinds : []], word);
    };
    for (const isIndexed of [false, true]) {
      if (isIndexed) await indexRecords(desk.store);
      for (const [at, word] of FOUND.entries()) await look(word, at, true);
      for (const [at, word] of ABSENT.entries()) await look(word, at, false);
    }
  });
});

forEachEngine((_engine, fresh) => {
  it('a pasted address finds what its end is the key of; a record that a call named in vain, the call', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    const seeded = await seedEveryKind(desk);
    const found = async (text: string) => {
      const { items } = (await desk.get(`/search?q=${encodeURIComponent(text)}`)).body;
      return items.map(({ kind, key }: Record<string, string>) => `${kind} ${key}`);
    };
    const link = `links ${seeded.links}`;
    for (const address of [
      `${desk.url}/s/${seeded.links}`,
      `${desk.url}/s/${seeded.links}.svg`,
      `example.com/s/${seeded.links}/?from=mail#top`,
    ])
      assert.ok((await found(address)).includes(link), address);
    assert.ok((await found('https://example.com/adverts/ad-1')).includes('adverts ad-1'));
    for (const text of ['https://nowhere.example/', 'a/%ZZ', `${seeded.links} /x`])
      assert.ok(!(await found(text)).includes(link), text);

    const file = Buffer.from('no picture').toString('base64');
    await callOperation(desk, 'InsertArticleImageFile', {
      ...{ FileGuid: 'refused', FileImg: file, Link_Guid: 'a-1', IsIcons: false },
    });
    const isFound = async () => /^failures /.test(String(await found('refused')));
    await until(isFound);
  });

  it('the very key is first, then what is called so, then what begins so, then the rest, last what was done', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const write = (guid: string, caption: string, content = '') =>
      callOperation(desk, 'InsertArticle', { guid, caption, content, CreateUserId: 'bob' });
    await write('called', 'A lamp, as new');
    await write('begins', 'Lampshades');
    await write('says', 'Furniture', 'With a lamp.');
    await write('lamp', 'Something else');
    await write('chinese', '台灯 lamp-like');
    await desk.post('/users', { id: 'smith', name: 'Lamp Smith' });
    const { items, further } = (await desk.get('/search?q=lamp')).body;
    const found = items.map(({ kind, key }: Record<string, string>) => `${kind} ${key}`);
    const [deeds, records] = [true, false].map((isDeed) =>
      found.filter((one: string) => one.startsWith('audit ') === isDeed),
    );
    assert.deepEqual(records, [
      ...['articles lamp', 'users smith', 'articles chinese', 'articles called'],
      ...['articles begins', 'articles says'],
    ]);
    assert.ok(deeds!.length > 0, 'what was done to the record with the key');
    assert.deepEqual(found, [...records!, ...deeds!]);
    // Words are not looked for in the audit trail, however long it is: nothing is left to look at.
    assert.deepEqual(further, []);
  });

  it('what is no text for a search is refused, whatever is asked for', async (t) => {
    const desk = await openApiDesk(t, fresh);
    for (const [path, most] of [
      ['/articles', 200],
      ['/search', 320],
    ] as const) {
      const status = async (text: string) =>
        (await desk.get(`${path}?q=${encodeURIComponent(text)}`)).status;
      // Code points, of which an emoji is one.
      for (const letter of ['x', 'é', '龙', '🚲'])
        assert.deepEqual(
          [await status(letter.repeat(most)), await status(letter.repeat(most + 1))],
          [200, 400],
          `${path} ${letter}`,
        );
      assert.equal(await status('x'.repeat(10_000)), 400);
      for (const [escaped, status] of [
        ['%00', 400],
        ['a%00b', 400],
        ['%ED%A0%80', 200],
        ['%FF', 200],
      ])
        assert.equal((await desk.get(`${path}?q=${escaped}`)).status, status, String(escaped));
    }
  });
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { Store } from '../../src/store/store.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { forBothEngines, type TestDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { exported } from '../kit/imported.ts';
import { readLines, writeFolder } from '../kit/portable.ts';
import { startService, TOKEN } from '../kit/service.ts';

const AT = '2015-03-04T07:04:05.123Z';
const LATER = '2026-11-20T10:00:00.000Z';

type Rows = readonly Record<string, unknown>[];
type Files = Parameters<typeof writeFolder>[1];

const get = TEST_BINDINGS.find(({ name }) => name === 'get')!;

async function bring(t: TestContext, database: TestDatabase, files: Files, ...args: string[]) {
  const folder = await writeFolder(join(await temporaryFolder(t), 'in'), files);
  const { code, stdout, stderr } = await ws01(database, ['import', folder, '--json', ...args]);
  assert.notEqual(stdout, '', stderr);
  const { kinds, reasons } = JSON.parse(stdout);
  const told = reasons.length === 0 ? [] : await readLines(`${folder}.refused.jsonl`);
  return { code, kinds, told };
}

/** How many sessions of PostgreSQL wait for a lock. */
async function waiting(store: Store): Promise<number> {
  const { rows } = await store.read((db) =>
    sql<{ waiting: number | string }>`select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db),
  );
  return Number(rows[0]!.waiting);
}

const article = (guid: string, more: object = {}) => ({
  guid,
  owner: 'user1',
  caption: `Flat ${guid}`,
  content: 'Two rooms',
  createdAt: AT,
  ...more,
});

const site = (rows: {
  readonly articles?: Rows;
  readonly adverts?: Rows;
  readonly images?: Rows;
  readonly reviews?: Rows;
  readonly links?: Rows;
  readonly users?: Rows;
}): Files => ({
  ...Object.fromEntries(Object.entries(rows).map(([kind, of]) => [`${kind}.jsonl`, of])),
  'upload/a.png': blackPng(8, 8),
  'upload/b.png': blackPng(9, 8),
});

forBothEngines((engine, fresh) => {
  it('what the old site changed, added and deleted comes in, and earlier contents stay as revisions', async (t) => {
    const database = await fresh(t);
    await (await database.open()).close();
    const first = ['1', '2', '3', '4', '5'].map((guid) => article(guid));
    await bring(t, database, site({ articles: first }));
    const second = [
      article('1'),
      article('2', { caption: 'Flat 2, now cheaper' }),
      article('3', { content: 'Three rooms' }),
      article('4', { updatedAt: LATER, content: 'Four rooms' }),
      article('6'),
    ];
    const counts = { added: 1, changed: 3, present: 1, refused: 0 };
    const tried = await bring(t, database, site({ articles: second }), '--update', '--dry-run');
    assert.deepEqual([tried.code, tried.kinds.articles], [0, counts]);
    const { code, kinds, told } = await bring(t, database, site({ articles: second }), '--update');
    assert.deepEqual([code, kinds.articles], [0, counts]);
    assert.deepEqual(told, [
      {
        kind: 'articles',
        key: '5',
        was: 'kept',
        reason: 'was brought by an import, and is not in this folder; --remove-missing removes it.',
      },
    ]);
    const removing = ['--update', '--remove-missing'];
    const gone = await bring(t, database, site({ articles: second }), ...removing);
    assert.deepEqual(
      gone.told.map(({ key, was }) => [key, was]),
      [['5', 'removed']],
    );
    assert.deepEqual(gone.kinds.articles, { added: 0, changed: 0, present: 5, refused: 0 });
    const { articles, revisions, postings } = await exported(t, database);
    assert.deepEqual(
      articles!.map(({ guid, caption, content, revision, deletedAt }) => [
        guid,
        caption,
        content,
        revision ?? 1,
        deletedAt !== undefined,
      ]),
      [
        ['1', 'Flat 1', 'Two rooms', 1, false],
        ['2', 'Flat 2, now cheaper', 'Two rooms', 2, false],
        ['3', 'Flat 3', 'Three rooms', 2, false],
        ['4', 'Flat 4', 'Four rooms', 2, false],
        ['5', 'Flat 5', 'Two rooms', 1, true],
        ['6', 'Flat 6', 'Two rooms', 1, false],
      ],
    );
    assert.deepEqual(
      revisions!.map(({ article, revision, content }) => [article, revision, content]),
      ['2', '3', '4'].map((guid) => [guid, 1, 'Two rooms']),
    );
    assert.equal(postings!.length, 6);
  });

  it('what was written here since stays, unless --update always says otherwise', async (t) => {
    const { url, database } = await startService(t, await fresh(t));
    await bring(t, database, site({ articles: [article('1'), article('2')] }));
    const call = { token: TOKEN, Id: '1', caption: 'Written here', content: 'Two rooms' };
    assert.equal((await get.call(url, 'UpdateOrInsertArticleById', call)).status, 200);
    const changed = [article('1', { caption: 'By the old site' }), article('2', { caption: 'c' })];
    const { code, kinds, told } = await bring(t, database, site({ articles: changed }), '--update');
    assert.deepEqual([code, kinds.articles], [1, { added: 0, changed: 1, present: 0, refused: 1 }]);
    assert.match(
      String(told[0]!.reason),
      /^a record with this key is there already and differs in caption, and was changed here since the first import; /,
    );
    const captionsNow = async () =>
      (await exported(t, database)).articles!.map(({ caption }) => caption);
    assert.deepEqual(await captionsNow(), ['Written here', 'c']);
    await bring(t, database, site({ articles: changed }), '--update', 'always');
    assert.deepEqual(await captionsNow(), ['By the old site', 'c']);
  });

  it('what is being written here at the same moment counts as written here', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    await bring(t, database, site({ articles: [article('1')] }));
    const changed = site({ articles: [article('1', { caption: 'By the old site' })] });
    const importing = await store.write(async (tx) => {
      const written = { caption: 'Written here', updated_at: Date.now() };
      await tx.updateTable('articles').set(written).where('guid', '=', '1').execute();
      const bringing = bring(t, database, changed, '--update');
      // SQLite lets nobody else write before the end of this; PostgreSQL has the import wait for the row.
      if (engine === 'postgres') await until(async () => (await waiting(store)) > 0);
      return { bringing };
    });
    const { kinds } = await importing.bringing;
    assert.deepEqual(kinds.articles, { added: 0, changed: 0, present: 0, refused: 1 });
    const { articles } = await exported(t, database);
    assert.equal(articles![0]!.caption, 'Written here');
  });

  it('lists, search, counts and tallies follow', async (t) => {
    const { url, database } = await startService(t, await fresh(t));
    const image = (file: string, more: object = {}) => ({
      guid: 'i',
      owner: 'user1',
      linkGuid: '1',
      category: 'rooms',
      file: `upload/${file}.png`,
      createdAt: AT,
      ...more,
    });
    const review = (positive: boolean) => ({
      subject: '1',
      voter: 'user:user2',
      positive,
      createdAt: AT,
    });
    const link = (target: string) => ({ code: 'bdfghjm', target, createdAt: AT });
    const user = (name: string) => ({ id: 'user1', registered: true, name, createdAt: AT });
    await bring(
      t,
      database,
      site({
        users: [user('Ada')],
        articles: [article('1')],
        images: [image('a', { isIcon: true })],
        reviews: [review(true)],
        links: [link('http://a.example/')],
      }),
    );
    const { code, kinds } = await bring(
      t,
      database,
      site({
        users: [user('Bob')],
        articles: [article('1', { caption: 'Penthouse' })],
        images: [image('b', { category: 'roofs', updatedAt: LATER })],
        reviews: [review(false)],
        links: [link('http://b.example/')],
      }),
      '--update',
    );
    assert.equal(code, 0);
    for (const kind of ['users', 'articles', 'images', 'reviews', 'links'])
      assert.equal(kinds[kind].changed, 1, kind);
    const found = async (params: Record<string, string>) =>
      JSON.parse((await get.call(url, 'QueryImgData', { pagesize: '10', ...params })).result!);
    for (const [keyword, total] of [
      ['penthouse', 1],
      ['roofs', 1],
      ['rooms', 0],
      ['flat', 0],
    ] as const)
      assert.equal((await found({ query: keyword })).items.length, total, keyword);
    const records = await exported(t, database);
    assert.deepEqual(
      [records.users![0]!.name, records.links![0]!.target, records.reviews![0]!.positive],
      ['Bob', 'http://b.example/', false],
    );
    const short = await fetch(`${url}/s/bdfghjm`, { redirect: 'manual' });
    assert.equal(short.headers.get('location') ?? short.status, 'http://b.example/');
  });

  it('many missing ones, or rows that cannot be read, remove nothing', async (t) => {
    const database = await fresh(t);
    await (await database.open()).close();
    const all = Array.from({ length: 60 }, (_, n) => article(`a${n}`));
    await bring(t, database, site({ articles: all }));
    const removing = ['--update', '--remove-missing'];
    const live = async () =>
      (await exported(t, database)).articles!.filter(({ deletedAt }) => deletedAt === undefined)
        .length;
    await bring(t, database, site({ articles: all.slice(0, 30) }), ...removing);
    assert.equal(await live(), 60);
    const few = await fresh(t);
    await (await few.open()).close();
    await bring(t, few, site({ articles: all.slice(0, 3) }));
    const { told } = await bring(t, few, site({ articles: [] }), ...removing);
    assert.deepEqual(
      told.map(({ key, was }) => [key, was]),
      ['a0', 'a1', 'a2'].map((key) => [key, 'kept']),
      'an empty list is none',
    );
    const unread = [...all.slice(1), article('a0', { createdAt: 'never' })];
    await bring(t, database, site({ articles: unread }), ...removing);
    assert.equal(await live(), 60);
    await bring(t, database, site({ articles: all.slice(0, 30) }), ...removing, 'all');
    assert.equal(await live(), 30);
  });
});

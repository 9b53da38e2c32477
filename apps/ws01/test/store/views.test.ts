import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Engine } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables/tables.ts';
import { JSON_BINDING, type Params } from '../kit/bindings.ts';
import { forBothEngines } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';

const TIMES = 'created_at created_ms updated_at updated_ms';
const ARTICLE =
  'guid owner caption content category contact_phone pinned_until is_pinned icon_guid icon_path status from_url revision';

/** The columns of the released views, in order. They stay for ever: what is new comes behind them, or into a `v2_`. */
const RELEASED: Readonly<Record<string, string>> = {
  v1_articles: `${ARTICLE} ${TIMES}`,
  v1_articles_all: `${ARTICLE} ${TIMES} is_public deleted_at held_at removed_at`,
  v1_revisions:
    'article_guid revision caption content category contact_phone pinned_until icon_guid status from_url replaced_at replaced_ms',
  v1_adverts: `guid owner title detail link_text link_url deadline deadline_ms is_current category is_image image_guid image_path ${TIMES}`,
  v1_images: `guid owner link_guid category is_icon marked_at marked_ms path icon_path content_type width height bytes ${TIMES}`,
  v1_users: `id is_registered name email first_name last_name zip_code state city address address2 cell_phone cell_phone_verified_at ${TIMES}`,
  v1_reviews: `id subject user_id is_positive mark remark ${TIMES}`,
  v1_review_tallies: 'subject positive negative marks average_mark score',
  v1_links: 'code target user_id deadline disabled_at is_live visits created_at created_ms',
  v1_mails:
    'id sender receiver_name receiver_email subject status attempts created_at created_ms finished_at last_reply',
};

async function columnsOf(db: Kysely<Tables>, engine: Engine, view: string): Promise<string[]> {
  const { rows } =
    engine === 'sqlite'
      ? await sql<{
          name: string;
        }>`select name from pragma_table_info(${view}) order by cid`.execute(db)
      : await sql<{ name: string }>`select column_name as name from information_schema.columns
          where table_name = ${view} order by ordinal_position`.execute(db);
  return rows.map(({ name }) => name);
}

it('the page on views has every view with its columns, in order', async () => {
  const page = await readFile('docs/views.md', 'utf8');
  const rows = [...page.matchAll(/^\| `(v1_\w+)` \|[^|]*\| ([^|]*) \|$/gm)];
  const shown = rows.map(([, view, columns]) => [view, columns!.replaceAll('`', '')]);
  assert.deepEqual(Object.fromEntries(shown), RELEASED);
});

type Row = Readonly<Record<string, unknown>>;

forBothEngines((engine, fresh) => {
  it('a released view never changes its columns', async (t) => {
    const store = await (await fresh(t)).open();
    await store.read(async (db) => {
      for (const [view, columns] of Object.entries(RELEASED)) {
        const released = columns.split(' ');
        assert.deepEqual(
          (await columnsOf(db, engine, view)).slice(0, released.length),
          released,
          view,
        );
      }
    });
  });

  it('a newcomer’s page of classifieds takes two queries, and shows what the public may see', async (t) => {
    const { url, database } = await startService(t, await fresh(t));
    const call = async (operation: string, params: Params) => {
      const { result, body } = await JSON_BINDING.call(url, operation, params);
      return result ?? assert.fail(body);
    };
    const put = (guid: string, given: Params = {}) =>
      call('InsertArticle', {
        token: TOKEN,
        guid,
        caption: `Flat ${guid}`,
        categoryGuid: 'housing',
        Status: '0',
        ...given,
      });
    await put('a');
    await put('b', { pinnedTopDueDate: '2099-01-01T00:00:00Z', CreateUserId: 'ada' });
    await put('draft', { Status: '1' });
    await put('gone');
    await call('DeleteArticleByGuid', { token: TOKEN, guid: 'gone' });
    for (const [FileGuid, IsIcons] of [
      ['picture', 'false'],
      ['icon', 'true'],
    ] as const) {
      const FileImg = blackPng(FileGuid.length, 8).toString('base64');
      await call('InsertArticleImageFile', {
        verifyCode: TOKEN,
        FileGuid,
        FileImg,
        Link_Guid: 'b',
        IsIcons,
      });
    }
    await call('submitReview', { id: 'b', IsPositive: 'true', Mark: '4', userId: 'bob' });
    const store = await database.open();
    const query = (text: string) =>
      store.read(async (db) => (await sql<Row>`${sql.raw(text)}`.execute(db)).rows);

    // The two queries of the page: the newest of a category, pinned ones first; and what is beside them.
    const articles =
      await query(`select a.guid, a.caption, a.is_pinned, a.icon_path, a.created_at, t.average_mark, t.score
      from v1_articles a left join v1_review_tallies t on t.subject = a.guid
      where a.category = 'housing' order by a.is_pinned desc, a.created_ms desc, a.guid limit 20`);
    const images = await query(
      "select link_guid, path from v1_images where link_guid in ('a', 'b') order by created_ms",
    );

    assert.deepEqual(
      articles.map(({ guid, caption, is_pinned }) => [guid, caption, Number(is_pinned)]),
      [
        ['b', 'Flat b', 1],
        ['a', 'Flat a', 0],
      ],
    );
    const [first] = articles;
    assert.match(String(first!.created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(Number(first!.average_mark), 4);
    assert.equal(Number(first!.score).toFixed(6), '0.206549');
    const served = JSON.parse(
      await call('QueryImgData', { linkGuid: 'b', orderBy: 'created asc' }),
    ).items;
    const pathOf = (address: string) => new URL(address).pathname;
    assert.deepEqual(
      images.map(({ path }) => path),
      served.map((item: { url: string }) => pathOf(item.url)),
    );
    assert.equal(first!.icon_path, pathOf(served[1].iconUrl));

    const all = await query(
      'select guid, is_public, deleted_at from v1_articles_all order by guid',
    );
    assert.deepEqual(
      all.map(({ guid, is_public, deleted_at }) => [guid, Number(is_public), deleted_at !== null]),
      [
        ['a', 1, false],
        ['b', 1, false],
        ['draft', 0, false],
        ['gone', 0, true],
      ],
    );
    for (const view of Object.keys(RELEASED)) await query(`select * from ${view}`);
  });
});

forBothEngines((engine, fresh) => {
  if (engine !== 'postgres') return;
  it('a role that only reads sees the views that it was granted, and nothing else', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const role = `reader_${new URL(database.databaseUrl!).pathname.slice(1)}`;
    await store.write(async (tx) => {
      await sql`create role ${sql.id(role)} login password 'reader'`.execute(tx);
      await sql`grant select on v1_articles, v1_images to ${sql.id(role)}`.execute(tx);
    });
    const address = new URL(database.databaseUrl!);
    address.username = role;
    address.password = 'reader';
    const client = new pg.Client({ connectionString: address.href });
    await client.connect();
    try {
      assert.deepEqual((await client.query('select * from v1_articles')).rows, []);
      for (const table of ['v1_users', 'v1_mails', 'articles', 'tokens', 'mails']) {
        await assert.rejects(client.query(`select * from ${table}`), /permission denied/);
      }
      await assert.rejects(
        client.query("update v1_articles set caption = 'x'"),
        /permission denied/,
      );
    } finally {
      await client.end();
      await store.write(async (tx) => {
        await sql`drop owned by ${sql.id(role)}`.execute(tx);
        await sql`drop role ${sql.id(role)}`.execute(tx);
      });
    }
  });
});

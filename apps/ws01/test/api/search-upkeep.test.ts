import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import {
  ADVERTS,
  ARTICLES,
  IMAGES,
  LINKS,
  MAILS,
  REPORTS,
  REVIEWS,
  SMS,
  SUPPRESSIONS,
  TOKENS,
  USERS,
} from '../../src/api/kinds.ts';
import { indexRecords } from '../../src/domain/search/indexing.ts';
import { SEARCHED_RECORDS } from '../../src/domain/search/searched.ts';
import { untilAborted } from '../../src/store/in-background.ts';
import { noteErasure, SEARCHED_TABLES } from '../../src/store/record-index.ts';
import { foundKeys, slicesOf } from '../../src/store/record-search.ts';
import type { Store } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables/tables.ts';
import { callOperation, openApiDesk, SEEDED_SETTINGS, seedEveryKind } from '../kit/api.ts';
import {
  forBothEngines,
  forEachEngine,
  freshDatabase,
  type TestDatabase,
} from '../kit/database.ts';
import { type ListsDocument, queriesOf } from '../kit/list-queries.ts';
import { operatorOf } from '../kit/operator.ts';
import { addArticles, countIn, index } from '../kit/search-index.ts';

/** The lists whose words are indexed, each with the member that is its key. */
const KINDS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...[ADVERTS, ARTICLES, IMAGES, LINKS, MAILS, REPORTS],
    ...[REVIEWS, SMS, SUPPRESSIONS, TOKENS, USERS],
  ].map(({ name, key }) => [name, key.name]),
);

/** Keys of the articles that are in the index under a word. */
async function keysWith(store: Store, term: string): Promise<readonly string[]> {
  const terms = [{ term, isPrefix: false }];
  const { rows } = await store.read(async (db) => {
    const slices = await slicesOf(db, 'articles');
    const query = { table: 'articles', terms, readings: ['open'], slices, but: [] } as const;
    return sql<{ key: string }>`select key from (${foundKeys(db, query)}) as found`.execute(db);
  });
  return rows.map(({ key }) => key);
}

/** Holds up, on PostgreSQL, who indexes a new article; SQLite has one write at a time. */
async function stopIndexing({ databaseUrl }: TestDatabase, guid: string) {
  if (databaseUrl === undefined) return { waiting: async () => {}, end: async () => {} };
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query("insert into search_records (kind, key, slice) values ('a', $1, '001')", [
    guid,
  ]);
  return {
    /** Waits until so many wait for a lock. */
    waiting: (count: number) =>
      until(async () => {
        const { rows } = await client.query(
          `select count(*)::int as waiting from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows[0].waiting === count;
      }),
    end: () => client.end(),
  };
}

forBothEngines((engine, fresh) => {
  it('an edit, a deletion and a purge are found at once, and leave nothing in the index', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const write = (guid: string, caption: string) =>
      callOperation(desk, 'InsertArticle', { guid, caption, CreateUserId: 'ada', content: '' });
    await write('one', 'Zeppelin');
    await write('two', 'Balloon');
    await index(desk.store);
    const found = async (query: string) => {
      const { body } = await desk.get(`/articles?total=true&q=${query}`);
      return [body.total, ...body.items.map(({ guid }: { guid: string }) => guid)];
    };
    await write('one', 'Airship');
    assert.deepEqual(await found('zeppelin'), [0]);
    assert.deepEqual(await found('airship'), [1, 'one']);
    await index(desk.store);
    assert.deepEqual(await found('zeppelin'), [0]);
    assert.deepEqual(await found('airship'), [1, 'one']);
    const before = await countIn(desk.store, 'record_search');
    await desk.store.write((tx) =>
      tx
        .deleteFrom('articles')
        .where('guid', '=', 'one')
        .execute()
        .then(() => undefined),
    );
    // With the record, not only when the next batch is indexed.
    assert.equal(await countIn(desk.store, 'record_search'), before - 1);
    assert.deepEqual(await found('airship'), [0]);
    await index(desk.store);
    assert.equal(await countIn(desk.store, 'search_changes'), 0);
    assert.deepEqual(await found('balloon'), [1, 'two']);
  });

  it('an erased person is in the index no more', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    await seedEveryKind(desk);
    await index(desk.store);
    const keys = async () => {
      const { rows } = await desk.store.read((db) =>
        sql<{ one: string }>`select kind || ' ' || key as one from search_records`.execute(db),
      );
      return rows.map(({ one }) => one);
    };
    assert.ok((await keys()).includes('u ada'));
    const erased = await desk.post('/users/ada/erase', {});
    assert.equal(erased.status, 200, JSON.stringify(erased.body));
    assert.ok(!(await keys()).includes('u ada'));
    assert.ok(!(await keys()).includes('a a-1'));
    assert.equal(await countIn(desk.store, 'record_search'), (await keys()).length);
    await index(desk.store);
    assert.equal(await countIn(desk.store, 'record_search'), (await keys()).length);
  });

  it('the index is of what records say is searched, after any write', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    const columnsOf = (
      db: Kysely<Tables>,
      { table, columns, exact }: (typeof SEARCHED_RECORDS)[number],
    ) => {
      const filters = exact.map(({ value }) => value.compile(db).sql).join();
      const ofFilters = [...filters.replaceAll('"', '').matchAll(/(\w+)\.(\w+)/g)];
      assert.ok(ofFilters.every(([, its]) => its === table));
      const searched = [...columns.open, ...columns.private].map(({ column }) => column);
      const all = [...searched, ...ofFilters.map(([, , name]) => name!)];
      return [...new Set(all)].toSorted();
    };
    assert.deepEqual(
      await desk.store.read(async (db) =>
        Object.fromEntries(SEARCHED_RECORDS.map((one) => [one.table, columnsOf(db, one)])),
      ),
      Object.fromEntries(
        Object.entries(SEARCHED_TABLES).map(([table, { columns }]) => [table, columns.toSorted()]),
      ),
    );
    await seedEveryKind(desk);
    await index(desk.store);
    for (const [table, { letter }] of Object.entries(SEARCHED_TABLES)) {
      const { rows } = await desk.store.read((db) =>
        sql<{ count: number }>`select count(*) as count from search_records
          where kind = ${letter}`.execute(db),
      );
      assert.equal(Number(rows[0]!.count), await countIn(desk.store, table), table);
    }
  });

  it('words narrow every filter of every list alike, whether the index has its values or not', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    const seeded: Readonly<Record<string, string>> = {
      ...(await seedEveryKind(desk)),
      // Their own keys are not searched.
      ...{ reports: 'a-1', reviews: 'a-1' },
    };
    // No attempt changes its state between two requests.
    await until(async () => {
      const [put] = await desk.store.write((tx) =>
        tx
          .updateTable('outbox')
          .set({ due_at: Date.now() + DAY_MS })
          .where('kind', '=', 'sms')
          .where('state', '=', 'deferred')
          .execute(),
      );
      return put!.numUpdatedRows === 1n;
    });
    const document = (await desk.get('/openapi.json')).body as ListsDocument;
    const keysOf = async (path: string) => {
      const { body } = await desk.get(`/${path}`);
      assert.equal(body.next, null, path);
      const kind = path.split('?')[0]!;
      return body.items.map((item: Readonly<Record<string, string>>) => item[KINDS[kind]!]);
    };
    /** @param round by day every second filter, at each engine in the round in which it is not at the other. */
    const holds = async (round: number) => {
      let asked = 0;
      for (const kind of Object.keys(KINDS)) {
        const all = (await desk.get(`/${kind}`)).body.items;
        const filters = queriesOf(document)
          .filter((path) => path.startsWith(`/${kind}?`) && !/[?](sort|limit|total|q|$)/.test(path))
          .flatMap((path) => {
            const [name] = path.split('?')[1]!.split('=');
            const values = all.map((item: Readonly<Record<string, unknown>>) => item[name!]);
            const texts = values.filter((one: unknown) => typeof one === 'string');
            return [
              path,
              ...texts.map((one: string) => `/${kind}?${name}=${encodeURIComponent(one)}`),
            ];
          });
        const word = encodeURIComponent(seeded[kind]!);
        const found = await keysOf(`${kind}?q=${word}`);
        assert.ok(found.length > 0, kind);
        for (const [at, path] of [...new Set(filters)].entries()) {
          if (!BY_NIGHT && (at + round) % 2 === Number(engine === 'sqlite')) continue;
          const filtered: readonly string[] = await keysOf(path.slice(1));
          const both = await keysOf(`${path.slice(1)}&q=${word}`);
          assert.deepEqual(
            both,
            filtered.filter((key) => found.includes(key)),
            path,
          );
          asked++;
        }
      }
      assert.ok(asked > 30, String(asked));
    };
    await holds(0);
    await index(desk.store);
    await holds(1);
  });

  it('two nodes that index at once leave no earlier words, and nothing of a deleted record', async (t) => {
    const database = await fresh(t);
    const [one, two, writer] = [
      await database.open(),
      await database.open(),
      await database.open(),
    ];
    await addArticles(writer, ['Zeppelin', 'Balloon']);
    await indexRecords(one);
    const rename = (caption: string) =>
      writer.write(async (tx) => {
        await tx
          .updateTable('articles')
          .set({ caption })
          .where('guid', '=', 'art-000001')
          .execute();
      });
    await addArticles(writer, ['Raft', 'Canoe'], 'new');
    await rename('Airship');

    // A write of somebody else stops the first node after it has read the records.
    const atIndex = await stopIndexing(database, 'new-000000');
    const first = indexRecords(one);
    await atIndex.waiting(1);
    await rename('Kite');
    await writer.write(async (tx) => {
      await tx.deleteFrom('articles').where('guid', '=', 'new-000001').execute();
    });
    const second = indexRecords(two);
    await Promise.race([second, atIndex.waiting(2)]);
    await atIndex.end();
    await Promise.all([first, second]);

    assert.deepEqual(await keysWith(two, 'AIRSHIP'), []);
    assert.deepEqual(await keysWith(two, 'KITE'), ['art-000001']);
    assert.deepEqual(await keysWith(two, 'CANOE'), []);
    assert.equal(await countIn(two, 'search_records'), 3);
    assert.equal(await countIn(two, 'search_changes'), 0);
  });

  it('the words of a record that is erased amid another erasure leave the files as well', async (t) => {
    const store = await (await fresh(t)).open();
    await addArticles(store, ['Zeppelin', 'Betelgeuse', 'Raft']);
    await indexRecords(store);
    const erase = (guid: string) =>
      store.write(async (tx) => {
        await tx.deleteFrom('articles').where('guid', '=', guid).execute();
        await noteErasure(tx);
      });
    await erase('art-000000');
    let isSecond = false;
    const amid = untilAborted(store, new AbortController().signal, async (work, options) => {
      const result = await store.write(work, options);
      // Nothing was left to merge.
      if ((result as unknown) === false && !isSecond) {
        isSecond = true;
        await erase('art-000001');
      }
      return result;
    });
    await indexRecords(amid);
    assert.ok(isSecond);
    assert.equal(await countIn(store, 'search_changes'), 0);
    const pages =
      engine === 'sqlite'
        ? sql`select block from record_search_data`
        : sql`select terms from record_search`;
    const { rows } = await store.read((db) => pages.execute(db));
    const kept = rows
      .flatMap((row) => Object.values(row as object))
      .map((value) => Buffer.from(value).toString('latin1'))
      .join();
    assert.match(kept, /raft/i);
    assert.doesNotMatch(kept, /zeppelin|betelgeuse/i);
  });
});

forEachEngine((_engine, fresh) => {
  it('records that came in another order, as in an import, are indexed in that of their list', async (t) => {
    const store = await (await fresh(t)).open();
    const count = 8_500;
    // Neighbours in time are far from each other in the order of their keys, which is how they come.
    const places = Array.from({ length: count }, (_, at) => (at * 3_001) % count);
    const rows = places.map((place, at) => ({
      ...{ guid: `art-${String(at).padStart(6, '0')}`, caption: place < 20 ? 'Zeppelin' : 'Flat' },
      ...{ content: '', contact_phone: '', status: 0, from_url: '', revision: 1 },
      ...{ created_at: 1 + place, updated_at: 1 },
    }));
    for (let first = 0; first < count; first += 500)
      await store.write(async (tx) => {
        await tx
          .insertInto('articles')
          .values(rows.slice(first, first + 500))
          .execute();
      });
    await indexRecords(store);
    assert.equal(await countIn(store, 'search_changes'), 0);
    assert.equal(await countIn(store, 'search_records'), count);
    const slices = await store.read((db) => slicesOf(db, 'articles'));
    const byPlace = slices.toSorted((one, other) => (one.slice < other.slice ? -1 : 1));
    assert.equal(byPlace.length, 2);
    assert.ok(byPlace[0]!.last < byPlace[1]!.first, JSON.stringify(byPlace));
    const oldest = rows.filter(({ caption }) => caption === 'Zeppelin').map(({ guid }) => guid);
    const found = await keysWith(store, 'ZEPPELIN');
    assert.deepEqual(found.toSorted(), oldest.toSorted());
  });
});

it('on PostgreSQL a record that is deleted while it is indexed anew leaves no words behind', async (t) => {
  const database = await freshDatabase('postgres', t);
  const desk = await openApiDesk(t, async () => database);
  await callOperation(desk, 'InsertArticle', { guid: 'one', caption: 'Flat', content: '' });
  await index(desk.store);
  const operator = await operatorOf(t, database.databaseUrl!);
  await operator.query('begin');
  await operator.query(`delete from articles where guid = 'one'`);
  await desk.store.write((tx) =>
    sql`insert into search_changes (kind, key) values ('a', 'one')`.execute(tx),
  );
  const indexed = index(desk.store);
  const waits = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await until(async () => (await operator.query(waits)).rowCount! > 0);
  await operator.query('commit');
  await indexed;
  const records = await countIn(desk.store, 'search_records');
  assert.equal(await countIn(desk.store, 'record_search'), records);
});

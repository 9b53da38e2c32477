import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { Random, runs } from '../../../../packages/asmx/test/kit/random.ts';
import { filterOrdersOf, type Kind } from '../../src/api/kind.ts';
import * as kinds from '../../src/api/kinds.ts';
import { indexRecords } from '../../src/domain/search/indexing.ts';
import { firstKeyAt } from '../../src/records/conditions.ts';
import type { Store } from '../../src/store/store.ts';
import { forBothEngines } from '../kit/database.ts';
import { keysOfPages } from '../kit/pages.ts';

/** Orders that an index has and a list has not, and why. */
const NOT_SORTED_BY: Readonly<Record<string, string>> = {
  'mails request_id': 'the mails of a call are found by the search; nobody reads ids in order',
  'sms request_id': 'likewise',
  'codes target_key': 'the index has all of the trail, of which codes are a part',
  'codes request_id': 'likewise',
  'articles/{guid}/revisions article_guid': 'the list is of one article',
};

/** The columns of each index, in order, that has all rows or all with a value in its first column. */
async function indexesOf(store: Store, table: string): Promise<readonly (readonly string[])[]> {
  const query =
    store.engine === 'sqlite'
      ? sql<{ text: string }>`select sql as text from sqlite_master
          where type = 'index' and tbl_name = ${table} and sql is not null`
      : sql<{ text: string }>`select indexdef as text from pg_indexes where tablename = ${table}`;
  const { rows } = await store.read((db) => query.execute(db));
  return rows.flatMap(({ text }) => {
    const [, listed = '', condition] =
      / on .*?\((.*?)\)(?: where \(?(.*?)\)?)?$/i.exec(text.replaceAll('\n', ' ')) ?? [];
    const columns = listed.split(',').map((column) => column.trim().replace(/ collate .*/i, ''));
    const isWhole = condition === undefined || /^\w+ is not null$/i.test(condition);
    return isWhole ? [columns] : [];
  });
}

forBothEngines((_engine, fresh) => {
  it('a list is sorted by each column that an index has before the order of the list', async (t) => {
    const store = await (await fresh(t)).open();
    const lists = Object.values(kinds) as unknown as readonly Kind<unknown>[];
    let served = 0;
    for (const { name, from, orders, sort, ...kind } of lists) {
      const own = orders[sort.replace('-', '')]!.map((column) => column.sql.split('.')[1]!);
      const sorted = Object.values(filterOrdersOf(kind)).map(({ by }) => by);
      for (const [first, ...rest] of await indexesOf(store, from)) {
        if (rest.join() !== own.join() || `${name} ${first}` in NOT_SORTED_BY) continue;
        served++;
        const by = /^\w+$/.test(first!) ? `${from}.${first}` : `lower(${from}.email)`;
        assert.ok(sorted.includes(by), `${name} by ${first}: ${sorted}`);
      }
    }
    assert.ok(served >= 20, String(served));
  });
});

/** Values of which some are the same and some are none. */
const SOME = ['a', 'b', 'ö', '公', '𝒳', '', null];

const compare = (one: string, other: string) =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

interface Row {
  readonly key: string;
  readonly at: number;
  readonly by: string | null;
  readonly other: string | null;
  readonly isRare: boolean;
}

/** Rows as a list has them: those without a value last, in the order of the list. */
function inOrder(rows: readonly Row[], descending: boolean): readonly string[] {
  const turned = descending ? -1 : 1;
  const ordered = rows.toSorted(
    (one, other) =>
      Number(one.by === null) - Number(other.by === null) ||
      turned *
        (compare(one.by ?? '', other.by ?? '') || one.at - other.at || compare(one.key, other.key)),
  );
  return ordered.map(({ key }) => key);
}

forBothEngines((_engine, fresh) => {
  it('pages by a value are those of a plain sort, with filters, words and rows without one', async (t) => {
    const store = await (await fresh(t)).open();
    const random = new Random(61);
    const rows = Array.from({ length: 200 }, (_, at) => ({
      key: `a-${String((at * 7) % 200).padStart(3, '0')}`,
      at: at % 90,
      by: random.of(SOME),
      other: random.of(SOME),
      isRare: at % 20 === 0,
    }));
    const articles = rows.map(({ key, at, by, other, isRare }) => ({
      ...{ guid: key, caption: isRare ? 'rare' : 'often', content: '', contact_phone: '' },
      ...{ owner: by, category_key: other, status: 0, from_url: '', revision: 1 },
      ...{ created_at: at, updated_at: at },
    }));
    const users = rows.map(({ key, at, by, other, isRare }) => ({
      ...{ id: key, registered: 1 as const, name: isRare ? 'rare' : 'often' },
      ...{ email: by, cell_phone: other, created_at: at, updated_at: at },
    }));
    await store.write(async (tx) => {
      await tx.insertInto('articles').values(articles).execute();
      await tx.insertInto('users').values(users).execute();
    });
    await indexRecords(store);
    const lists = [
      ['articles', 'createUserId', 'categoryGuid'],
      ['users', 'email', 'cellPhone'],
    ] as const;
    for (let run = 0; run < runs(400); run++) {
      const [list, by, other] = random.of(lists);
      const descending = random.below(2) === 0;
      const query = new URLSearchParams({ sort: `${descending ? '-' : ''}${by}` });
      query.set('limit', String(1 + random.below(100)));
      let met: readonly Row[] = rows;
      const filters: readonly (readonly [
        name: string,
        value: string,
        has: (row: Row) => boolean,
      ])[] = [
        [by, 'ö', (row) => row.by === 'ö'],
        [other, '公', (row) => row.other === '公'],
        ['createdFrom', new Date(20).toISOString(), ({ at }) => at >= 20],
        ['createdTo', new Date(60).toISOString(), ({ at }) => at < 60],
        ['q', 'rare', ({ isRare }) => isRare],
        ['q', 'often', ({ isRare }) => !isRare],
      ];
      for (const [name, value, has] of filters) {
        if (query.has(name) || random.below(4) > 0) continue;
        query.set(name, value);
        met = met.filter(has);
      }
      const seen = await keysOfPages(store, list, String(query), met.length);
      assert.deepEqual(seen, inOrder(met, descending), `${list} ${query}`);
    }
  });

  it('messages are sorted by state, person and address, alone and with a filter', async (t) => {
    const store = await (await fresh(t)).open();
    const random = new Random(62);
    const states = ['queued', 'sent', 'failed'] as const;
    const rows = Array.from({ length: 90 }, (_, at) => ({
      id: firstKeyAt(1_000_000 + at),
      state: random.of(states),
      sender: random.of(['ada', 'Bob', 'é']),
      receiver: random.of(['a@example.com', 'b@example.com']),
    }));
    await store.write(async (tx) => {
      for (const { id, state, sender, receiver } of rows) {
        const times = { created_at: 1, due_at: state === 'queued' ? 1 : null };
        const outbox = { id, kind: 'mail' as const, state, attempts: 0, deferrals: 0 };
        await tx
          .insertInto('outbox')
          .values({ ...outbox, ...times, give_up_at: 1 })
          .execute();
        const mail = { id, sender, ip: '', receiver_name: '', receiver_email: receiver };
        const text = { subject: 'Hello', body: '', message_id: `<${id}>`, created_at: 1 };
        await tx
          .insertInto('mails')
          .values({ ...mail, ...text, receiver_key: receiver })
          .execute();
      }
    });
    await indexRecords(store);
    const members = [
      ['status', ({ state }: (typeof rows)[number]) => state],
      ['sender', ({ sender }: (typeof rows)[number]) => sender],
      ['receiverEmail', ({ receiver }: (typeof rows)[number]) => receiver],
    ] as const;
    const cases = members.flatMap(([sort, by]) =>
      [...members, ['q', () => 'hello'] as const].flatMap(([name, of]) =>
        [...new Set(rows.map(of))].flatMap((value) =>
          [true, false].map((descending) => ({ sort, by, name, of, value, descending })),
        ),
      ),
    );
    for (const { sort, by, name, of, value, descending } of someOf(cases, 5)) {
      const met = rows.filter((row) => of(row) === value);
      const placed = met.map((row) => ({
        ...{ key: row.id, at: 0, by: by(row), other: null, isRare: false },
      }));
      const query = new URLSearchParams({ [name]: value, limit: '20' });
      query.set('sort', `${descending ? '-' : ''}${sort}`);
      const seen = await keysOfPages(store, 'mails', String(query), met.length);
      assert.deepEqual(seen, inOrder(placed, descending), String(query));
    }
  });
});

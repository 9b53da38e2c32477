import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { indexRecords } from '../../src/domain/search/indexing.ts';
import { checkDatabase } from '../../src/store/maintenance.ts';
import { bringUpToDate, openUnchanged } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { TABLE_NAMES, type Tables } from '../../src/store/tables/tables.ts';
import { askAsOwner } from '../kit/api.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { forBothEngines } from '../kit/database.ts';
import { earlierDatabase } from '../kit/earlier-database.ts';
import { startService, TOKEN } from '../kit/service.ts';

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (store: Store, query: string) =>
  store.read(async (db) => (await sql.raw<Row>(query).execute(db)).rows);

/** Tables that 0.2.0 did not have. */
const LATER: ReadonlySet<keyof Tables> = new Set(
  words(
    'call_counts failed_calls saved_filters reports settings search_records search_slices',
    'search_changes',
  ),
);

/** The rows of each table of 0.2.0, in the order of all their columns. */
async function contentOf(store: Store): Promise<Record<string, readonly Row[]>> {
  const content: Record<string, readonly Row[]> = {};
  for (const table of TABLE_NAMES.filter((name) => !LATER.has(name))) {
    const rows = await rowsOf(store, `select * from ${table}`);
    content[table] = rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return content;
}

/** A definition in one spelling, so that it does not matter how it was written or when a column came. */
function spelled(definition: string): string {
  const text = definition
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),]) ?/g, '$1')
    .toLowerCase();
  const [, head, body, tail] = /^(create table [^(]*)\((.*)\)([^)]*)$/.exec(text) ?? [];
  return body === undefined ? text : `${head}(${partsOf(body).toSorted().join()})${tail}`;
}

/** Columns and constraints: what the commas outside of brackets separate. */
function partsOf(body: string): string[] {
  let depth = 0;
  const parts = [''];
  for (const char of body) {
    depth += char === '(' ? 1 : char === ')' ? -1 : 0;
    if (char === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}

/** Tables, columns, constraints, indexes and views of SQLite, as the database has them. */
const SQLITE = 'select type, name, sql from sqlite_schema where sql is not null';

/** Those of PostgreSQL; without the months of the audit trail. */
const POSTGRES = `
  select 'column' as type, c.relname || '.' || a.attname as name, concat_ws(' ',
    format_type(a.atttypid, a.atttypmod), l.collname, a.attnotnull, a.attidentity,
    pg_get_expr(d.adbin, d.adrelid), c.relkind) as sql
  from pg_attribute a join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    left join pg_collation l on l.oid = a.attcollation
  where c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
    and c.relnamespace = current_schema()::regnamespace
  union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(n.oid)
  from pg_constraint n join pg_class c on c.oid = conrelid
  where contype <> 'n' and not relispartition and connamespace = current_schema()::regnamespace
  union all select 'index', i.relname, pg_get_indexdef(i.oid)
  from pg_index x join pg_class i on i.oid = indexrelid join pg_class c on c.oid = indrelid
  where c.relnamespace = current_schema()::regnamespace and not c.relispartition
  union all select 'trigger', tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid)
  from pg_trigger where not tgisinternal
  union all select 'function', proname, prosrc from pg_proc where pronamespace = current_schema()::regnamespace
  union all select 'view', viewname, definition from pg_views where schemaname = current_schema()`;

async function schemaOf(store: Store): Promise<readonly string[]> {
  const rows = await rowsOf(store, store.engine === 'sqlite' ? SQLITE : POSTGRES);
  return rows
    .map(({ type, name, sql: definition }) => `${type} ${name}: ${spelled(String(definition))}`)
    .toSorted();
}

forBothEngines((engine, fresh) => {
  it('a database of 0.2.0 gets the schema of a new one and keeps its rows', async (t) => {
    const database = await earlierDatabase(engine, t);
    const before = await openUnchanged(database);
    const rows = await contentOf(before).finally(() => before.close());
    const store = await database.open();
    const expected = Object.entries(rows).map(([table, of]) => [
      table,
      of.map((row) => ({ ...row, ...NOT_KNOWN[table] })),
    ]);
    assert.deepEqual(await contentOf(store), Object.fromEntries(expected));
    const filled = Object.keys(rows).filter((table) => rows[table]!.length > 0);
    assert.ok(filled.length > 25, `${filled.length} tables have rows`);
    const created = await schemaOf(await (await fresh(t)).open());
    assert.ok(created.length > 140, `${created.length} definitions`);
    assert.deepEqual(await schemaOf(store), created);
    assert.deepEqual(await historyOf(store), await historyOf(await (await fresh(t)).open()));
    assert.deepEqual(await checkDatabase(store), []);
  });

  it('an index of words in the form that main had before is made anew', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const created = await schemaOf(store);
    await store.write(async (tx) => {
      for (const statement of [
        'drop index search_records_by_slice',
        'alter table search_records drop column slice',
        'drop table search_slices',
        'drop index phone_codes_by_phone',
        'alter table imports drop column changed',
        'alter table failed_calls drop column more_alike',
        'drop table saved_filters',
        'drop index outbox_of_queue',
        'drop index mails_of_sender',
        'drop index tokens_of_user',
        ...['phone_codes', 'phone_verifications'].map((table) => `drop index ${table}_by_end`),
        ...['by_time', 'of_owner_by_time', 'held_by_creation', 'removed_by_creation'].map(
          (name) => `drop index images_${name}`,
        ),
        'alter table outbox drop column queue',
        ...Object.keys(NOT_KNOWN.backups!).map((name) => `alter table backups drop column ${name}`),
        "delete from schema_migrations where name >= '0049'",
      ])
        await sql.raw(statement).execute(tx);
    });
    await bringUpToDate(store, database);
    assert.deepEqual(await schemaOf(store), created);
  });

  it('deliveries that wait or failed before the upgrade are counted to their webhook', async (t) => {
    const database = await earlierDatabase(engine, t);
    const before = await openUnchanged(database);
    const [{ id } = {}] = (await rowsOf(before, 'select id from webhooks')) as { id?: string }[];
    await before.write(async (tx) => {
      for (const state of ['queued', 'deferred', 'failed', 'sent'])
        for (const statement of [
          sql`insert into webhook_deliveries (id, webhook_id, event_id) values (${state}, ${id}, 'e')`,
          sql`insert into outbox (id, kind, state, attempts, deferrals, created_at, give_up_at)
            values (${state}, 'webhook', ${state}, 0, 0, 1, 1)`,
        ])
          await statement.execute(tx);
    });
    await before.close();
    const store = await database.open();
    const { items } = await askAsOwner<{ items: Record<string, unknown>[] }>(
      store,
      '/webhooks?state=late',
    );
    assert.deepEqual(
      items.map((item) => [item.id, item.waiting, item.failed]),
      [[id, 2, 1]],
    );
  });

  it('a service of this version serves and finds what 0.2.0 wrote', async (t) => {
    const database = await earlierDatabase(engine, t);
    const { url } = await startService(t, database);
    const [soap] = TEST_BINDINGS;
    const listed = async (operation: string, params: Record<string, string>) =>
      (await soap!.call(url, operation, params)).result ?? '';
    assert.match(await listed('QueryAdvert', { userId: 'ada', query: 'sale' }), /"guid":"ad"/);
    assert.match(await listed('QueryImgData', { linkGuid: 'ad' }), /"fileGuid":"i"/);
    const counted = { tokenId: TOKEN, userId: 'ada', level: 'all', lastFewDays: '90' };
    assert.notEqual(await listed('countUserPosted', counted), '0');
    const store = await database.open({ guest: true });
    const kinds = async () => {
      const { items } = await askAsOwner<{ items: { kind: string; matched: string }[] }>(
        store,
        '/search?q=ada',
      );
      return items.map(({ kind, matched }) => `${kind} ${matched}`).toSorted();
    };
    // Before its words are indexed and after.
    const found = await kinds();
    assert.ok(found.includes('images words'), found.join());
    await indexRecords(store);
    assert.deepEqual(await kinds(), found);
  });

  it('refuses a database of a version before 0.2.0, and says what to do', async (t) => {
    const database = await earlierDatabase(engine, t);
    const store = await openUnchanged(database);
    await store.write((tx) => dropLast(tx));
    await store.close();
    for (const schema of ['migrate', 'require'] as const) {
      await assert.rejects(database.open({ schema }), {
        kind: 'incompatible',
        message:
          /version before 0\.2\.0, since it lacks .* 0036_verified_phones; start ws01 0\.2\.0 on it once/,
      });
    }
  });
});

it('an upgrade of PostgreSQL waits for a long read while others write, and builds what was interrupted', async (t) => {
  const database = await earlierDatabase('postgres', t);
  const connectionString = database.databaseUrl!;
  const [reader, writer] = [
    new pg.Client({ connectionString }),
    new pg.Client({ connectionString }),
  ];
  database.users!.push(() => Promise.all([reader.end(), writer.end()]));
  await Promise.all([reader.connect(), writer.connect()]);
  await reader.query('begin; lock table articles in access share mode');
  const opening = database.open();
  const name = '0040_search_folding';
  await until(
    async () =>
      (await writer.query('select from schema_migrations where name = $1', [name])).rowCount === 1,
  );
  for (let times = 0; times < 20; times++) {
    await writer.query(`update articles set updated_at = updated_at + 1`);
    await pause(50);
  }
  const last = await writer.query('select max(name) as last from schema_migrations');
  assert.equal(last.rows[0].last, name, 'the next one changes articles');
  await reader.query('commit');
  const store = await opening;
  const indexes = `select indexrelid::regclass::text as name from pg_index
    where indisvalid and indexrelid::regclass::text in ('adverts_hidden_by_search', 'articles_by_revision_bytes')`;
  const built = async () => (await writer.query(indexes)).rowCount;
  assert.equal(await built(), 2);
  // As a build leaves it that was killed.
  await writer.query(`insert into absent_indexes (name, sql)
    select indexname, lower(indexdef) from pg_indexes where indexname = 'articles_by_revision_bytes'`);
  await writer.query(`update pg_index set indisvalid = false
    where indexrelid = 'articles_by_revision_bytes'::regclass`);
  await Promise.all([store, store].map((one) => bringUpToDate(one, database)));
  assert.equal(await built(), 2);
  assert.deepEqual(await checkDatabase(store), []);
});

/** What an upgrade does not know. */
const NOT_KNOWN: Readonly<Record<string, object>> = {
  articles: { revision_bytes: null },
  admin_sessions: { confirmed_at: null },
  webhook_deliveries: { tries: null },
  mails: { notice_key: null },
  outbox: { queue: null },
  backups: {
    ...{ step: null, done: null, total: null, seen_at: null, check_started_at: null },
    ...{ check_started_by: null, checked_at: null, checked_by: null, verdict: null, fault: null },
  },
  service_time: {
    files_id: null,
    sweep_held_for: null,
    sweep_held_since: null,
    lost_commits: null,
    lost_since: null,
    lost_mark: null,
    folding: null,
  },
};

const historyOf = (store: Store) =>
  rowsOf(store, 'select name from schema_migrations order by name');

const dropLast = (tx: Kysely<Tables>) =>
  sql`delete from schema_migrations where name = '0036_verified_phones'`.execute(tx);

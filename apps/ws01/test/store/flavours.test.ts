import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { definitionsOf } from '../../src/store/flavours/definitions.ts';
import { LOCK_TABLE } from '../../src/store/flavours/flavour.ts';
import { PLACEMENT } from '../../src/store/flavours/placement.ts';
import * as recorded from '../../src/store/flavours/schema.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { openUnchanged } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { emptyDatabase, freshDatabase } from '../kit/database.ts';
import { OPERATION_CALLS } from '../kit/operation-calls.ts';
import { readSchema, schemaFile } from '../kit/schema.ts';
import { startService } from '../kit/service.ts';

const [soap11] = TEST_BINDINGS;

const empty = async (t: TestContext) => {
  const database = await emptyDatabase('postgres', t);
  const { databaseUrl, dataDir } = database;
  const store = await openUnchanged({ databaseUrl, dataDir });
  t.after(() => store.close());
  return { database, store };
};

const run = (store: Store, statements: readonly string[]) =>
  store.write(async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx);
  });

/** Calls each operation once, or those that are named. */
async function callAll(url: string, names: readonly string[] = Object.keys(OPERATION_CALLS)): Promise<void> {
  for (const name of names) {
    const { code, body } = await soap11!.call(url, name, OPERATION_CALLS[name]!(1));
    assert.equal(code, undefined, `${name}: ${body}`);
  }
}

/** Without how PostgreSQL writes a view down, which depends on what it was made from. */
const comparable = ({ tables, indexes }: Awaited<ReturnType<typeof readSchema>>) =>
  schemaFile({ tables, indexes, views: [] });

describe('the definitions for other engines', () => {
  it('are made from what the migrations make; run scripts/record-schema.ts after a new one', async (t) => {
    const store = await (await freshDatabase('postgres', t)).open();
    const made = await readSchema(store);
    const { TABLES: tables, INDEXES: indexes, VIEWS: views } = recorded;
    assert.equal(schemaFile(made), schemaFile({ tables, indexes, views }));
    const { store: other } = await empty(t);
    await run(other, definitionsOf('postgres'));
    assert.equal(comparable(await readSchema(other)), comparable(made), 'as the migrations do');
  });

  it('of Citus distribute each table once, what stands together after what it stands with; then the service runs', async (t) => {
    const { database, store } = await empty(t);
    // What Citus has and PostgreSQL has not: it refuses a unique key without the column.
    await run(store, [
      'create table distributed (name text primary key, by text)',
      `create function create_reference_table(name text) returns void language sql as
        $$ insert into distributed values (name, null) $$`,
      `create function create_distributed_table(name text, by text, colocate_with text) returns void language plpgsql as $$
        begin
          if colocate_with <> 'none' and not exists (select from distributed d where d.name = colocate_with) then
            raise '% is not distributed', colocate_with;
          end if;
          if exists (select from pg_index where indrelid = name::regclass and indisunique and not exists
              (select from pg_attribute a where a.attrelid = indrelid and a.attnum = any (indkey) and a.attname = by)) then
            raise 'a unique key of % is without %', name, by;
          end if;
          insert into distributed values (name, by);
        end $$`,
    ]);
    const service = await startService(t, database, { DATABASE_FLAVOUR: 'citus' });
    const { rows } = await store.read((db) =>
      sql<{ name: string; by: string | null }>`select * from distributed`.execute(db),
    );
    const expected = Object.entries(PLACEMENT).flatMap(([name, placement]) =>
      placement === 'one node' ? [] : [{ name, by: typeof placement === 'object' ? placement.by : null }],
    );
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    assert.deepEqual(rows.toSorted(byName), expected.toSorted(byName));
    await callAll(service.url);
  });

  it('of YugabyteDB have an order for each key that grows and index that is read in order', async (t) => {
    const { database } = await empty(t);
    const statements = definitionsOf('yugabytedb');
    const ofCreation = statements.filter(
      (statement) => statement.startsWith('create index') && statement.includes('(created_at'),
    );
    assert.ok(ofCreation.length > 5);
    for (const statement of ofCreation) assert.match(statement, /\(created_at asc\b/);
    assert.ok(statements.includes('create index if not exists audit_in_order on audit (id asc)'));
    const store = await database.open({ flavour: 'yugabytedb' });
    await store.check();
  });

  it('of CockroachDB spread the keys that grow; rows stand for the locks of names there', async (t) => {
    const { database, store } = await empty(t);
    const statements = definitionsOf('cockroachdb');
    const spread = statements.filter((statement) => statement.includes('USING HASH'));
    for (const name of ['audit', 'events', 'mails', 'outbox', 'postings']) {
      assert.ok(
        spread.some((statement) => statement.startsWith(`create table if not exists ${name} `)),
        name,
      );
    }
    // The rest is PostgreSQL's, which has no such keys.
    await run(store, [
      ...statements.map((statement) => statement.replaceAll(' USING HASH', '')),
      ...migrations.map(({ name }) => `insert into schema_migrations (name, applied_at) values ('${name}', 1)`),
    ]);
    const service = await startService(t, database, { DATABASE_FLAVOUR: 'cockroachdb' });
    await callAll(service.url, ['InsertArticle', 'UpdateArticleCategory', 'InsertArticleImageFile', 'DeleImgById']);
    const { rows } = await store.read((db) => sql`select slot from ${sql.table(LOCK_TABLE)}`.execute(db));
    assert.ok(rows.length > 0);
  });
});

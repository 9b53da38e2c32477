import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { isFailureOf } from '../../src/failure/dependency-error.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openStore, openUnchanged } from '../../src/store/open.ts';
import { changes, RELEASED, type SchemaChange } from '../../src/store/schema/changes.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import type { Store } from '../../src/store/store.ts';
import { POSTGRES_TABLES, TABLE_NAMES, TEXT_INDEXES } from '../../src/store/tables/tables.ts';
import { forBothEngines, freshDatabase } from '../kit/database.ts';
import { startChild } from './processes.ts';
import { insertCategory } from './rows.ts';

async function history(store: Store): Promise<string[]> {
  const { rows } = await store.read((db) =>
    sql<{ name: string }>`select name from schema_migrations order by name`.execute(db),
  );
  return rows.map(({ name }) => name);
}

const KNOWN = [...RELEASED, ...changes.map(({ name }) => name)];

/** A change that adds a table. */
const step = (name: string): SchemaChange => ({
  name,
  up: async (db) =>
    void (await sql`create table ${sql.table(`t${name}`)} (id integer)`.execute(db)),
});

forBothEngines((engine, fresh, empty) => {
  it('brings an empty database up to date, once, when processes start on it at the same moment', async (t) => {
    const database = await empty(t);
    const children = await Promise.all([1, 2, 3].map(() => startChild(t, 'open', database)));
    for (const child of children) {
      child.begin();
    }
    for (const child of children) {
      assert.equal(await child.ended, 0, child.errors());
    }
    assert.deepEqual(await history(await database.open()), KNOWN);
  });

  it('makes the tables that a restore replaces and a check looks through, and no others', async (t) => {
    const store = await (await fresh(t)).open();
    const tables = await store.read((db) => db.introspection.getTables());
    const made = tables.filter(({ isView }) => !isView).map(({ name }) => name);
    const ofEngine =
      engine === 'postgres' ? POSTGRES_TABLES : [...TABLE_NAMES, 'schema_migrations'];
    const searchOfSqlite = (name: string) =>
      engine === 'sqlite' && TEXT_INDEXES.some((index) => name.startsWith(index));
    // Parts of the audit trail come and go with it.
    const partOfAudit = (name: string) => name.startsWith('audit_');
    const whole = made.filter((name) => !searchOfSqlite(name) && !partOfAudit(name));
    assert.deepEqual(whole.sort(), [...ofEngine].sort());
  });

  it('applies only what is missing, in order', async (t) => {
    const store = await (await fresh(t)).open();
    await migrate(store, [...changes, step('9001_a')]);
    await migrate(store, [...changes, step('9001_a'), step('9002_b'), step('9003_c')]);
    assert.deepEqual(await history(store), [...KNOWN, '9001_a', '9002_b', '9003_c']);
  });

  it('leaves nothing of a step that fails, and what was before it', async (t) => {
    const store = await (await fresh(t)).open();
    const failing: SchemaChange = {
      name: '9002_b',
      up: async (db) => {
        await insertCategory(db, 'half');
        throw new Error('a defect in a change');
      },
    };
    await assert.rejects(
      migrate(store, [...changes, step('9001_a'), failing]),
      /a defect in a change/,
    );
    assert.deepEqual(await history(store), [...KNOWN, '9001_a']);
    await migrate(store, [...changes, step('9001_a'), step('9002_b')]);
    assert.deepEqual(
      await store.read((db) => db.selectFrom('categories').selectAll().execute()),
      [],
    );
  });

  it('starts on a database to which newer code has only added, and leaves it as it is', async (t) => {
    const database = await fresh(t);
    const newer = await database.open();
    await migrate(newer, [...changes, step('9998_newer'), step('9999_newest')]);
    await newer.close();
    const older = await database.open();
    await older.check();
    assert.deepEqual(await history(older), [...KNOWN, '9998_newer', '9999_newest']);
    await (await database.open({ schema: 'require' })).check();
  });

  it('refuses a database from which newer code took something away, in one line that says what to do', async (t) => {
    const database = await fresh(t);
    const newer = await database.open();
    await migrate(newer, [...changes, step('9998_newer'), step('9999_contract_newer')]);
    await newer.close();
    await assert.rejects(database.open(), (error) => {
      assert.ok(isFailureOf('database', error, 'incompatible'));
      assert.match(
        error.message,
        /^The database has the schema change 9999_contract_newer, .* start the version that made it/,
      );
      assert.ok(!error.message.includes('\n'));
      return true;
    });
  });

  it('says of a database without tables that it has none', async (t) => {
    const database = await empty(t);
    await (await openUnchanged(database)).close();
    await assert.rejects(
      database.open({ schema: 'require' }),
      /^DependencyError: The database has no tables yet; /,
    );
  });

  it('refuses a database of another history', async (t) => {
    const store = await (await fresh(t)).open();
    const renamed = changes.map((one, index) =>
      index === 0 ? { ...one, name: '0037_other' } : one,
    );
    await assert.rejects(migrate(store, renamed), { kind: 'incompatible' });
  });
});

it('a start waits for another process that migrates, for longer than a write waits', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const other = await database.open();
  const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const migrating = other.write(async () => {
    begun.resolve();
    await done.promise;
  });
  await begun.promise;
  const starting = database.open({ busyTimeout: 1 });
  const outcome = await Promise.race([starting, pause(100, 'waits')]).finally(done.resolve);
  await migrating;
  assert.equal(outcome, 'waits');
  await (await starting).check();
});

it('a database that is refused is let go', async (t) => {
  const database = await freshDatabase('sqlite', t);
  await (await database.open()).close();
  const newer = await openStore({ dataDir: database.dataDir });
  await migrate(newer, [...changes, step('9999_contract_newer')]);
  await newer.close();
  await assert.rejects(openStore({ dataDir: database.dataDir }), { kind: 'incompatible' });
  // The last connection that closes takes the log along.
  assert.equal(existsSync(join(database.dataDir, `${SQLITE_FILE}-wal`)), false);
});

it('keeps the history in the order of its names', () => {
  assert.deepEqual(KNOWN, KNOWN.toSorted());
  for (const name of KNOWN) {
    assert.match(name, /^\d{4}_[a-z0-9_]+$/);
  }
});

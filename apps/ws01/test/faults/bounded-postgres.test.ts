import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { openStore } from '../../src/store/open.ts';
import type { Tables } from '../../src/store/tables/tables.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { operatorOf } from '../kit/operator.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { insertCategory } from '../store/rows.ts';

const raise = (tx: Kysely<Tables>, key: string) =>
  tx.updateTable('categories').set({ created_at: 2 }).where('key', '=', key).execute();

const sleeping = (db: Kysely<Tables>) => sql`select pg_sleep(600)`.execute(db);

describe('PostgreSQL that keeps calls waiting', () => {
  it('a locked table: as many wait as may, the others are Busy at once, and no more connections than set are taken', async (t) => {
    const database = await freshDatabase('postgres', t);
    const { url } = await startService(t, database, {
      DATABASE_POOL_SIZE: '3',
      fixed: { databaseQueue: 4, databaseLockSeconds: 1, databaseStatementSeconds: 2 },
    });
    const operator = await operatorOf(t, database.databaseUrl!);
    const article = (guid: string) =>
      JSON_BINDING.call(url, 'InsertArticle', { token: TOKEN, guid, caption: guid });
    // The background work of a start takes connections, too, and only four may wait.
    await until(async () => (await article('before')).status === 200);
    await operator.query('begin; lock table articles in access exclusive mode');
    const calls = Array.from({ length: 20 }, (_, index) => article(`locked-${index}`));
    const refused = await Promise.race(calls);
    const { rows } = await operator.query(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'ws01'`,
    );
    assert.ok(rows[0].n <= 3, `${rows[0].n} connections`);
    const answers = [refused, ...(await Promise.all(calls))];
    assert.deepEqual(
      [
        ...new Set(
          answers.map(({ status, code, headers }) => `${status} ${code} ${headers['retry-after']}`),
        ),
      ],
      ['503 Busy 5'],
    );
    await operator.query('rollback');
    await until(async () => (await article('after')).status === 200);
  });

  it('a transaction of a process that stands still is undone by the server, and its rows are free', async (t) => {
    const database = await freshDatabase('postgres', t);
    const store = await database.open();
    await store.write((tx) => insertCategory(tx, 'a'));
    const { databaseUrl, dataDir } = database;
    const frozen = await openStore({ databaseUrl, dataDir, idleTransactionTimeout: 200 });
    t.after(() => frozen.close());
    const goesOn = Promise.withResolvers<void>();
    let stuck = Promise.resolve();
    let holds = false;
    // It stands as still where the machine has no time for it: then it may be undone before it holds anything.
    await until(async () => {
      const begun = Promise.withResolvers<void>();
      stuck = frozen.write(async (tx) => {
        await raise(tx, 'a');
        holds = true;
        begun.resolve();
        await goesOn.promise;
        await raise(tx, 'a');
      });
      await Promise.race([begun.promise, stuck.catch(() => {})]);
      return holds;
    });
    await store.write((tx) => raise(tx, 'a'));
    goesOn.resolve();
    await assert.rejects(
      stuck,
      (error: { kind?: string }) => error.kind === 'unavailable' || error.kind === 'busy',
    );
    await until(() =>
      frozen
        .write((tx) => raise(tx, 'a'))
        .then(
          () => true,
          () => false,
        ),
    );
  });

  it('a statement is ended by its limit, and by us where the server has none', async (t) => {
    const database = await freshDatabase('postgres', t);
    const store = await database.open();
    const { databaseUrl, dataDir } = database;
    const bounded = await openStore({ databaseUrl, dataDir, poolSize: 1, statementTimeout: 1_000 });
    t.after(() => bounded.close());
    await assert.rejects(bounded.read(sleeping), { kind: 'busy', message: /statement timeout/ });
    // As behind a pooler, where another session may have set its own.
    await bounded.read((db) => sql`select set_config('statement_timeout', '0', false)`.execute(db));
    await assert.rejects(bounded.read(sleeping), { kind: 'busy', message: /took longer/ });
    await until(async () => {
      const { rows } = await store.read((db) =>
        sql`select 1 from pg_stat_activity where state = 'active' and query like 'select pg_sleep(600)%'
            and datname = current_database()`.execute(db),
      );
      return rows.length === 0;
    });
    // What takes its time may.
    await bounded.write((tx) => sql`select pg_sleep(0.5)`.execute(tx), { workTimeout: 60_000 });
  });

  it('several servers in the URL: the first that is there is taken', async (t) => {
    const { databaseUrl, dataDir } = await freshDatabase('postgres', t);
    const { host } = new URL(databaseUrl!);
    const store = await openStore({
      databaseUrl: databaseUrl!.replace(host, `127.0.0.1:1,${host}`),
      dataDir,
    });
    t.after(() => store.close());
    await store.check();
  });
});

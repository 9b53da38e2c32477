import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { listen } from '../../../../packages/asmx/test/kit/listen.ts';
import { bePatient, steerTime } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { type DependencyError, isFailureOf } from '../../src/failure/dependency-error.ts';
import { openStore } from '../../src/store/open.ts';
import { Connections } from '../../src/store/postgres/connections.ts';
import { setUp } from '../../src/store/postgres/session.ts';
import type { Store } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables/tables.ts';
import { freshDatabase } from '../kit/database.ts';
import { POSTGRES_PASSWORD, postgresUrl, startPostgresServer } from '../kit/postgres-server.ts';
import { startUnreliableProxy } from '../kit/unreliable-proxy.ts';
import { categoryKeys, insertCategory } from './rows.ts';

const isUnavailable = (error: unknown) => isFailureOf('database', error, 'unavailable');

/** Ends every connection to the database but the one it runs on, as an administrator or a fail-over does. */
const cutOthers = (db: Kysely<Tables>) =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(db);

const cancelWaitForStandby = (db: Kysely<Tables>) =>
  sql`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`.execute(db);

/** Waits until something is so, or does not fail any more. */
const untilSo = (holds: () => Promise<boolean>) => until(() => holds().catch(() => false));

describe('PostgreSQL connections', () => {
  it('are replaced when the server cuts them, in use or not', async (t) => {
    const database = await freshDatabase('postgres', t);
    const store = await database.open();
    const other = await database.open({ poolSize: 1 });
    await store.write((tx) => insertCategory(tx, 'a'));
    const cut = store.write(async (tx) => {
      await insertCategory(tx, 'lost');
      await other.read(cutOthers);
      await insertCategory(tx, 'lost too');
    });
    await assert.rejects(cut, isUnavailable);
    await store.write((tx) => insertCategory(tx, 'b'));
    assert.deepEqual(await store.read(categoryKeys), ['a', 'b']);
    await other.read(cutOthers);
    assert.deepEqual(await store.read(categoryKeys), ['a', 'b']);
  });

  it('are replaced when what is prepared on them does not hold any more', async (t) => {
    const database = await freshDatabase('postgres', t);
    const store = await database.open({ poolSize: 1 });
    const allOf = (db: Kysely<Tables>) => db.selectFrom('categories').selectAll().execute();
    const losses = [
      // What a pooler between us and the server may do.
      sql`deallocate all`,
      // What the next version of the service does to a table while this one runs.
      sql`alter table categories add column later text`,
      sql`alter table categories drop column later`,
    ];
    await store.write((tx) => insertCategory(tx, 'a'));
    assert.equal((await store.read(allOf)).length, 1);
    let runs = 0;
    for (const loss of losses) {
      await store.read((db) => loss.execute(db));
      assert.equal((await store.read(allOf)).length, 1);
      await store.read((db) => loss.execute(db)).catch(() => {});
      await store.write(async (tx) => {
        runs++;
        assert.equal((await allOf(tx)).length, 1);
      });
    }
    assert.ok(runs > losses.length, `${runs} runs`);
  });

  it('to a server that takes them and then says nothing are none: it is away, not busy', async (t) => {
    const url = new URL((await freshDatabase('postgres', t)).databaseUrl!);
    const proxy = await startUnreliableProxy(t, Number(url.port));
    url.port = String(proxy.port);
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => {});
    await client.connect();
    proxy.silent = true;
    await assert.rejects(
      setUp(client, { statement: 1_000, lock: 1_000, idle: 1_000 }, 100),
      isUnavailable,
    );
  });

  it('are given up when they do not come up in time', async (t) => {
    const silent = createServer();
    const port = await listen(t, silent);
    const asked = once(silent, 'connection');
    const time = steerTime(t);
    const connections = new Connections({ databaseUrl: postgresUrl(port, 'none'), dataDir: '' });
    const late = assert.rejects(connections.connect(), /^Error: it did not answer in time$/);
    await asked;
    time.pass(4_999);
    time.pass(1);
    await late;
  });

  it('come back when the server has been away', async (t) => {
    // A start waits ten seconds for a server, which takes longer where others need the machine.
    bePatient(t);
    const server = await startPostgresServer('ws01-test-private-');
    t.after(() => server.dispose());
    const options = { databaseUrl: postgresUrl(server.port, 'postgres'), dataDir: '.' };
    const store = await openStore(options);
    t.after(() => store.close());
    await store.write((tx) => insertCategory(tx, 'a'));
    await server.stop();
    await assert.rejects(
      store.write((tx) => insertCategory(tx, 'b')),
      isUnavailable,
    );
    await assert.rejects(store.read(categoryKeys), isUnavailable);
    await assert.rejects(store.check(), isUnavailable);
    await assert.rejects(openStore({ ...options, startTimeout: 0 }), (error) => {
      assert.ok(isFailureOf('database', error, 'unavailable'));
      assert.match(error.message, /^PostgreSQL at 127\.0\.0\.1:\d+\/postgres cannot be reached: /);
      return true;
    });
    const opening = openStore(options);
    await server.start();
    await (await opening).close();
    await store.check();
    await store.write((tx) => insertCategory(tx, 'b'));
    assert.deepEqual(await store.read(categoryKeys), ['a', 'b']);
  });

  it('of a URL with several servers lead to the one that can be written, also when that is another one', async (t) => {
    const servers = [];
    for (const prefix of ['ws01-test-one-', 'ws01-test-two-']) {
      const server = await startPostgresServer(prefix);
      t.after(() => server.dispose());
      servers.push(server);
    }
    const ports = servers.map(({ port }) => port);
    const opened = async (databaseUrl: string, schema: 'migrate' | 'require' = 'migrate') => {
      const store = await openStore({ databaseUrl, dataDir: '.', schema });
      t.after(() => store.close());
      return store;
    };
    const each = [];
    for (const port of ports) each.push(await opened(postgresUrl(port, 'postgres')));
    const [one, two] = each;
    const configure = async (store: Store, setting: string, value: string) => {
      await store.read((db) =>
        sql`alter system set ${sql.ref(setting)} = ${sql.lit(value)}`.execute(db),
      );
      await store.read((db) => sql`select pg_reload_conf()`.execute(db));
      await untilSo(async () => {
        const { rows } = await store.read((db) =>
          sql<{ held: string }>`select current_setting(${setting}) as held`.execute(db),
        );
        return rows[0]!.held === value;
      });
    };
    /** As a standby, which only reads; and connections to what has become one are cut. */
    const hold = async (store: Store, on: boolean) => {
      await configure(store, 'default_transaction_read_only', on ? 'on' : 'off');
      await store.read(cutOthers);
    };
    await hold(two!, true);
    const url = postgresUrl(ports[1]!, 'postgres').replace(
      `:${ports[1]}/`,
      `:${ports[1]},127.0.0.1:${ports[0]}/`,
    );
    const either = await opened(url);
    await either.write((tx) => insertCategory(tx, 'first'));
    assert.deepEqual(await one!.read(categoryKeys), ['first']);

    await hold(one!, true);
    await hold(two!, false);
    await untilSo(async () => {
      await either.write((tx) => insertCategory(tx, 'second'));
      return true;
    });
    assert.deepEqual(await two!.read(categoryKeys), ['second']);

    const any = await opened(
      `${postgresUrl(ports[0]!, 'postgres')}?target_session_attrs=any`,
      'require',
    );
    assert.deepEqual(await any.read(categoryKeys), ['first']);

    // What no standby has confirmed may be lost with this server: nobody is told that it is done.
    await configure(two!, 'synchronous_standby_names', 'nobody');
    let writes = 0;
    let refusal: unknown;
    // The server waits for standbys from the moment on that its checkpointer has seen the setting.
    while (refusal === undefined) {
      let settled = false;
      const writing = two!
        .write((tx) => insertCategory(tx, `third-${writes++}`))
        .catch((error) => {
          refusal = error;
        })
        .finally(() => {
          settled = true;
        });
      await untilSo(async () => {
        // As an administrator who has seen it wait.
        await two!.read(cancelWaitForStandby);
        return settled;
      });
      await writing;
    }
    const { kind, cause } = refusal as DependencyError;
    assert.deepEqual(
      [kind, String(cause)],
      ['outcomeUnknown', 'DependencyError: The standby has not confirmed a commit.'],
    );
    assert.equal((await two!.read(categoryKeys)).length, 1 + writes, 'it stands on this server');
  });

  it('are refused at once, without the password, when the address cannot be right', async (t) => {
    const { databaseUrl = '', dataDir } = await freshDatabase('postgres', t);
    const right = new URL(databaseUrl);
    const wrong: readonly [string, RegExp][] = [
      [
        databaseUrl.replace(`:${POSTGRES_PASSWORD}@`, ':secret-and-wrong@'),
        /refuses: password authentication failed/,
      ],
      [
        databaseUrl.replace(right.pathname, '/nowhere'),
        /refuses: database "nowhere" does not exist/,
      ],
      ['postgres://u:secret-and-wrong@[bad/x', /DATABASE_URL is not a URL/],
    ];
    for (const [url, message] of wrong) {
      await assert.rejects(openStore({ databaseUrl: url, dataDir }), (error) => {
        assert.ok(isFailureOf('database', error, 'misconfigured'));
        assert.match(error.message, message);
        assert.ok(!error.message.includes('secret-and-wrong') && !error.message.includes('\n'));
        return true;
      });
    }
  });

  it('are refused to a database that answers before data is on the disk', async (t) => {
    const { databaseUrl = '', dataDir, open } = await freshDatabase('postgres', t);
    const store = await open();
    const name = new URL(databaseUrl).pathname.slice(1);
    await store.write((tx) =>
      sql`alter database ${sql.ref(name)} set synchronous_commit = off`.execute(tx),
    );
    await assert.rejects(openStore({ databaseUrl, dataDir }), {
      kind: 'misconfigured',
      message: /synchronous_commit/,
    });
  });
});

describe('PostgreSQL transactions', () => {
  it('that deadlock are run again until both have taken effect', async (t) => {
    const store = await (await freshDatabase('postgres', t)).open();
    await store.write(async (tx) => {
      await insertCategory(tx, 'a');
      await insertCategory(tx, 'b');
    });
    const met = Promise.withResolvers<void>();
    let arrived = 0;
    let runs = 0;
    const raise = (tx: Kysely<Tables>, key: string) =>
      tx
        .updateTable('categories')
        .set((eb) => ({ created_at: eb('created_at', '+', 1) }))
        .where('key', '=', key)
        .execute();
    const crossing = (first: string, second: string) =>
      store.write(async (tx) => {
        runs++;
        await raise(tx, first);
        if (++arrived === 2) {
          met.resolve();
        }
        await met.promise;
        await raise(tx, second);
      });
    await Promise.all([crossing('a', 'b'), crossing('b', 'a')]);
    // One of them at least; PostgreSQL chooses, and may end both.
    assert.ok(runs > 2, `${runs} runs`);
    const rows = await store.read((db) =>
      db.selectFrom('categories').select('created_at').execute(),
    );
    assert.deepEqual(rows, [{ created_at: 3 }, { created_at: 3 }]);
  });

  it('that cannot be serialized are run again, at a query or at the commit, alone and when they share one', async (t) => {
    const store = await (await freshDatabase('postgres', t)).open();
    await store.write(async (tx) => {
      await sql`create sequence refusals`.execute(tx);
      // A sequence does not go back with its transaction: every second row is refused.
      await sql`create function refuse_first() returns trigger language plpgsql as $$ begin
        if nextval('refusals') % 2 = 1 then raise 'in the way' using errcode = '40001'; end if;
        return new; end $$`.execute(tx);
    });
    for (const [when, trigger] of [
      ['query', 'create trigger'],
      ['commit', 'create constraint trigger'],
    ] as const) {
      const deferred = when === 'commit' ? 'deferrable initially deferred' : '';
      await store.write((tx) =>
        sql
          .raw(
            `${trigger} refusing after insert on categories ${deferred} for each row execute function refuse_first()`,
          )
          .execute(tx),
      );
      let runs = 0;
      const insert = (key: string) => (tx: Kysely<Tables>) => {
        runs++;
        return insertCategory(tx, key);
      };
      await store.write(insert(`${when}-alone`));
      assert.equal(runs, 2, when);
      const shared = ['x', 'y', 'z'].map((name) => `${when}-${name}`);
      await Promise.all(shared.map((key) => store.write(insert(key), { records: [key] })));
      assert.ok(runs > 5, `${runs} runs`);
      await store.write((tx) => sql`drop trigger refusing on categories`.execute(tx));
      const keys = await store.read(categoryKeys);
      assert.deepEqual(keys.filter((key) => key.startsWith(when)).toSorted(), [
        `${when}-alone`,
        ...shared,
      ]);
    }
  });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CompiledQuery, sql } from 'kysely';
import { steerTime } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { isFailureOf } from '../../src/failure/dependency-error.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import { OwnFiles } from '../../src/store/sqlite/own-files.ts';
import { ThreadConnection } from '../../src/store/sqlite/thread-connection.ts';
import type { Store } from '../../src/store/store.ts';
import { onBehalfOf } from '../../src/turns/caller.ts';
import { forBothEngines } from '../kit/database.ts';

const LONG = sql<{ total: number }>`
  with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 300000)
  select count(*) as total from numbers`;

function scanLong(store: Store): Promise<number> {
  return store.scan(async (db) => (await LONG.execute(db)).rows[0]!.total);
}

forBothEngines((engine, fresh) => {
  it('a scan sees every write that was answered before it', async (t) => {
    const store = await (await fresh(t)).open();
    const keys = ['<&>"', '漢字', '😀\n'];
    for (const [index, key] of keys.entries()) {
      await store.write((tx) =>
        tx.insertInto('categories').values({ key, created_at: index }).execute(),
      );
      const found = await store.scan((db) =>
        db.selectFrom('categories').select('key').orderBy('created_at').execute(),
      );
      assert.deepEqual(
        found,
        keys.slice(0, index + 1).map((known) => ({ key: known })),
      );
    }
  });

  it('other work goes on meanwhile', async (t) => {
    const store = await (await fresh(t)).open();
    let done = false;
    const scanned = scanLong(store).finally(() => {
      done = true;
    });
    let turns = 0;
    while (!done) {
      await nextTurn();
      turns++;
    }
    assert.equal(await scanned, 300_000);
    assert.ok(turns > 1, `The event loop turned ${turns} times.`);
  });

  it('bytes come as from a read', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) =>
      tx
        .insertInto('code_keys')
        .values({ id: 1, secret: Buffer.from([0, 255, 7]) })
        .execute(),
    );
    const [row] = await store.scan((db) => db.selectFrom('code_keys').selectAll().execute());
    assert.deepEqual([...row!.secret], [0, 255, 7]);
  });

  it('a scan changes nothing, and an error in it is the engine’s', async (t) => {
    const store = await (await fresh(t)).open();
    const insert = store.scan((db) =>
      db.insertInto('categories').values({ key: 'x', created_at: 1 }).execute(),
    );
    await assert.rejects(insert, /A read may change nothing/);
    await assert.rejects(
      store.scan((db) => sql`select nonsense from nowhere`.execute(db)),
      /nowhere/,
    );
    assert.equal(await scanLong(store), 300_000);
  });

  it('closing waits for the scans under way and refuses later ones', async (t) => {
    // However long they take on this machine.
    steerTime(t);
    const store = await (await fresh(t)).open();
    const scans = [scanLong(store), scanLong(store)];
    await store.close();
    assert.deepEqual(await Promise.all(scans), [300_000, 300_000]);
    await assert.rejects(scanLong(store), (error) => isFailureOf('database', error, 'unavailable'));
  });

  if (engine === 'sqlite') {
    it('the thread ends when it has nothing to do, and comes again', async (t) => {
      const database = await fresh(t);
      const store = await database.open();
      await store.write((tx) =>
        tx.insertInto('categories').values({ key: 'k', created_at: 1 }).execute(),
      );
      const file = join(database.dataDir, SQLITE_FILE);
      const connection = new ThreadConnection(
        file,
        new OwnFiles(file),
        { timeout: 250, setUp: [] },
        1,
      );
      for (const pause of [0, 1, 2, 5, 20, 100, 0]) {
        const { rows } = await connection.executeQuery(
          CompiledQuery.raw('select key from categories'),
        );
        assert.deepEqual(rows, [{ key: 'k' }]);
        await sleep(pause);
      }
      await connection.close();
    });

    it('a process that closes lives until the query under way has ended', async (t) => {
      const database = await fresh(t);
      await (await database.open()).close();
      const sourceOf = (name: string) =>
        JSON.stringify(new URL(`../../src/store/sqlite/${name}`, import.meta.url).href);
      const file = JSON.stringify(join(database.dataDir, SQLITE_FILE));
      const query =
        'with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 300000) select count(*) from numbers';
      const script = `
        const { ThreadConnection } = await import(${sourceOf('thread-connection.ts')});
        const { OwnFiles } = await import(${sourceOf('own-files.ts')});
        const own = new OwnFiles(${file});
        const connection = new ThreadConnection(${file}, own, { timeout: 250, setUp: [] });
        connection.executeQuery({ sql: ${JSON.stringify(query)}, parameters: [] }).catch(() => {});
        await connection.close();
        console.log('closed');`;
      const program = join(database.dataDir, 'close.mjs');
      await writeFile(program, script);
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--conditions=ws01-source',
        program,
      ]);
      assert.equal(stdout, 'closed\n');
    });

    it('a thread that cannot be started leaves nobody waiting for it', async (t) => {
      const database = await fresh(t);
      const file = join(database.dataDir, SQLITE_FILE);
      // What cannot be copied to a thread fails its start within the call.
      const settings = { timeout: 250, setUp: [], uncloneable: () => {} };
      const connection = new ThreadConnection(file, new OwnFiles(file), settings);
      for (let i = 0; i < 101; i++) {
        await assert.rejects(connection.executeQuery(CompiledQuery.raw('select 1')), {
          name: 'DataCloneError',
        });
      }
      await connection.close();
    });

    it('a thread that dies fails those who wait with what it died of, and nobody else; the next query has a new one', async (t) => {
      const database = await fresh(t);
      await (await database.open()).close();
      const file = join(database.dataDir, SQLITE_FILE);
      const setUp = ['select * from things'];
      const connection = new ThreadConnection(file, new OwnFiles(file), { timeout: 250, setUp });
      const ask = () => connection.executeQuery(CompiledQuery.raw('select 1 as one'));
      const isDead = (error: Error) =>
        isFailureOf('database', error, 'unavailable') && /things/.test(String(error.cause));
      await Promise.all([ask(), ask()].map((query) => assert.rejects(query, isDead)));
      setUp.pop();
      assert.deepEqual((await ask()).rows, [{ one: 1 }]);
      await connection.close();
    });

    it('a thread has a hundred queries wait, and refuses the next', async (t) => {
      const database = await fresh(t);
      await (await database.open()).close();
      const file = join(database.dataDir, SQLITE_FILE);
      const connection = new ThreadConnection(file, new OwnFiles(file), {
        timeout: 250,
        setUp: [],
      });
      const ask = () => connection.executeQuery(CompiledQuery.raw('select 1 as one'));
      const asked = Array.from({ length: 100 }, ask);
      await assert.rejects(ask(), { kind: 'busy', message: 'Too many searches are waiting.' });
      for (const { rows } of await Promise.all(asked)) assert.deepEqual(rows, [{ one: 1 }]);
      await connection.close();
    });

    it('when more wait than may, the next is told to come again', async (t) => {
      const store = await (await fresh(t)).open();
      const scan = (_: unknown, at: number) =>
        onBehalfOf(`caller ${at}`, () => store.scan((db) => sql`select 1`.execute(db)));
      const outcomes = await Promise.allSettled(Array.from({ length: 110 }, scan));
      const busy = outcomes.filter(({ status }) => status === 'rejected');
      // Two are under way, a hundred wait.
      assert.equal(busy.length, 8);
      for (const one of busy) assert.equal((one as PromiseRejectedResult).reason.kind, 'busy');
    });
  }
});

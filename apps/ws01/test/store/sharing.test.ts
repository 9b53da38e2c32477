import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { isFailureOf } from '../../src/failure/dependency-error.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import { forBothEngines, freshDatabase, type TestDatabase } from '../kit/database.ts';
import { startChild } from './processes.ts';
import { categoryKeys, insertBoth, insertCategory, storedKeys } from './rows.ts';

forBothEngines((_, fresh) => {
  it('lets several processes write at the same time', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const children = await Promise.all(
      ['a', 'b'].map((prefix) => startChild(t, 'write', { ...database, prefix, count: 150 })),
    );
    for (const child of children) {
      child.begin();
    }
    const own = Array.from({ length: 150 }, (_, n) => store.write((tx) => insertBoth(tx, `c${n}`)));
    await Promise.all(own);
    for (const child of children) {
      assert.equal(await child.ended, 0, child.errors());
    }
    const { articles, postings } = await store.read(storedKeys);
    const expected = ['a', 'b', 'c'].flatMap((prefix) =>
      Array.from({ length: 150 }, (_, n) => `${prefix}${n}`),
    );
    assert.deepEqual([articles, postings], [expected.toSorted(), expected.toSorted()]);
  });
});

describe('a SQLite file that another process holds', () => {
  const isBusy = (error: unknown) => isFailureOf('database', error, 'busy');

  /** Another connection in the middle of a write, as another process has it. */
  function holdWriteLock(t: TestContext, { dataDir }: TestDatabase): { release(): void } {
    const other = new DatabaseSync(join(dataDir, SQLITE_FILE));
    t.after(() => other.close());
    other.exec('begin immediate');
    return { release: () => other.exec('rollback') };
  }

  it('tells a guest nothing before it is on the disk', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const [store, guest] = [await database.open(), await database.open({ guest: true })];
    await store.write((tx) => insertCategory(tx, 'a'));
    const { syncs } = guest.metrics;
    assert.deepEqual(await guest.read(categoryKeys), ['a']);
    assert.equal(guest.metrics.syncs, syncs + 1);
    await guest.write((tx) => categoryKeys(tx));
    assert.equal(guest.metrics.syncs, syncs + 2);
  });

  it('is waited for, while reads go on', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const store = await database.open();
    await store.write((tx) => insertCategory(tx, 'a'));
    const other = holdWriteLock(t, database);
    const writes = ['b', 'c'].map((key) => store.write((tx) => insertCategory(tx, key)));
    for (let n = 0; n < 5; n++) {
      assert.deepEqual(await store.read(categoryKeys), ['a']);
    }
    other.release();
    await Promise.all(writes);
    assert.deepEqual(await store.read(categoryKeys), ['a', 'b', 'c']);
  });

  it('makes writes fail as busy after their patience, and no longer than it lasts', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const store = await database.open({ busyTimeout: 60_000 });
    const other = holdWriteLock(t, database);
    const patient = store.write((tx) => insertCategory(tx, 'patient'));
    await assert.rejects(
      store.write((tx) => insertCategory(tx, 'impatient'), { busyTimeout: 30 }),
      isBusy,
    );
    other.release();
    await patient;
    assert.deepEqual(await store.read(categoryKeys), ['patient']);
  });

  it('can be opened meanwhile, when its schema is up to date or as soon as it is free', async (t) => {
    const database = await freshDatabase('sqlite', t);
    await database.open();
    const other = holdWriteLock(t, database);
    const opening = database.open();
    other.release();
    const store = await opening;
    await store.write((tx) => insertCategory(tx, 'a'));
  });
});

describe('a data folder that cannot be used', () => {
  it('is refused in one line that names the setting', async (t) => {
    const { dataDir, open } = await freshDatabase('sqlite', t);
    const refused: readonly [string, RegExp][] = [
      [join('/dev/null', 'x'), /^The data folder \/dev\/null\/x cannot be made; set DATA_DIR/],
      ['/proc', /^The database file \/proc\/\S+ cannot be opened; check DATA_DIR/],
    ];
    for (const [folder, message] of refused) {
      await assert.rejects(open({ dataDir: folder }), (error) => {
        assert.ok(isFailureOf('database', error));
        assert.match(error.message, message);
        return !error.message.includes('\n');
      });
    }
    const { writeFile } = await import('node:fs/promises');
    await writeFile(
      join(dataDir, SQLITE_FILE),
      'this is a letter to my aunt, and no database at all'.repeat(100),
    );
    await assert.rejects(open(), { kind: 'unavailable', message: /is none of SQLite/ });
  });
});

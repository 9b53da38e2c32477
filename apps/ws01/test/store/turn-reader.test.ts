import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import { freshDatabase } from '../kit/database.ts';
import { categoryKeys, insertCategory } from './rows.ts';

/** A store, and another process's connection to its file. */
async function opened(t: TestContext) {
  const database = await freshDatabase('sqlite', t);
  const store = await database.open();
  const other = new DatabaseSync(join(database.dataDir, SQLITE_FILE));
  t.after(() => other.close());
  const insert = (key: string) =>
    other.prepare('insert into categories (key, created_at) values (?, 1)').run(key);
  return { store, other, insert, keys: () => store.read(categoryKeys) };
}

const nextTurn = () => new Promise(setImmediate);

it('the reads of one turn of the event loop see one moment, those of the next turn what was committed before it', async (t) => {
  const { insert, keys } = await opened(t);
  const reads = [keys(), keys()];
  insert('meanwhile');
  reads.push(keys());
  assert.deepEqual(await Promise.all(reads), [[], [], []]);
  await nextTurn();
  assert.deepEqual(await keys(), ['meanwhile']);
});

it('a loop of reads that waits for nothing else sees what is committed meanwhile, though not at once', async (t) => {
  const { insert, keys } = await opened(t);
  let found: readonly string[] = [];
  for (let reads = 0; reads < 100 && found.length === 0; reads++) {
    found = await keys();
    if (reads === 10) insert('meanwhile');
  }
  assert.deepEqual(found, ['meanwhile']);
});

it('a read alone in its turn leaves no transaction behind, nor do many', async (t) => {
  const { insert, keys, other } = await opened(t);
  for (const reads of [1, 2, 3]) {
    await Promise.all(Array.from({ length: reads }, keys));
    insert(`${reads}`);
    await nextTurn();
    // SQLite cannot move what somebody still reads before it, and says so.
    const moved = other.prepare('pragma wal_checkpoint(truncate)').get() as {
      readonly busy: number;
    };
    assert.equal(moved.busy, 0, `${reads} reads`);
  }
});

it('a read that begins when a write was answered sees it, whatever else is read in between', async (t) => {
  const { store, keys } = await opened(t);
  let ended = false;
  const reading = (async () => {
    while (!ended) {
      await Promise.all([keys(), keys(), keys()]);
      await nextTurn();
    }
  })();
  for (let number = 0; number < 100; number++) {
    const key = String(number).padStart(2, '0');
    await store.write(async (tx) => {
      await Promise.all([keys(), insertCategory(tx, key), keys()]);
    });
    assert.equal((await keys()).at(-1), key);
  }
  ended = true;
  await reading;
});

it('a store that was closed amid a turn says so, and the process lives on', async (t) => {
  const { store, keys } = await opened(t);
  const reads = [keys(), keys(), keys()];
  const closed = store.close();
  await Promise.allSettled(reads);
  await closed;
  const late = await Promise.allSettled([keys(), keys(), keys()]);
  for (const { status } of late) assert.equal(status, 'rejected');
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { isFailureOf } from '../../src/failure/dependency-error.ts';
import type { Store } from '../../src/store/store.ts';
import { isUniqueViolation } from '../../src/store/unique-violation.ts';
import { freshDatabase } from '../kit/database.ts';
import { categoryKeys, insertCategory } from './rows.ts';

/** What a stretch of work added to the store's counters. */
async function measured(store: Store, work: () => Promise<unknown>) {
  const before = store.metrics;
  await work();
  const after = store.metrics;
  return {
    writes: after.writes - before.writes,
    commits: after.commits - before.commits,
    syncs: after.syncs - before.syncs,
  };
}

/** So that a slow machine does not end transactions early. */
const UNHURRIED = { batchTime: 60_000 };

const keys = (count: number) =>
  Array.from({ length: count }, (_, index) => `key ${String(index).padStart(4, '0')}`);

describe('group commit', () => {
  it('carries the writes of one turn in as few transactions as their batch size allows', async (t) => {
    const store = await (await freshDatabase('sqlite', t)).open({ batchSize: 50, ...UNHURRIED });
    const all = keys(500);
    const spent = await measured(store, () =>
      Promise.all(all.map((key) => store.write((tx) => insertCategory(tx, key)))),
    );
    assert.deepEqual({ ...spent, syncs: 0 }, { writes: 500, commits: 10, syncs: 0 });
    assert.ok(spent.syncs >= 1 && spent.syncs <= 10);
    assert.deepEqual(await store.read(categoryKeys), all);
  });

  it('gives a lone write a transaction of its own at once', async (t) => {
    const store = await (await freshDatabase('sqlite', t)).open(UNHURRIED);
    for (const key of keys(3)) {
      const spent = await measured(store, () => store.write((tx) => insertCategory(tx, key)));
      assert.deepEqual(spent, { writes: 1, commits: 1, syncs: 1 });
    }
  });

  it('begins few writes only when the disk has what was committed before: each sync is of one transaction', async (t) => {
    const store = await (await freshDatabase('sqlite', t)).open(UNHURRIED);
    const writes: Promise<unknown>[] = [];
    const spent = await measured(store, async () => {
      for (const key of keys(30)) {
        writes.push(store.write((tx) => insertCategory(tx, key)));
        await nextTurn();
      }
      await Promise.all(writes);
    });
    assert.equal(spent.writes, 30);
    assert.equal(spent.commits, spent.syncs);
    assert.deepEqual(await store.read(categoryKeys), keys(30));
  });

  it('runs writes in the order in which they were asked for', async (t) => {
    const store = await (await freshDatabase('sqlite', t)).open({ batchSize: 7, ...UNHURRIED });
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        store.write(async (tx) => {
          await categoryKeys(tx);
          order.push(index);
          await insertCategory(tx, `key ${index}`);
        }),
      ),
    );
    assert.deepEqual(order, [...Array(30).keys()]);
  });

  it('undoes a failing write alone, before and after it has changed something', async (t) => {
    const store = await (await freshDatabase('sqlite', t)).open(UNHURRIED);
    const refusal = new Error('refused');
    const write = (key: string) => store.write((tx) => insertCategory(tx, key));
    const spent = await measured(store, async () => {
      const outcomes = await Promise.allSettled([
        write('a'),
        store.write(() => Promise.reject(refusal)),
        write('b'),
        store.write(async (tx) => {
          await insertCategory(tx, 'undone');
          throw refusal;
        }),
        write('c'),
        write('a'),
        write('d'),
      ]);
      assert.deepEqual(
        outcomes.map((outcome) => outcome.status),
        ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
      );
      const reasons = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [outcome.reason] : [],
      );
      assert.deepEqual(
        [reasons[0], reasons[1], isUniqueViolation(reasons[2])],
        [refusal, refusal, true],
      );
    });
    assert.deepEqual(spent, { writes: 4, commits: 1, syncs: 1 });
    assert.deepEqual(await store.read(categoryKeys), ['a', 'b', 'c', 'd']);
  });

  it('lets each write see what the earlier ones of its batch have done', async (t) => {
    const store = await (await freshDatabase('sqlite', t)).open(UNHURRIED);
    const seen = await Promise.all(
      keys(4).map((key) =>
        store.write(async (tx) => {
          const before = await categoryKeys(tx);
          await insertCategory(tx, key);
          return before.length;
        }),
      ),
    );
    assert.deepEqual(seen, [0, 1, 2, 3]);
  });

  it('takes no further write into a transaction that has lasted long enough', async (t) => {
    const store = await (await freshDatabase('sqlite', t)).open({ batchTime: 5 });
    const slow = (key: string) =>
      store.write(async (tx) => {
        await insertCategory(tx, key);
        await sleep(20);
      });
    const spent = await measured(store, () => Promise.all(keys(4).map(slow)));
    assert.deepEqual({ ...spent, syncs: 0 }, { writes: 4, commits: 4, syncs: 0 });
    assert.deepEqual(await store.read(categoryKeys), keys(4));
  });

  it('commits nothing when nothing was changed', async (t) => {
    const store = await (await freshDatabase('sqlite', t)).open(UNHURRIED);
    const spent = await measured(store, () =>
      Promise.all([store.write(categoryKeys), store.write(categoryKeys)]),
    );
    assert.deepEqual(spent, { writes: 2, commits: 0, syncs: 0 });
  });

  it('tells nobody of a change before it is on the disk: not its writer, not a reader', async (t) => {
    const store = await (await freshDatabase('sqlite', t)).open(UNHURRIED);
    const syncsBefore = store.metrics.syncs;
    const write = store.write((tx) => insertCategory(tx, 'a')).then(() => store.metrics.syncs);
    let seen: string[] = [];
    while (seen.length === 0) {
      await nextTurn();
      seen = await store.read(categoryKeys);
    }
    assert.ok(store.metrics.syncs > syncsBefore);
    assert.ok((await write) > syncsBefore);
  });

  it('gives up one write of a batch that takes too long, and runs it no second time', async (t) => {
    const store = await (await freshDatabase('sqlite', t)).open(UNHURRIED);
    let runs = 0;
    const outcomes = await Promise.allSettled([
      store.write((tx) => insertCategory(tx, 'a')),
      store.write(
        async (tx) => {
          runs++;
          await insertCategory(tx, 'stuck');
          await new Promise(() => {});
        },
        { workTimeout: 50 },
      ),
      store.write((tx) => insertCategory(tx, 'b')),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(runs, 1);
    assert.deepEqual(await store.read(categoryKeys), ['a', 'b']);
  });
});

describe('a full database', () => {
  const isFull = (error: unknown) =>
    isFailureOf('database', error, 'unavailable') && /full/.test(error.message);

  /** Takes the room of the database file away, or gives it back, as a disk would. */
  const limitPages = (store: Store, pages: number) =>
    store.write((tx) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(tx));

  it('refuses writes that need room, keeps what was answered, and recovers by itself', async (t) => {
    const store = await (await freshDatabase('sqlite', t)).open(UNHURRIED);
    await store.write((tx) => insertCategory(tx, 'before'));
    await limitPages(store, 1);
    const large = 'x'.repeat(100_000);
    // SQLite ends the whole transaction, so the writes that shared it are refused as well.
    const refused = ['small', large, 'smaller'].map((key) =>
      store.write((tx) => insertCategory(tx, key)),
    );
    await Promise.all(refused.map((write) => assert.rejects(write, isFull)));
    await store.write((tx) => insertCategory(tx, 'small'));
    assert.deepEqual(await store.read(categoryKeys), ['before', 'small']);
    await limitPages(store, 1_000_000);
    await store.write((tx) => insertCategory(tx, large));
    assert.deepEqual(await store.read(categoryKeys), ['before', 'small', large]);
  });
});

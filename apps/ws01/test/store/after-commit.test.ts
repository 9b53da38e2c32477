import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ExistingKeys } from '../../src/domain/shared/existing-keys.ts';
import { afterCommit } from '../../src/store/scope.ts';
import { forBothEngines } from '../kit/database.ts';
import { categoryKeys, insertCategory } from './rows.ts';

forBothEngines((_engine, fresh) => {
  it('what is to follow a commit follows it once, before the caller learns of it', async (t) => {
    const store = await (await fresh(t)).open();
    const seen: string[] = [];
    await store.write(async (tx) => {
      afterCommit(tx, () => seen.push('first'));
      await insertCategory(tx, 'a');
      afterCommit(tx, () => seen.push('second'));
      seen.push('work');
    });
    assert.deepEqual(seen, ['work', 'first', 'second']);
  });

  it('nothing follows a write that fails, and the others of its transaction are followed once', async (t) => {
    const store = await (await fresh(t)).open();
    const seen: string[] = [];
    const write = (key: string, fails: boolean) =>
      store.write(async (tx) => {
        await insertCategory(tx, key);
        afterCommit(tx, () => seen.push(key));
        if (fails) throw new Error('given up');
      });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, number) => write(`key-${number}`, number % 3 === 1)),
    );
    const kept = outcomes.flatMap(({ status }, number) =>
      status === 'fulfilled' ? [`key-${number}`] : [],
    );
    assert.equal(kept.length, 13);
    assert.deepEqual(seen.toSorted(), kept.toSorted());
    assert.deepEqual((await store.read(categoryKeys)).toSorted(), kept.toSorted());
  });

  it('a read has no commit', async (t) => {
    const store = await (await fresh(t)).open();
    await store.read(async (db) => assert.throws(() => afterCommit(db, () => {}), TypeError));
  });

  it('a key is known to stand only when its write took effect, and only in its own store', async (t) => {
    const database = await fresh(t);
    const [store, other] = [await database.open(), await database.open()];
    const keys = new ExistingKeys();
    const learn = (fails: boolean) =>
      store.write(async (tx) => {
        keys.learn(tx, 'a');
        assert.equal(keys.has(tx, 'a'), false);
        if (fails) throw new Error('given up');
      });
    await assert.rejects(learn(true), /given up/);
    await learn(false);
    await store.write(async (tx) => assert.equal(keys.has(tx, 'a'), true));
    await other.write(async (tx) => assert.equal(keys.has(tx, 'a'), false));
  });
});

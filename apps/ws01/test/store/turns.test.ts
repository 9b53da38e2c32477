import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Turns } from '../../src/store/postgres/turns.ts';

/** Works that end when they are told to. */
function held() {
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((end) => ends.push(end));
  return { work, ends };
}

const isBusy = { kind: 'busy' };

describe('turns for connections', () => {
  it('are given up to the bound; as many wait as may, and the next one is refused at once', async () => {
    const turns = new Turns({ atOnce: 2, waiting: 4, timeoutMs: 60_000 });
    const { work, ends } = held();
    const taken = ['a', 'b', 'c', 'd', 'e', 'f'].map((caller) => turns.take(caller, work));
    assert.equal(turns.waiting, 4);
    await assert.rejects(turns.take('g', work), isBusy);
    while (ends.length > 0) {
      ends.shift()!();
      await new Promise(setImmediate);
    }
    await Promise.all(taken);
    assert.equal(turns.waiting, 0);
  });

  it('go round the callers, and none has more than half of the places', async () => {
    const turns = new Turns({ atOnce: 1, waiting: 8, timeoutMs: 60_000 });
    const order: string[] = [];
    const { work, ends } = held();
    const first = turns.take('first', work);
    const taken = ['many', 'many', 'many', 'many', 'few', 'one'].map((caller) =>
      turns.take(caller, async () => void order.push(caller)),
    );
    await assert.rejects(
      turns.take('many', async () => {}),
      isBusy,
    );
    ends[0]!();
    await Promise.all([first, ...taken]);
    assert.deepEqual(order, ['many', 'few', 'one', 'many', 'many', 'many']);
  });

  it('do not come for ever: who has waited too long is refused, and takes no place any more', async () => {
    const turns = new Turns({ atOnce: 1, waiting: 2, timeoutMs: 1 });
    const { work, ends } = held();
    const first = turns.take('a', work);
    await assert.rejects(turns.take('b', work), isBusy);
    assert.equal(turns.waiting, 0);
    ends[0]!();
    await first;
    assert.equal(await turns.take('b', async () => 1), 1);
  });
});

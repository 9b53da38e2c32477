import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onBehalfOf } from '../../src/turns/caller.ts';
import { FairQueue } from '../../src/turns/fair-queue.ts';
import { type NoTurn, Turns, type WaitLimits } from '../../src/turns/turns.ts';

const limits = (waiting?: number, waitMs?: number): WaitLimits => ({
  ...(waiting === undefined ? {} : { waiting }),
  ...(waitMs === undefined ? {} : { waitMs }),
  refusal: (reason: NoTurn) => new Error(reason),
});

/** Work that ends when it is told to, in the order in which it began. */
function held() {
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () => {
    began.push(name);
    return new Promise<void>((end) => ends.push(end));
  };
  const endAll = async (all: readonly Promise<unknown>[]) => {
    for (let ended = 0; ended < all.length; ended++) {
      ends[ended]?.();
      await nextTurn();
    }
    await Promise.all(all);
  };
  return { began, ends, work, endAll };
}

describe('turns', () => {
  it('are given up to the bound; as many wait as may, and the next one is refused at once', async () => {
    const turns = new Turns(2, limits(4));
    const { began, work, endAll } = held();
    const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((whose) => turns.take(work(whose), { whose }));
    assert.equal(turns.waiting, 4);
    await assert.rejects(turns.take(work('g'), { whose: 'g' }), { message: 'full' });
    const admitted = turns.take(work('h'), { whose: 'h', admitted: true });
    await endAll([...all, admitted]);
    assert.deepEqual(began, ['a', 'b', 'c', 'd', 'e', 'f', 'h']);
    assert.equal(turns.waiting, 0);
    assert.equal(turns.free, 2);
  });

  it('go round the callers, however much each has waiting', async () => {
    const turns = new Turns(2, limits(100));
    const { began, work, endAll } = held();
    const all = [...'aaaaabc'].map((name) => onBehalfOf(name, () => turns.take(work(name))));
    await endAll(all);
    assert.equal(began.join(''), 'aaabcaa');
  });

  it('one caller has half of the places, the next half of the rest; what has no name is one caller, too', async () => {
    const turns = new Turns(1, limits(16));
    const { work, endAll } = held();
    const all = [turns.take(work('first'))];
    const most = async (whose: string): Promise<number> => {
      for (let taken = 0; ; taken++) {
        const running = onBehalfOf(whose, () => turns.take(work(whose)));
        const refused = await Promise.race([
          running.catch((error: Error) => error.message),
          nextTurn(),
        ]);
        if (refused === 'full') return taken;
        all.push(running);
      }
    };
    assert.deepEqual([await most(''), await most('b'), await most('c')], [8, 4, 2]);
    await endAll(all);
  });

  it('have a weight; what is lighter does not slip past what waits', async () => {
    const turns = new Turns(10);
    const { began, ends, work, endAll } = held();
    const run = (whose: string, weight: number) =>
      turns.take(work(`${whose}${weight}`), { whose, weight });
    const all = [
      run('a', 6),
      run('a', 4),
      run('a', 5),
      run('a', 1),
      run('a', 2),
      run('b', 3),
      run('c', 2),
    ];
    assert.deepEqual(began, ['a6', 'a4']);
    // Four are free, and the first that waits needs five.
    ends[1]!();
    await nextTurn();
    assert.deepEqual(began, ['a6', 'a4']);
    await endAll(all);
    assert.deepEqual(began, ['a6', 'a4', 'a5', 'b3', 'c2', 'a1', 'a2']);
  });

  it('do not come for ever: what has waited too long is refused and makes room, unless it is patient', async () => {
    const turns = new Turns(2, limits(2, 1));
    const { began, ends, work } = held();
    const [light, heavy] = [turns.take(work('a')), turns.take(work('b'))];
    const patient = turns.take(work('patient'), { whose: 'p', patient: true });
    const late = turns.take(work('late'), { whose: 'l', weight: 2 });
    await assert.rejects(late, { message: 'late' });
    assert.equal(turns.waiting, 1);
    ends[0]!();
    await light;
    await nextTurn();
    assert.deepEqual(began, ['a', 'b', 'patient']);
    ends[1]!();
    ends[2]!();
    await Promise.all([heavy, patient]);
  });

  it('are not taken by who leaves, and what is lighter behind it begins', async () => {
    const turns = new Turns(2, limits());
    const { began, ends, work } = held();
    const leaving = new AbortController();
    const first = turns.take(work('first'));
    const left = turns.take(work('left'), { whose: 'l', weight: 2, signal: leaving.signal });
    const behind = turns.take(work('behind'), { whose: 'b' });
    assert.deepEqual(began, ['first']);
    leaving.abort(new Error('gone'));
    await assert.rejects(left, { message: 'gone' });
    await nextTurn();
    assert.deepEqual(began, ['first', 'behind']);
    for (const end of ends) end();
    await Promise.all([first, behind]);
  });

  it('pass on after work that fails', async () => {
    const turns = new Turns(1);
    const failing = turns.take(() => Promise.reject(new Error('no')));
    const next = turns.take(async () => 'next');
    await assert.rejects(failing, { message: 'no' });
    assert.equal(await next, 'next');
  });
});

describe('a fair queue', () => {
  it('yields what may go, in turns, and leaves the rest in its order', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3']) queue.push('a', item);
    for (const item of ['b1', 'b2']) queue.push('b', item);
    queue.push('c', 'c1');
    assert.equal(queue.first, 'a1');
    assert.deepEqual(
      [...queue.taking((item) => item !== 'a1' && item !== 'c1')],
      ['a2', 'b1', 'a3', 'b2'],
    );
    assert.deepEqual([queue.length, queue.lengthOf('a'), queue.lengthOf('b')], [2, 1, 0]);
    queue.push('b', 'b3');
    assert.deepEqual(
      [queue.shift(), queue.shift(), queue.shift(), queue.shift()],
      ['c1', 'a1', 'b3', undefined],
    );
  });
});

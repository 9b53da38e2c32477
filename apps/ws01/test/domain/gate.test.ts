import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gate } from '../../src/domain/shared/gate.ts';

it('a gate lets in so much at the same time, in turn by those who ask', async () => {
  const gate = new Gate(10);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (client: string, weight: number) =>
    gate.run(weight, client, () => {
      begun.push(`${client}${weight}`);
      return new Promise<void>((end) => ends.push(end));
    });
  const all = [run('a', 6), run('a', 4), run('a', 5), run('a', 1), run('a', 2), run('b', 3), run('c', 2)];
  await nextTurn();
  assert.deepEqual(begun, ['a6', 'a4']);
  // Four are free, and the first that waits needs five: what is smaller does not slip past it.
  ends[1]!();
  await nextTurn();
  assert.deepEqual(begun, ['a6', 'a4']);
  for (let ended = 0; ended < all.length; ended++) {
    ends[ended]!();
    await nextTurn();
  }
  await Promise.all(all);
  assert.deepEqual(begun, ['a6', 'a4', 'a5', 'a1', 'b3', 'c2', 'a2']);
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { untilBroken } from '../../src/failure/until-broken.ts';

it('a body that breaks is logged once, even when two reads wait for its next piece', async () => {
  const told: unknown[] = [];
  const failure = new Error('no more');
  const breaking = new ReadableStream({
    async pull() {
      await nextTurn();
      throw failure;
    },
  });
  const reader = untilBroken(breaking, (error) => told.push(error)).getReader();
  await Promise.resolve();
  const pieces = Promise.all([reader.read(), reader.read()]);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  assert.deepEqual(told, [failure]);
  // What is broken cannot be given back.
  await assert.rejects(reader.cancel(), failure);
  assert.ok((await pieces).every(({ done }) => done));
});

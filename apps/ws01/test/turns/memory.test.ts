import assert from 'node:assert/strict';
import { it } from 'node:test';
import { remembering, ShortMemory, SingleFlight } from '../../src/turns/memory.ts';

const LONG = 'long enough';

/** A memory of texts for 10 ms of a clock that the test moves, and what was read. */
function setUp() {
  const at = { now: 1_000 };
  const read: string[] = [];
  const gates: (() => void)[] = [];
  const memory = new ShortMemory<string>({
    ageMs: 10,
    clock: () => at.now,
    most: 3 * LONG.length,
    sizeOf: (text) => (text === LONG ? text.length : 0),
  });
  const find = (key: string, value: string | undefined = LONG) =>
    memory.find(key, async () => {
      read.push(key);
      await new Promise<void>((open) => gates.push(open));
      return value;
    });
  const open = () => {
    for (const gate of gates.splice(0)) gate();
  };
  return { at, read, memory, find, open };
}

it('a value is read once for all who ask, and again when it is old or the clock went back', async () => {
  const { at, read, memory, find, open } = setUp();
  const asked = Promise.all([find('a'), find('a'), find('b')]);
  open();
  assert.deepEqual(
    [await asked, read],
    [
      [LONG, LONG, LONG],
      ['a', 'b'],
    ],
  );
  at.now += 9;
  assert.equal(find('a'), LONG);
  for (const moved of [1, -20]) {
    at.now += moved;
    const again = find('a');
    open();
    assert.equal(await again, LONG);
  }
  assert.deepEqual(read, ['a', 'b', 'a', 'a']);
  assert.deepEqual([memory.use.hits, memory.use.misses], [1, 5]);
});

it('what was being read when it was forgotten is not remembered', async () => {
  const { read, memory, find, open } = setUp();
  for (const key of ['a', undefined]) {
    const asked = find('a');
    memory.forget(key);
    const after = find('a');
    open();
    await Promise.all([asked, after]);
    assert.equal(find('a'), LONG);
    memory.forget(key);
  }
  assert.deepEqual(read, ['a', 'a', 'a', 'a']);
});

it('nothing, what has no size and what could not be read are not remembered; the oldest go', async () => {
  const { read, memory, find, open } = setUp();
  for (const value of [undefined, 'short']) {
    const asked = memory.find('a', async () => value);
    assert.equal(await asked, value);
  }
  await assert.rejects(async () => memory.find('a', () => Promise.reject(new Error('away'))));
  const keys = ['a', 'b', 'c', 'd'];
  const asked = Promise.all(keys.map((key) => find(key)));
  open();
  await asked;
  assert.deepEqual(
    keys.map((key) => typeof find(key) === 'string'),
    [false, true, true, true],
  );
  open();
  assert.deepEqual(read, [...keys, 'a']);
});

it('work that failed is begun again, and results of texts are kept', async () => {
  const flight = new SingleFlight<string>();
  const failing = flight.run('a', () => Promise.reject(new Error('away')));
  assert.equal(flight.get('a'), failing);
  await assert.rejects(failing, /away/);
  assert.equal(await flight.run('a', async () => 'here'), 'here');
  let reads = 0;
  const length = remembering(2, (text) => [++reads, text.length]);
  for (const text of ['a', 'a', 'bb', 'ccc', 'a']) length(text);
  assert.equal(reads, 4);
});

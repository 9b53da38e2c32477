import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createEndpoint, operation, service, string } from '@ws01/asmx';
import { defineLimits } from '../../src/contract/limits.ts';
import { Admission } from '../../src/exchange/intake/admission.ts';
import { ask } from '../kit/ask.ts';
import { steerTime } from '../kit/steered-time.ts';

const BUSY = { code: 'Busy' };
const admission = (limits: Parameters<typeof defineLimits>[0] = {}) =>
  new Admission(defineLimits(limits));

/** Begins a call, and carries it out when its turn comes. @returns what ends it. */
async function call(all: Admission, address: string): Promise<() => void> {
  await all.enter(address);
  return all.carryOut(address);
}

it('one address has half, and leaves the others their share', async () => {
  const all = admission({ calls: 12 });
  for (let calls = 0; calls < 6; calls++) await call(all, 'a');
  await assert.rejects(call(all, 'a'), BUSY);
  for (let calls = 0; calls < 3; calls++) await call(all, 'b');
  await assert.rejects(call(all, 'b'), BUSY);
  const end = await call(all, 'c');
  await call(all, 'd');
  await assert.rejects(call(all, 'd'), BUSY);
  await call(all, 'e');
  await assert.rejects(call(all, 'f'), BUSY);
  assert.equal(all.calls, 12);
  end();
  await call(all, 'f');
});

it('a network of IPv6 counts as one address', async () => {
  const all = admission({ calls: 2 });
  await call(all, '2001:db8:1:2::1');
  await assert.rejects(call(all, '2001:db8:1:2:3:4:5:6'), BUSY);
  await call(all, '2001:db8:1:3::1');
});

it('a call that is read counts only when it has been read', async () => {
  const all = admission({ calls: 1 });
  for (let begun = 0; begun < 10; begun++) await all.enter('a');
  assert.equal(all.calls, 0);
});

it('so many are begun in a turn of the event loop, and addresses take turns', async () => {
  const all = admission();
  const begun: string[] = [];
  const enter = (address: string) =>
    Promise.resolve(all.enter(address)).then(() => void begun.push(address));
  const calls = [
    ...Array.from({ length: 500 }, () => enter('many')),
    enter('one'),
    enter('other'),
    enter('one'),
  ];
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(begun.length, 32);
  await Promise.all(calls);
  assert.equal(begun.length, 503);
  const [first, second] = [begun.indexOf('one'), begun.lastIndexOf('one')];
  const before = begun.slice(0, first).filter((address) => address === 'many').length;
  assert.ok(before < 300 && second - first <= 3, `${before} ${second - first}`);
});

it('a wait that is too long is refused, and one that is not passes', async (test) => {
  const { pass } = steerTime(test);
  for (const [callWaitMs, refused] of [
    [29, true],
    [30, false],
  ] as const) {
    const all = admission({ callWaitMs });
    const calls = Array.from({ length: 600 }, () => Promise.resolve(all.enter('a')));
    pass(30);
    const results = await Promise.allSettled(calls);
    const some = results.find((result) => result.status === 'rejected');
    assert.equal(some?.reason.code, refused ? 'Busy' : undefined);
    assert.equal(all.calls, 0, 'nobody waits any more');
    await nextTurn();
    await all.enter('a');
  }
});

it('once calls have waited all the time for callWaitMs, overloadWaitMs is the longest wait', async (test) => {
  const { pass } = steerTime(test);
  for (const [overloadWaitMs, refused] of [
    [19, true],
    [20, false],
  ] as const) {
    const all = admission({ callWaitMs: 1_000, overloadWaitMs });
    const calls = Array.from({ length: 600 }, () => Promise.resolve(all.enter('many')));
    pass(1_001);
    const late = Promise.resolve(all.enter('late'));
    pass(20);
    const [result] = await Promise.allSettled([late, ...calls]);
    assert.equal(result?.status, refused ? 'rejected' : 'fulfilled');
  }
});

it('calls stand back while each turn brings a connection, and go on all the same', async () => {
  const turnsWithoutCalls = async (connections: boolean) => {
    const all = admission();
    let begun = 0;
    const calls = Array.from({ length: 600 }, () =>
      Promise.resolve(all.enter('a')).then(() => void begun++),
    );
    let empty = 0;
    for (let before = begun; begun < calls.length; before = begun) {
      if (connections) all.connected();
      await nextTurn();
      if (begun === before) empty++;
    }
    return empty;
  };
  const [without, withConnections] = [
    await turnsWithoutCalls(false),
    await turnsWithoutCalls(true),
  ];
  assert.ok(withConnections > without + 2, `${withConnections} turns, and ${without}`);
});

it('a call is told how long it waited for its turn', async (test) => {
  const { pass } = steerTime(test);
  const waits: number[] = [];
  const endpoint = createEndpoint(
    service('S', { namespace: 'urn:s', operations: { Hello: operation({ result: string }) } }),
    {
      path: '/S.asmx',
      handlers: { Hello: () => 'hello' },
      onAnswered: ({ phases }) => waits.push(phases.waitMs),
    },
  );
  const calls = Array.from({ length: 600 }, () =>
    ask(endpoint, {
      target: '/S.asmx/Hello',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }),
  );
  // Those whose turn comes later wait for this as well.
  pass(50);
  await Promise.all(calls);
  const late = waits.filter((waitMs) => waitMs === 50).length;
  assert.ok(waits.length === calls.length && late > 0, `${late} of ${waits.length} waited`);
});

it('who has a call in progress is not forgotten behind many other addresses', async () => {
  const all = admission({ calls: 4 });
  const end = await call(all, 'a');
  await call(all, 'a');
  for (let other = 0; other < 3_000; other++) (await call(all, `other ${other}`))();
  await assert.rejects(call(all, 'a'), BUSY);
  end();
  await call(all, 'a');
  assert.equal(all.calls, 2);
});

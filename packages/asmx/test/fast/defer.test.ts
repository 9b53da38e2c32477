import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastPath } from '@ws01/asmx/fast';

/** What happens when two calls arrive in one turn of the event loop, each in a callback of its own. */
async function twoInOneTurn(defer: (proceed: () => void) => void): Promise<string[]> {
  const happened: string[] = [];
  const call = async (name: string) => {
    happened.push(`${name} arrives`);
    await new Promise<void>(defer);
    happened.push(`${name} is read`);
    await undefined;
    happened.push(`${name} is invoked`);
  };
  // Timers of one delay that are set together go off in one turn.
  await Promise.all(
    ['a', 'b'].map((name) => new Promise((resolve) => setTimeout(() => resolve(call(name))))),
  );
  return happened;
}

test('concurrent calls run phase by phase: each part of the work for all of them', async () => {
  const byPhase = [
    'a arrives',
    'b arrives',
    'a is read',
    'b is read',
    'a is invoked',
    'b is invoked',
  ];
  assert.deepEqual(await twoInOneTurn(fastPath.defer), byPhase);
  const byCall = [
    'a arrives',
    'a is read',
    'a is invoked',
    'b arrives',
    'b is read',
    'b is invoked',
  ];
  assert.deepEqual(await twoInOneTurn((proceed) => proceed()), byCall);
});

test('a call that is deferred while deferred ones go on comes in the next turn', async () => {
  const happened: string[] = [];
  await new Promise<void>((resolve) => {
    fastPath.defer(() => {
      happened.push('first');
      fastPath.defer(() => {
        happened.push('third');
        resolve();
      });
      happened.push('second');
    });
  });
  assert.deepEqual(happened, ['first', 'second', 'third']);
});

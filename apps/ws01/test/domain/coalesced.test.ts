import assert from 'node:assert/strict';
import { it } from 'node:test';
import { coalesced } from '../../src/app/outgoing.ts';

it('coalesced work runs at once; requests during a run and the pause after it share the next run', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const turn = () => new Promise(setImmediate);
  const runs: PromiseWithResolvers<void>[] = [];
  const work = coalesced(50, () => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
  work.wake();
  assert.equal(runs.length, 1, 'at once');
  work.wake();
  work.wake();
  runs[0]!.reject(new Error('The database is away.'));
  await turn();
  work.wake();
  t.mock.timers.tick(49);
  assert.equal(runs.length, 1, 'the pause');
  t.mock.timers.tick(1);
  assert.equal(runs.length, 2, 'one run for all that asked, also after a failure');
  runs[1]!.resolve();
  await turn();
  t.mock.timers.tick(50);
  assert.equal(runs.length, 2, 'nobody asked');
  work.wake();
  assert.equal(runs.length, 3, 'at once again');
  work.wake();
  let stopped = false;
  const stopping = work.stop().then(() => {
    stopped = true;
  });
  await turn();
  assert.equal(stopped, false, 'the run in progress ends first');
  runs[2]!.resolve();
  await stopping;
  t.mock.timers.tick(50);
  assert.equal(runs.length, 3, 'no run begins after the stop');
});

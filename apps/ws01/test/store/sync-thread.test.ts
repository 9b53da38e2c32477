import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { steerTime } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { markText } from '../../src/store/sqlite/commit-mark.ts';
import { SyncThread } from '../../src/store/sqlite/sync-thread.ts';

/** @param idleMs how long the thread waits for work before it ends; ms. */
async function startThread(t: TestContext, idleMs: number) {
  const folder = await temporaryFolder(t, 'ws01-sync-');
  const [log, mark] = [openSync(join(folder, 'log'), 'w+'), openSync(join(folder, 'mark'), 'w+')];
  t.after(() => closeSync(log));
  const thread = new SyncThread(log, mark, idleMs);
  let syncs = 0;
  const sync = () =>
    new Promise<void>((resolve, reject) =>
      thread.sync(++syncs, (error) => (error ? reject(error) : resolve())),
    );
  /** Whether the mark has the number of the last sync. */
  const noted = () => readFileSync(join(folder, 'mark'), 'latin1') === markText(syncs);
  return { thread, sync, noted };
}

it('rare syncs take no thread, frequent ones share one, which ends when it is idle and comes back', async (t) => {
  const { pass } = steerTime(t);
  const { thread, sync, noted } = await startThread(t, 60_000);
  let [started, ended] = [0, 0];
  const onWorker = (worker: Worker) => {
    started++;
    worker.once('exit', () => ended++);
  };
  process.on('worker', onWorker);
  t.after(() => process.off('worker', onWorker));
  await sync();
  assert.deepEqual([started, noted()], [0, true]);
  for (const times of [1, 2]) {
    for (let count = 0; count < 20; count++) await sync();
    pass(59_999);
    await sync();
    pass(59_999);
    assert.deepEqual([started, ended, noted()], [times, times - 1, true]);
    pass(1);
    await until(() => ended === times);
  }
  thread.close();
  await assert.rejects(sync(), /closed/);
});

it('a thread that died while it was idle is followed by another one', async (t) => {
  steerTime(t);
  const { thread, sync, noted } = await startThread(t, 60_000);
  const started: Worker[] = [];
  const onWorker = (worker: Worker) => started.push(worker);
  process.on('worker', onWorker);
  t.after(() => process.off('worker', onWorker));
  for (let count = 0; count < 20; count++) await sync();
  await started[0]!.terminate();
  for (let count = 0; count < 20; count++) await sync();
  assert.deepEqual([started.length, noted()], [2, true]);
  thread.close();
});

it('a sync that a thread has not begun when it dies is done without it', async (t) => {
  steerTime(t);
  const { thread, sync, noted } = await startThread(t, 60_000);
  let started = 0;
  const onWorker = (worker: Worker) => {
    started++;
    void worker.terminate();
  };
  process.on('worker', onWorker);
  t.after(() => process.off('worker', onWorker));
  for (let count = 0; count < 40; count++) await sync();
  assert.deepEqual([started, noted()], [1, true]);
  thread.close();
});

import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { markText } from '../../src/store/sqlite/commit-mark.ts';
import { SyncThread } from '../../src/store/sqlite/sync-thread.ts';

/** Threads of this process that run JavaScript, besides the first. */
async function workers(): Promise<number> {
  const ids = await readdir('/proc/self/task');
  const names = await Promise.all(ids.map((id) => readFile(`/proc/self/task/${id}/comm`, 'latin1').catch(() => '')));
  return names.filter((name) => name.startsWith('WorkerThread')).length;
}

it('rare syncs take no thread, frequent ones share one, which ends when it is idle and comes back', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-sync-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [log, mark] = [openSync(join(folder, 'log'), 'w+'), openSync(join(folder, 'mark'), 'w+')];
  t.after(() => closeSync(log));
  const thread = new SyncThread(log, mark, 100);
  let number = 0;
  const sync = () =>
    new Promise<void>((resolve, reject) => thread.sync(++number, (error) => (error ? reject(error) : resolve())));
  const noted = () => readFileSync(join(folder, 'mark'), 'latin1');
  await sync();
  assert.deepEqual([await workers(), noted()], [0, markText(1)]);
  for (const _ of [1, 2]) {
    for (let count = 0; count < 20; count++) await sync();
    assert.deepEqual([await workers(), noted()], [1, markText(number)]);
    while ((await workers()) > 0) await sleep(20);
  }
  thread.close();
  await assert.rejects(sync(), /closed/);
});

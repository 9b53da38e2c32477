import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { LogSync } from '../../src/store/sqlite/log-sync.ts';

async function openLog(t: TestContext, shared = false): Promise<LogSync> {
  const folder = await temporaryFolder(t, 'ws01-test-');
  const path = join(folder, 'log');
  await writeFile(path, 'a log');
  return new LogSync(path, shared);
}

describe('LogSync', () => {
  it('goes to the disk only for commits that are not there yet', async (t) => {
    const log = await openLog(t);
    t.after(() => log.close());
    await log.synced();
    assert.equal(log.syncs, 0);
    log.committed(1);
    await log.synced();
    await log.synced();
    assert.equal(log.syncs, 1);
  });

  it('goes to the disk each time where others may have written', async (t) => {
    const log = await openLog(t, true);
    t.after(() => log.close());
    await log.synced();
    await Promise.all([log.synced(), log.synced()]);
    assert.ok(log.syncs >= 2, `${log.syncs} syncs`);
  });

  it('covers all that was committed before it began with one sync, and what came later with the next', async (t) => {
    const log = await openLog(t);
    t.after(() => log.close());
    const seen: number[] = [];
    const wait = () => log.synced().then(() => seen.push(log.syncs));
    log.committed(1);
    const waits = [wait(), wait()];
    log.committed(1);
    log.committed(1);
    waits.push(wait(), wait());
    await Promise.all(waits);
    assert.deepEqual(seen, [1, 1, 2, 2]);
    assert.equal(log.syncs, 2);
  });

  it('tells when nothing is being synced', async (t) => {
    const log = await openLog(t);
    t.after(() => log.close());
    assert.equal(log.idle(), undefined);
    log.committed(1);
    const synced = log.synced();
    await log.idle();
    assert.equal(log.syncs, 1);
    assert.equal(log.idle(), undefined);
    await synced;
  });

  it('trusts the log no more once the disk has failed', async (t) => {
    const log = await openLog(t);
    log.close();
    log.committed(1);
    const failed = { kind: 'unavailable', message: /The disk of DATA_DIR failed/ };
    const first = log.synced();
    log.committed(1);
    const second = log.synced();
    await log.idle();
    await assert.rejects(first, failed);
    await assert.rejects(second, failed);
    await assert.rejects(log.synced(), failed);
    assert.equal(log.idle(), undefined);
  });
});

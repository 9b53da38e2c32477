import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';

it('where no thread can be started, writes go on without one', async (t) => {
  const folder = await temporaryFolder(t, 'ws01-sync-');
  const source = (file: string) =>
    JSON.stringify(new URL(`../../src/store/sqlite/${file}`, import.meta.url).href);
  const program = `
    import { execFileSync } from 'node:child_process';
    import { writeFileSync } from 'node:fs';
    import { Worker } from 'node:worker_threads';
    import { LogSync } from ${source('log-sync.ts')};
    writeFileSync('log', 'a log');
    const log = new LogSync('log');
    // Node's own threads start with the first sync.
    log.committed(1);
    await log.synced();
    execFileSync('prlimit', ['--nproc=1', '--pid', String(process.pid)]);
    // The bound does not hold for root.
    if (process.getuid() === 0) process.setuid(65534);
    try {
      new Worker('', { eval: true });
    } catch (error) {
      console.log(error.message);
    }
    for (let number = 2; number <= 40; number++) {
      log.committed(number);
      await log.synced();
    }
    log.close();
    console.log(log.syncs);`;
  const args = ['--conditions=ws01-source', '--input-type=module', '--eval', program];
  const output = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  assert.equal(output, 'EAGAIN\n40\n');
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';

/** More than Node has threads, and fewer than failures slow a network down. */
const GUESSES = 18;
/** What the hash of each of Node's sixteen threads would leave is three times as much; bytes. */
const MOST = 100 * 1024 * 1024;

const resident = (pid: number) =>
  1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);

if (process.platform === 'linux') {
  it('wrong passwords leave the memory of one hash behind, not of one for each thread', async (t) => {
    const { url, child } = await spawnService(t, await freshDatabase('sqlite', t));
    const pid = child.pid!;
    const guess = async () => {
      const answer = await fetch(`${url}/console/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'name=nobody&password=a+right+long+and+wrong+password',
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    await guess();
    const before = resident(pid);
    const answers = new Set<number>();
    for (let at = 0; at < GUESSES; at++) answers.add(await guess());
    assert.deepEqual([...answers], [403]);
    assert.ok(resident(pid) - before < MOST, `${before} to ${resident(pid)} bytes`);
  });
}

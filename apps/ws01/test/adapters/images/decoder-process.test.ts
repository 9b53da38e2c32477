import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../../../packages/asmx/test/kit/folder.ts';
import { heard } from '../../../../../packages/asmx/test/kit/heard.ts';
import type { JobAnswer, JobMessage } from '../../../src/adapters/images/jobs.ts';
import { FairQueue } from '../../../src/turns/fair-queue.ts';

test('a library that cannot be loaded is not blamed on the file', async (t) => {
  // Where no packages are.
  const folder = await temporaryFolder(t, 'ws01-decoder-');
  await cp('apps/ws01/src/adapters/images', folder, { recursive: true });
  const decoder = fork(join(folder, 'decoder-main.ts'), { execArgv: [], stdio: 'ignore' });
  t.after(() => decoder.kill('SIGKILL'));
  await heard(decoder, 'message');
  const message: JobMessage = {
    job: {
      kind: 'describe',
      source: join(folder, 'image'),
      format: 'png',
      pixels: 100,
      frames: 1,
      decodeBytes: 100,
    },
    bounds: { memory: 512 * 1024 ** 2, cpu: 10_000 },
  };
  decoder.send(message);
  const [answer] = (await heard(decoder, 'message')) as [JobAnswer];
  assert.equal('failure' in answer && answer.failure, 'broken');
});

test('who has many images waiting gets a turn, as everybody does', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item);
  queue.push('b', 'b1');
  assert.deepEqual([queue.shift(), queue.shift()], ['a1', 'b1']);
  queue.push('c', 'c1');
  queue.push('a', 'a4');
  assert.equal(queue.length, 4);
  const left = Array.from({ length: 5 }, () => queue.shift());
  assert.deepEqual(left, ['a2', 'c1', 'a3', 'a4', undefined]);
  assert.equal(queue.length, 0);
});

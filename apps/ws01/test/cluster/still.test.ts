import assert from 'node:assert/strict';
import { it } from 'node:test';
import { freshDatabase } from '../kit/database.ts';
import { fixedInProcess } from '../kit/fixed.ts';
import { lives, startWorkers } from '../kit/workers.ts';

it('a worker that stands still is killed and replaced; the others serve meanwhile', async (t) => {
  const database = await freshDatabase('postgres', t);
  const service = await startWorkers(t, database, {
    workers: 2,
    // As long as a busy machine hardly keeps the other one from saying that it lives.
    env: fixedInProcess({ workerTimeoutSeconds: 15 }),
  });
  const [frozen] = [...service.workers.values()];
  process.kill(frozen!.pid, 'SIGSTOP');
  await service.until(() => service.log('a worker hangs and is killed').length >= 1);
  await service.until(() => service.workers.size >= 3);
  assert.equal(lives(frozen!.pid), false);
  for (let i = 0; i < 4; i++)
    assert.equal((await service.get('QueryAdvert', { userId: 'u' })).status, 200);
});

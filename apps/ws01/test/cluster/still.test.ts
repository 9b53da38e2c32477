import assert from 'node:assert/strict';
import { it } from 'node:test';
import { freshDatabase } from '../kit/database.ts';
import { processEnv } from '../kit/fixed.ts';
import { lives, startWorkers } from '../kit/workers.ts';

it('a worker that stands still is killed and replaced; the others serve meanwhile', async (t) => {
  const database = await freshDatabase('postgres', t);
  const service = await startWorkers(t, database, {
    workers: 2,
    // Patient, it is 15 s: a busy machine hardly keeps the other one so long from saying that it lives.
    env: processEnv({ workerTimeoutSeconds: 1.5 }),
  });
  const [frozen] = [...service.workers.values()];
  process.kill(frozen!.pid, 'SIGSTOP');
  await service.until(() => service.log('a worker hangs and is killed').length >= 1);
  await service.until(() => service.workers.size >= 3);
  assert.equal(lives(frozen!.pid), false);
  for (let i = 0; i < 4; i++)
    assert.equal((await service.get('QueryAdvert', { userId: 'u' })).status, 200);
});

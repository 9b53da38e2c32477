import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import type { Delivery } from '../../../src/domain/outbox/delivery.ts';
import { OutboxWorker, type WorkerEvent } from '../../../src/domain/outbox/worker.ts';
import { DependencyError } from '../../../src/failure/dependency-error.ts';
import type { Store } from '../../../src/store/store.ts';
import { freshDatabase } from '../../kit/database.ts';

const NEVER = 1_000_000_000;
const DELIVERY: Delivery = {
  kind: 'mail',
  slots: 1,
  waits: { first: 1, longest: 1 },
  deliver: async () => ({ kind: 'sent', reply: '' }),
  close: async () => {},
};

it('a worker reports a failure of the database once, and the next one after it had recovered', async (t) => {
  const store = await (await freshDatabase('sqlite', t)).open();
  let [down, looks] = [false, 0];
  const failing: Store = Object.assign(Object.create(store), {
    read: (...args: Parameters<Store['read']>) => {
      looks++;
      if (down)
        return Promise.reject(new DependencyError('database', 'unavailable', 'It is away.'));
      return store.read(...args);
    },
  });
  const events: WorkerEvent['kind'][] = [];
  const worker = new OutboxWorker({
    ...{
      store: failing,
      clock: Date.now,
      delivery: DELIVERY,
      rhythm: { poll: NEVER, heartbeat: NEVER },
    },
    onEvent: ({ kind }) => events.push(kind),
  });
  const look = async () => {
    const before = looks;
    worker.wake();
    await until(() => looks > before);
  };
  await look();
  assert.deepEqual(events, []);
  down = true;
  await look();
  await look();
  down = false;
  await look();
  down = true;
  await look();
  await worker.stop();
  assert.deepEqual(events, ['failure', 'failure']);
});

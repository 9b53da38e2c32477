import type { TestContext } from 'node:test';
import { WebhookGateway } from '../../src/adapters/sms/webhook.ts';
import { OutboxWorker, type WorkerEvent } from '../../src/domain/outbox/worker.ts';
import { CodeKeys } from '../../src/domain/phone/code-keys.ts';
import { createDeliverCode } from '../../src/domain/sms/deliver-code.ts';
import { SmsDelivery } from '../../src/domain/sms/delivery.ts';
import type { Store } from '../../src/store/store.ts';
import type { FreshDatabase } from './database.ts';
import { PhoneDesk } from './phone.ts';
import { textMessages } from './rows.ts';

export const SMS_SECRET = 's'.repeat(32);

/** A node that sends its codes through a gateway; its clock is moved by the test. */
export interface SmsDesk {
  readonly store: Store;
  readonly phones: PhoneDesk;
  readonly worker: OutboxWorker;
  readonly events: WorkerEvent[];
  /** Lets time pass and does what has become due. @returns the newest message. */
  after(ms: number): Promise<Awaited<ReturnType<typeof textMessages>>[number]>;
}

/** @param url of the gateway, a webhook. */
export async function openSmsDesk(
  test: TestContext,
  fresh: FreshDatabase,
  url: string,
): Promise<SmsDesk> {
  const store = await (await fresh(test)).open();
  const clock = () => phones.now;
  const events: WorkerEvent[] = [];
  const delivery = new SmsDelivery({
    store,
    clock,
    gateway: new WebhookGateway(url, SMS_SECRET),
    keys: new CodeKeys(store, 'p'.repeat(32)),
    template: '{service}: {code} {service}',
    serviceName: '留言板 {code}?',
  });
  const worker = new OutboxWorker({
    store,
    clock,
    steady: clock,
    delivery,
    onEvent: (event) => events.push(event),
  });
  test.after(() => worker.stop());
  const deliver = createDeliverCode(clock, worker.outage);
  const phones: PhoneDesk = new PhoneDesk(store, { deliver, codeSecret: 'p'.repeat(32) });
  return {
    store,
    phones,
    worker,
    events,
    async after(ms) {
      phones.now += ms;
      await worker.settleAll();
      const [newest] = await textMessages(store);
      if (newest === undefined) throw new Error('there is no message');
      return newest;
    },
  };
}

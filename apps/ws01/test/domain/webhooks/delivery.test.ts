import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { WebhookClient } from '../../../src/adapters/webhooks/client.ts';
import { recordEvent } from '../../../src/domain/events/record.ts';
import { WebhookDelivery } from '../../../src/domain/webhooks/delivery.ts';
import { queueDeliveries } from '../../../src/domain/webhooks/queue.ts';
import { addWebhook } from '../../../src/domain/webhooks/webhooks.ts';
import { forEachEngine } from '../../kit/database.ts';

forEachEngine((_engine, fresh) => {
  it('what waits for a webhook is put off with the attempt that fails', async (t) => {
    const store = await (await fresh(t)).open();
    const now = Date.now();
    const event = { at: now, type: 'article.created', kind: 'article', key: 'a' } as const;
    const webhook = { url: 'https://example.com/', label: '', types: ['article.*'] };
    await store.write(async (tx) => {
      await addWebhook(tx, webhook, now, undefined);
      for (let count = 0; count < 3; count++) await recordEvent(tx, event);
    });
    await store.write(async (tx) => {
      const events = await tx.selectFrom('events').select(['id', 'type', 'key']).execute();
      await queueDeliveries(tx, events, now, DAY_MS);
    });
    const client = new WebhookClient([]);
    t.mock.method(client, 'post', async () => ({ status: 500, reply: 'HTTP 500', answer: '' }));
    const rows = () =>
      store.read((db) => db.selectFrom('outbox').selectAll().orderBy('id').execute());
    const [first] = await rows();
    const delivery = new WebhookDelivery({ store, clock: () => now, client });
    const outcome = await delivery.deliver(first!, new AbortController().signal, () => true);
    assert.equal(outcome.kind, 'deferred');
    const due = (await rows()).map(({ due_at }) => Number(due_at) - now);
    // Five seconds, a fifth more or less; one instant for all.
    assert.ok(due.length === 3 && due[0]! >= 4_000 && new Set(due).size === 1, String(due));
  });
});

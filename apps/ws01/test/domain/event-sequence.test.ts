import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { CLOCK_SLACK_MS } from '../../src/domain/audit/audit.ts';
import { recordEvent, recordEvents } from '../../src/domain/events/record.ts';
import { eventsAfter, lastPosition, sequenceEvents } from '../../src/domain/events/sequence.ts';
import { purgeEvents } from '../../src/domain/retention/tables.ts';
import { addWebhook } from '../../src/domain/webhooks/webhooks.ts';
import type { Store } from '../../src/store/store.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { startService, TOKEN } from '../kit/service.ts';

const at = Date.now();
const LATER = at + 2 * CLOCK_SLACK_MS;
const eventOf = (key: string) => ({ at, type: 'test.done', kind: 'test', key });

const take = (store: Store) => sequenceEvents(store, at, 60_000);
const told = async (store: Store, after = 0) =>
  (await store.read((db) => eventsAfter.all(db, { after, most: 1_000 }))).map(({ seq, key }) => [
    Number(seq),
    key,
  ]);

forEachEngine((engine, fresh) => {
  it('events are numbered in the order of their commits, and a failed write uses no number', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) => recordEvent(tx, eventOf('one')));
    const failed = store.write(async (tx) => {
      await recordEvent(tx, eventOf('undone'));
      throw new Error('no');
    });
    await assert.rejects(failed, /no/);
    await store.write((tx) => recordEvents(tx, [eventOf('two'), eventOf('three')]));
    assert.deepEqual(await take(store), { last: 3, deliveries: 0 });
    assert.deepEqual(await told(store), [
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ]);
    assert.deepEqual(await take(store), { last: 3, deliveries: 0 });
  });

  it('each event is queued once for a webhook, however many there are', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) =>
      addWebhook(tx, { url: 'https://example.com', label: '', types: ['test.*'] }, at, undefined),
    );
    const { last: before } = await take(store);
    const keys = Array.from({ length: 450 }, (_, index) => `key-${index}`);
    await store.write((tx) => recordEvents(tx, keys.map(eventOf)));
    assert.deepEqual(await take(store), { last: before + 450, deliveries: 450 });
    assert.deepEqual(await take(store), { last: before + 450, deliveries: 0 });
  });

  it('an event that was not taken is not purged, and the number of a purged one is not used again', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) => recordEvents(tx, [eventOf('one'), eventOf('two')]));
    if (engine === 'postgres') assert.equal(await purgeEvents(store, LATER), 0);
    await take(store);
    assert.equal(await purgeEvents(store, LATER), 2);
    await store.write((tx) => recordEvent(tx, eventOf('three')));
    await take(store);
    assert.deepEqual(await told(store), [[3, 'three']]);
  });

  if (engine === 'sqlite') {
    it('what release 0.2.0 had not numbered is numbered after all others', async (t) => {
      const store = await (await fresh(t)).open();
      const keys = ['one', 'two', 'three', 'four'];
      for (const key of keys) await store.write((tx) => recordEvent(tx, eventOf(key)));
      await store.write((tx) =>
        tx.updateTable('events').set({ seq: null }).where('key', 'in', ['two', 'three']).execute(),
      );
      assert.deepEqual(await take(store), { last: 6, deliveries: 0 });
      assert.deepEqual(await told(store), [
        [1, 'one'],
        [4, 'four'],
        [5, 'two'],
        [6, 'three'],
      ]);
      assert.deepEqual(await take(store), { last: 6, deliveries: 0 });
    });

    it('without an enabled webhook a write takes its own events: it is one transaction', async (t) => {
      const database = await fresh(t);
      const service = await startService(t, database);
      const store = await database.open();
      const webhook = { url: 'https://example.com', label: '', types: ['test.*'] };
      const insert = (guid: string) => {
        const article = { token: TOKEN, guid, caption: 'a', content: 'b', CreateUserId: 'ada' };
        return TEST_BINDINGS[0]!.call(service.url, 'InsertArticle', article);
      };
      const untaken = async () => {
        const position = await store.read((db) => lastPosition.first(db, {}));
        return told(store, Number(position?.last));
      };
      assert.equal((await insert('one')).status, 200);
      assert.deepEqual(await untaken(), []);
      await store.write((tx) => addWebhook(tx, webhook, at, undefined));
      await store.write((tx) => recordEvent(tx, eventOf('wanted')));
      // Nobody but the service takes it, and only for the webhook.
      await until(async () => (await untaken()).length === 0);
      const { rows } = await store.read((db) =>
        sql<{ key: string }>`
        select events.key from webhook_deliveries join events on events.id = event_id`.execute(db),
      );
      assert.deepEqual(rows, [{ key: 'wanted' }]);
    });

    it('a service that stops leaves no number that release 0.2.0 would give again', async (t) => {
      const database = await fresh(t);
      const service = await startService(t, database);
      const article = {
        token: TOKEN,
        guid: 'one',
        caption: 'a',
        content: 'b',
        CreateUserId: 'ada',
      };
      assert.equal(
        (await TEST_BINDINGS[0]!.call(service.url, 'InsertArticle', article)).status,
        200,
      );
      await service.app.stop();
      const store = await database.open();
      const highest = (await told(store)).at(-1)![0];
      assert.deepEqual(await store.read((db) => lastPosition.first(db, {})), { last: highest });
    });
  }
});

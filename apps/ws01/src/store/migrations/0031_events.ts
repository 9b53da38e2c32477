import { primaryKey, required } from './columns.ts';
import type { Migration } from './migration.ts';

/** What happened, in the order in which it is told; who is told of it, and what is on its way to them. */
export const events: Migration = {
  name: '0031_events',
  async up(db, { text, int, instant, finish }) {
    await db.schema
      .createTable('events')
      .addColumn('id', text, primaryKey)
      .addColumn('seq', instant)
      .addColumn('at', instant, required)
      .addColumn('type', text, required)
      .addColumn('kind', text, required)
      .addColumn('key', text)
      .addColumn('data', text, required)
      .addColumn('request_id', text)
      .$call(finish)
      .execute();
    // Also what has no place yet is found by it.
    await db.schema.createIndex('events_by_seq').on('events').column('seq').unique().execute();
    await db.schema
      .createTable('event_sequence')
      .addColumn('id', int, primaryKey)
      .addColumn('last', instant, required)
      .$call(finish)
      .execute();
    await db.insertInto('event_sequence').values({ id: 1, last: 0 }).execute();
    await db.schema
      .createTable('webhooks')
      .addColumn('id', text, primaryKey)
      .addColumn('url', text, required)
      .addColumn('label', text, required)
      .addColumn('types', text, required)
      .addColumn('secrets', text, required)
      .addColumn('created_at', instant, required)
      .addColumn('disabled_at', instant)
      .addColumn('disabled_reason', text)
      .addColumn('retried_at', instant)
      .$call(finish)
      .execute();
    await db.schema
      .createTable('webhook_deliveries')
      .addColumn('id', text, primaryKey)
      .addColumn('webhook_id', text, required)
      .addColumn('event_id', text, required)
      .$call(finish)
      .execute();
    await db.schema
      .createIndex('webhook_deliveries_by_webhook')
      .on('webhook_deliveries')
      .columns(['webhook_id', 'id'])
      .execute();
    await db.schema
      .createIndex('webhook_deliveries_by_event')
      .on('webhook_deliveries')
      .column('event_id')
      .execute();
  },
};

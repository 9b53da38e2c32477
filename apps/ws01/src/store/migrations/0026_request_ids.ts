import type { Migration } from './migration.ts';

/** What the request of a change, a mail or a text message was known by: by it they are found, beside the lines of the log. */
export const requestIds: Migration = {
  name: '0026_request_ids',
  async up(db, { text }) {
    for (const table of ['audit', 'mails', 'sms'] as const) {
      await db.schema.alterTable(table).addColumn('request_id', text).execute();
    }
    // Text messages go out after their request was answered, and go on with its trace.
    await db.schema.alterTable('sms').addColumn('traceparent', text).execute();
    for (const table of ['audit', 'mails', 'sms'] as const) {
      await db.schema
        .createIndex(`${table}_by_request`)
        .on(table)
        .columns(['request_id', 'id'])
        .where('request_id', 'is not', null)
        .execute();
    }
  },
};

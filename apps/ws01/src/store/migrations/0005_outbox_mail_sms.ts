import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { type Columns, primaryKey, required } from './columns.ts';
import type { Migration } from './migration.ts';

/** The outbox, and what goes out by it: mails and text messages. */
export const outboxMailSms: Migration = {
  name: '0005_outbox_mail_sms',
  async up(db, columns) {
    await createOutbox(db, columns);
    await createMails(db, columns);
    await createSms(db, columns);
  },
};

async function createOutbox(
  db: Kysely<Tables>,
  { text, int, instant, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('outbox')
    .addColumn('id', text, primaryKey)
    .addColumn('kind', text, required)
    .addColumn('state', text, required)
    .addColumn('attempts', int, required)
    .addColumn('deferrals', int, required)
    .addColumn('created_at', instant, required)
    .addColumn('due_at', instant)
    .addColumn('give_up_at', instant, required)
    .addColumn('lease', text)
    .addColumn('last_reply', text)
    .addColumn('finished_at', instant)
    .$call(finish)
    .execute();
  await db.schema
    .createIndex('outbox_due')
    .on('outbox')
    .columns(['kind', 'due_at', 'id'])
    .where(sql.ref('due_at'), 'is not', null)
    .execute();
  await db.schema
    .createIndex('outbox_by_state')
    .on('outbox')
    .columns(['kind', 'state', 'id'])
    .execute();
  await db.schema
    .createIndex('outbox_by_end')
    .on('outbox')
    .columns(['kind', 'finished_at'])
    .execute();
}

async function createMails(
  db: Kysely<Tables>,
  { text, bytes, instant, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('mails')
    .addColumn('id', text, primaryKey)
    .addColumn('sender', text, required)
    .addColumn('token_id', text)
    .addColumn('ip', text, required)
    .addColumn('receiver_name', text, required)
    .addColumn('receiver_email', text, required)
    .addColumn('receiver_key', text, required)
    .addColumn('subject', text, required)
    .addColumn('body', text, required)
    .addColumn('reply_name', text)
    .addColumn('reply_to', text)
    .addColumn('message_id', text, required)
    .addColumn('created_at', instant, required)
    .$call(finish)
    .execute();
  await db.schema
    .createIndex('mails_by_sender')
    .on('mails')
    .columns(['sender', 'created_at', 'id'])
    .execute();
  await db.schema
    .createIndex('mails_by_receiver')
    .on('mails')
    .columns(['receiver_key', 'sender', 'created_at', 'id'])
    .execute();
  await db.schema
    .createTable('mail_repeats')
    .addColumn('hash', bytes, primaryKey)
    .addColumn('mail_id', text, required)
    .addColumn('until', instant, required)
    .$call(finish)
    .execute();
  await db.schema.createIndex('mail_repeats_by_end').on('mail_repeats').column('until').execute();
  await db.schema
    .createTable('mail_suppressions')
    .addColumn('address', text, primaryKey)
    .addColumn('reason', text, required)
    .addColumn('detail', text, required)
    .addColumn('mail_id', text)
    .addColumn('created_at', instant, required)
    .$call(finish)
    .execute();
}

async function createSms(
  db: Kysely<Tables>,
  { text, int, bytes, instant, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('sms')
    .addColumn('id', text, primaryKey)
    .addColumn('user_id', text, required)
    .addColumn('phone', text, required)
    .addColumn('key_id', int, required)
    .addColumn('sealed', bytes)
    .addColumn('expires_at', instant, required)
    .addColumn('created_at', instant, required)
    .$call(finish)
    .execute();
}

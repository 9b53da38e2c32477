import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Store } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables/tables.ts';

/** All rows of a table, sorted by a column. */
export async function rowsOf<Table extends keyof Tables>(
  store: Store,
  table: Table,
  column: keyof Tables[Table] & string,
): Promise<Selectable<Tables[Table]>[]> {
  const rows = await store.read((db) =>
    db
      .selectFrom(table as 'users')
      .selectAll()
      .orderBy(column as 'id')
      .execute(),
  );
  return rows as unknown as Selectable<Tables[Table]>[];
}

/** The entries of the audit trail with actions such as `mail.%`, the oldest first. */
export function auditOf(store: Store, action: string) {
  return store.read((db) =>
    db.selectFrom('audit').selectAll().where('action', 'like', action).orderBy('id').execute(),
  );
}

/** All text messages with their states, newest first. */
export function textMessages(store: Store) {
  return store.read((db) =>
    db
      .selectFrom('sms')
      .innerJoin('outbox', 'outbox.id', 'sms.id')
      .selectAll('sms')
      .select(['outbox.state', 'outbox.attempts', 'outbox.finished_at', 'outbox.last_reply'])
      .orderBy('sms.id', 'desc')
      .execute(),
  );
}

type OutboxRow = Insertable<Tables['outbox']>;

/** Puts a mail and its entry of the outbox, whose other values are those of one that nobody tried. */
export async function putMail(
  tx: Kysely<Tables>,
  entry: Omit<OutboxRow, 'kind' | 'attempts' | 'deferrals'> & Partial<OutboxRow>,
  sender = 'ada',
): Promise<void> {
  const untried = { attempts: 0, deferrals: 0, lease: null, last_reply: null, finished_at: null };
  await tx
    .insertInto('outbox')
    .values({ ...untried, ...entry, kind: 'mail' })
    .execute();
  const { id, created_at } = entry;
  const from = { sender, token_id: null, ip: '192.0.2.1' };
  const to = { receiver_name: '', receiver_email: 'c@example.com', receiver_key: 'c@example.com' };
  const said = { subject: 's', body: 'b', reply_name: null, reply_to: null };
  await tx
    .insertInto('mails')
    .values({ id, created_at, message_id: `<${id}>`, ...from, ...to, ...said })
    .execute();
}

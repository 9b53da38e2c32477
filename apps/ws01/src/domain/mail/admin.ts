import type { Store } from '../../store/store.ts';
import type { MailsTable, OutboxState, OutboxTable } from '../../store/tables/tables.ts';
import { throwNoMail } from './change.ts';
import { addressKey } from './rows.ts';

/** A mail in lists for operators, without its body. */
export type ListedMail = Omit<MailsTable, 'body' | 'receiver_key'> &
  Pick<OutboxTable, 'state' | 'attempts' | 'due_at' | 'finished_at' | 'last_reply'>;

interface MailFilter {
  readonly state?: OutboxState | undefined;
  readonly receiverEmail?: string | undefined;
  readonly sender?: string | undefined;
}

const COLUMNS = [
  'mails.id',
  'mails.sender',
  'mails.token_id',
  'mails.ip',
  'mails.receiver_name',
  'mails.receiver_email',
  'mails.subject',
  'mails.reply_name',
  'mails.reply_to',
  'mails.message_id',
  'mails.request_id',
  'mails.created_at',
  'outbox.state',
  'outbox.attempts',
  'outbox.due_at',
  'outbox.finished_at',
  'outbox.last_reply',
] as const;

/**
 * Lists a page of mails, newest first.
 * @param before the id of the last mail of the page before; ids grow with time.
 */
export function listMails(
  store: Store,
  filter: MailFilter,
  most: number,
  before?: string,
): Promise<ListedMail[]> {
  const { state, receiverEmail, sender } = filter;
  return store.read((db) =>
    db
      .selectFrom('mails')
      .innerJoin('outbox', 'outbox.id', 'mails.id')
      .select(COLUMNS)
      .$if(before !== undefined, (query) => query.where('mails.id', '<', before!))
      .$if(state !== undefined, (query) =>
        query.where('outbox.kind', '=', 'mail').where('outbox.state', '=', state!),
      )
      .$if(sender !== undefined, (query) => query.where('mails.sender', '=', sender!))
      .$if(receiverEmail !== undefined, (query) =>
        query.where('mails.receiver_key', '=', addressKey(receiverEmail!)),
      )
      .orderBy('mails.id', 'desc')
      .limit(most)
      .execute(),
  );
}

/** Reads one mail with its body. @throws {Ws01Error} `NotFound` */
export async function showMail(
  store: Store,
  id: string,
): Promise<ListedMail & { readonly body: string }> {
  const mail = await store.read((db) =>
    db
      .selectFrom('mails')
      .innerJoin('outbox', 'outbox.id', 'mails.id')
      .select([...COLUMNS, 'mails.body'])
      .where('mails.id', '=', id)
      .executeTakeFirst(),
  );
  return mail ?? throwNoMail(id);
}

import { formatInstant } from '../../contract/lexical.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, MailsTable, OutboxTable } from '../../store/tables/tables.ts';
import { addressKey } from '../values/email-address.ts';

/** Largest number of mails in a report (semantics 5.19). */
const MOST = 200;

type ReportRow = Pick<
  MailsTable,
  'id' | 'receiver_email' | 'receiver_name' | 'subject' | 'created_at'
> &
  Pick<OutboxTable, 'state' | 'attempts' | 'due_at' | 'finished_at' | 'last_reply'>;

/**
 * The sending report of a sender (semantics 5.19), newest mails first.
 * @param receiverEmail a canonical address; `undefined` for mails to all recipients.
 * @returns one JSON object.
 */
export async function sendingReport(
  store: Store,
  sender: string,
  receiverEmail: string | undefined,
): Promise<string> {
  const rows = await store.browse((db) =>
    receiverEmail === undefined
      ? mailsOf.all(db, { sender })
      : mailsTo.all(db, { sender, receiver_key: addressKey(receiverEmail) }),
  );
  return JSON.stringify({ items: rows.slice(0, MOST).map(itemOf), truncated: rows.length > MOST });
}

function itemOf(row: ReportRow) {
  const waits = row.state === 'queued' || row.state === 'deferred';
  return {
    id: row.id,
    receiverEmail: row.receiver_email,
    receiverName: row.receiver_name,
    subject: row.subject,
    status: row.state,
    attempts: row.attempts,
    createdAt: formatInstant(row.created_at),
    nextAttemptAt: waits ? shown(row.due_at) : null,
    finishedAt: shown(row.finished_at),
    lastReply: row.last_reply,
  };
}

function shown(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}

const COLUMNS = [
  'mails.id',
  'mails.receiver_email',
  'mails.receiver_name',
  'mails.subject',
  'mails.created_at',
  'outbox.state',
  'outbox.attempts',
  'outbox.due_at',
  'outbox.finished_at',
  'outbox.last_reply',
] as const;

const mailsOf = prepare((db, { sender }: Pick<MailsTable, 'sender'>) =>
  db
    .selectFrom('mails')
    .innerJoin('outbox', 'outbox.id', 'mails.id')
    .select(COLUMNS)
    .where('mails.sender', '=', sender)
    .orderBy('mails.created_at', 'desc')
    .orderBy('mails.id', 'desc')
    .limit(MOST + 1),
);

const mailsTo = prepare(
  (db, { sender, receiver_key }: Pick<MailsTable, 'sender' | 'receiver_key'>) =>
    db
      .selectFrom('mails')
      .innerJoin('outbox', 'outbox.id', 'mails.id')
      .select(COLUMNS)
      .where('mails.receiver_key', '=', receiver_key)
      .where('mails.sender', '=', sender)
      .orderBy('mails.created_at', 'desc')
      .orderBy('mails.id', 'desc')
      .limit(MOST + 1),
);

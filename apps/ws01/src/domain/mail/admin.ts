import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, MailsTable, OutboxState, OutboxTable, Tables } from '../../store/tables/tables.ts';
import { type Actor, doneBy, recordAudit } from '../audit/audit.ts';
import type { Clock } from '../context.ts';
import { CANCELLED_FROM } from './cancel.ts';
import { addressKey } from './rows.ts';
import { GIVE_UP_MS } from './send.ts';

/** Largest number of mails queued again in one transaction. */
const BATCH = 500;

/** States that a mail can be queued again from. */
export const RETRIED_FROM = ['kept', 'deferred', 'failed', 'bounced', 'cancelled', 'suppressed', 'queued'] as const;
export type RetriedState = (typeof RETRIED_FROM)[number];

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
export function listMails(store: Store, filter: MailFilter, most: number, before?: string): Promise<ListedMail[]> {
  const { state, receiverEmail, sender } = filter;
  return store.read((db) =>
    db
      .selectFrom('mails')
      .innerJoin('outbox', 'outbox.id', 'mails.id')
      .select(COLUMNS)
      .$if(before !== undefined, (query) => query.where('mails.id', '<', before!))
      .$if(state !== undefined, (query) => query.where('outbox.kind', '=', 'mail').where('outbox.state', '=', state!))
      .$if(sender !== undefined, (query) => query.where('mails.sender', '=', sender!))
      .$if(receiverEmail !== undefined, (query) => query.where('mails.receiver_key', '=', addressKey(receiverEmail!)))
      .orderBy('mails.id', 'desc')
      .limit(most)
      .execute(),
  );
}

/** Reads one mail with its body. @throws {Ws01Error} `NotFound` */
export async function showMail(store: Store, id: string): Promise<ListedMail & { readonly body: string }> {
  const mail = await store.read((db) =>
    db
      .selectFrom('mails')
      .innerJoin('outbox', 'outbox.id', 'mails.id')
      .select([...COLUMNS, 'mails.body'])
      .where('mails.id', '=', id)
      .executeTakeFirst(),
  );
  return mail ?? throwNotFound(id);
}

/**
 * Queues a mail again, with the same Message-ID: it is sent now and, if that fails, retried for another day.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for one that was sent or is being sent.
 */
export async function retryMail(store: Store, id: string, clock: Clock): Promise<void> {
  await store.write((tx) => retryOne(tx, id, clock(), undefined));
}

/**
 * As {@link retryMail}, inside a write.
 * @param by who did it; `undefined` for an operator on the machine itself.
 * @returns `true`: it is queued again, whatever its state was.
 */
export async function retryOne(tx: Kysely<Tables>, id: string, now: Instant, by: Actor | undefined): Promise<true> {
  if ((await queueAgain(tx, [id], now)) === 0) {
    const { state } = await stateOf(tx, id);
    throw new Ws01Error(
      'InvalidParameter',
      state === 'sent' ? `${id} has been sent.` : `${id} is just being sent; look again in a while.`,
    );
  }
  await auditMail(tx, 'retry', id, now, by);
  return true;
}

/**
 * Queues all mails in the given states again, in batches, so that other writes do not wait long.
 * @param onProgress called with the number queued so far.
 * @returns the number of mails queued.
 */
export async function retryMails(
  store: Store,
  states: readonly RetriedState[],
  clock: Clock,
  onProgress: (queued: number) => void = () => {},
): Promise<number> {
  let queued = 0;
  for (const state of states) {
    let after = '';
    for (;;) {
      const ids = await store.read((db) =>
        db
          .selectFrom('outbox')
          .select('id')
          .where('kind', '=', 'mail')
          .where('state', '=', state)
          .where('id', '>', after)
          .orderBy('id')
          .limit(BATCH)
          .execute(),
      );
      const last = ids.at(-1);
      if (last === undefined) break;
      after = last.id;
      queued += await store.write((tx) =>
        queueAgain(
          tx,
          ids.map(({ id }) => id),
          clock(),
        ),
      );
      onProgress(queued);
    }
  }
  if (queued > 0) {
    await store.write((tx) =>
      auditMail(tx, 'retry', undefined, clock(), undefined, { count: queued, states: states.join(' ') }),
    );
  }
  return queued;
}

/** Cancels a mail that is not being sent yet. @throws {Ws01Error} `NotFound`; `InvalidParameter` if it is too late. */
export async function cancelMail(store: Store, id: string, clock: Clock): Promise<void> {
  await store.write((tx) => cancelOne(tx, id, clock(), undefined));
}

/**
 * As {@link cancelMail}, inside a write.
 * @param by who did it; `undefined` for an operator on the machine itself.
 * @returns whether that changed anything.
 */
export async function cancelOne(tx: Kysely<Tables>, id: string, now: Instant, by: Actor | undefined): Promise<boolean> {
  const [result] = await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', due_at: null, finished_at: now })
    .where('id', '=', id)
    .where('kind', '=', 'mail')
    .where('state', 'in', CANCELLED_FROM)
    .execute();
  if (Number(result?.numUpdatedRows ?? 0) === 0) {
    const { state } = await stateOf(tx, id);
    if (state === 'cancelled') return false;
    throw new Ws01Error('InvalidParameter', `${id} is ${state}; only mails that wait can be cancelled.`);
  }
  await auditMail(tx, 'cancel', id, now, by);
  return true;
}

async function queueAgain(tx: Kysely<Tables>, ids: readonly string[], now: Instant): Promise<number> {
  const [result] = await tx
    .updateTable('outbox')
    .set({ state: 'queued', due_at: now, deferrals: 0, give_up_at: now + GIVE_UP_MS, finished_at: null, lease: null })
    .where('id', 'in', ids)
    .where('kind', '=', 'mail')
    .where('state', 'in', RETRIED_FROM)
    .execute();
  return Number(result?.numUpdatedRows ?? 0);
}

async function stateOf(tx: Kysely<Tables>, id: string): Promise<Pick<OutboxTable, 'state'>> {
  const row = await tx
    .selectFrom('outbox')
    .select('state')
    .where('id', '=', id)
    .where('kind', '=', 'mail')
    .executeTakeFirst();
  return row ?? throwNotFound(id);
}

function throwNotFound(id: string): never {
  throw new Ws01Error('NotFound', `There is no mail ${id}; see ws01 mail list.`);
}

async function auditMail(
  tx: Kysely<Tables>,
  verb: 'retry' | 'cancel',
  id: string | undefined,
  at: Instant,
  by: Actor | undefined,
  details: Readonly<Record<string, string | number>> = {},
): Promise<void> {
  await recordAudit(tx, {
    at,
    ...doneBy(by),
    action: `mail.${verb}`,
    target: { kind: 'mail', key: id },
    details,
  });
}

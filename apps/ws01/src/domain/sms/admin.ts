import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, OutboxState, OutboxTable, SmsTable, Tables } from '../../store/tables/tables.ts';
import { recordAudit } from '../audit/audit.ts';
import { removeEnded } from '../outbox/remove-ended.ts';

/** Rows removed in one transaction at most. */
const BATCH = 500;

/** A text message as operators see it: never what it says. */
export type ListedSms = Pick<SmsTable, 'id' | 'user_id' | 'phone' | 'expires_at' | 'created_at' | 'request_id'> &
  Pick<OutboxTable, 'state' | 'attempts' | 'finished_at' | 'last_reply'>;

/**
 * A page of text messages, the newest first.
 * @param before the id of the last one of the page before; ids grow with time.
 */
export function listSms(store: Store, state: OutboxState | undefined, most: number, before?: string) {
  return store.read((db) =>
    db
      .selectFrom('sms')
      .innerJoin('outbox', 'outbox.id', 'sms.id')
      .select([
        'sms.id',
        'sms.user_id',
        'sms.phone',
        'sms.expires_at',
        'sms.created_at',
        'sms.request_id',
        'outbox.state',
        'outbox.attempts',
        'outbox.finished_at',
        'outbox.last_reply',
      ])
      .$if(before !== undefined, (query) => query.where('sms.id', '<', before!))
      .$if(state !== undefined, (query) => query.where('outbox.kind', '=', 'sms').where('outbox.state', '=', state!))
      .orderBy('sms.id', 'desc')
      .limit(most)
      .execute(),
  );
}

/**
 * Ends the way of codes that have expired and forgets them, also where no gateway is asked any more. For a timer: calls may overlap, also from several processes.
 */
export async function expireSms(store: Store, now: Instant): Promise<void> {
  await store.write(async (tx) => {
    await tx
      .updateTable('outbox')
      .set({ state: 'failed', due_at: null, finished_at: now, lease: null })
      .set((eb) => ({
        last_reply: eb.fn.coalesce('last_reply', eb.val('The code expired before it could be delivered.')),
      }))
      .where('kind', '=', 'sms')
      .where('due_at', '<=', now)
      .where('give_up_at', '<=', now)
      .execute();
    await tx
      .updateTable('sms')
      .set({ sealed: null })
      .where('expires_at', '<=', now)
      .where('sealed', 'is not', null)
      .execute();
  });
}

/** Removes text messages that ended a while ago. @param keptFor ms after their end. @returns how many. */
export function purgeSms(store: Store, now: Instant, keptFor: number): Promise<number> {
  return removeEnded(store, { kind: 'sms', before: now - keptFor, most: BATCH }, async (tx, ids) => {
    await tx.deleteFrom('sms').where('id', 'in', ids).execute();
  });
}

/** States that a text message can be cancelled in, and tried again from. */
const WAITING = ['queued', 'deferred'] as const;
const RETRIED_FROM = ['queued', 'deferred', 'failed', 'bounced', 'cancelled'] as const;

/**
 * Takes a text message back that is not on its way yet; its code is still good for whoever has it. Harmless when repeated.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` when it is too late.
 */
export async function cancelSms(store: Store, id: string, now: Instant): Promise<void> {
  await store.write(async (tx) => {
    const [result] = await tx
      .updateTable('outbox')
      .set({ state: 'cancelled', due_at: null, finished_at: now, lease: null })
      .where('id', '=', id)
      .where('kind', '=', 'sms')
      .where('state', 'in', WAITING)
      .execute();
    if (Number(result?.numUpdatedRows ?? 0) === 0) {
      const { state } = await messageOf(tx, id);
      if (state === 'cancelled') return;
      throw new Ws01Error('InvalidParameter', `${id} is ${state}; only messages that wait can be cancelled.`);
    }
    await auditSms(tx, 'cancel', id, now);
  });
}

/**
 * Sends a text message again, at once. Only while its code lives: an old one would be of no use.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for one that was sent or is being sent, or whose code is gone.
 */
export async function retrySms(store: Store, id: string, now: Instant): Promise<void> {
  await store.write(async (tx) => {
    const { state, expires_at, sealed } = await messageOf(tx, id);
    if (sealed === null || expires_at <= now) {
      throw new Ws01Error(
        'InvalidParameter',
        `The code of ${id} was used, replaced or has expired; the user asks for another.`,
      );
    }
    const [result] = await tx
      .updateTable('outbox')
      .set({ state: 'queued', due_at: now, deferrals: 0, finished_at: null, lease: null })
      .where('id', '=', id)
      .where('kind', '=', 'sms')
      .where('state', 'in', RETRIED_FROM)
      .execute();
    if (Number(result?.numUpdatedRows ?? 0) === 0) {
      throw new Ws01Error('InvalidParameter', `${id} is ${state}; it is not sent twice.`);
    }
    await auditSms(tx, 'retry', id, now);
  });
}

async function messageOf(tx: Kysely<Tables>, id: string) {
  const row = await tx
    .selectFrom('sms')
    .innerJoin('outbox', 'outbox.id', 'sms.id')
    .select(['outbox.state', 'sms.expires_at', 'sms.sealed'])
    .where('sms.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw new Ws01Error('NotFound', `There is no text message ${id}; see ws01 sms list.`);
  return row;
}

function auditSms(tx: Kysely<Tables>, verb: 'retry' | 'cancel', id: string, at: Instant): Promise<void> {
  const target = { kind: 'sms', key: id };
  return recordAudit(tx, { at, tokenId: undefined, action: `sms.${verb}`, target, address: undefined });
}

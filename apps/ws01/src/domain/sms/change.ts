import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { Instant, OutboxState, Tables } from '../../store/tables/tables.ts';
import { type Actor, doneBy, recordAudit } from '../audit/audit.ts';

/** States that a text message can be cancelled in. */
const CANCELLED_FROM: readonly OutboxState[] = ['queued', 'deferred', 'kept'];

/** States that a text message can be queued again from. */
const RETRIED_FROM: readonly OutboxState[] = [...CANCELLED_FROM, 'failed', 'bounced', 'cancelled'];

/** A change of one text message, inside a write. */
interface SmsChange {
  readonly id: string;
  /** Who did it; `undefined` for an operator on the machine itself. */
  readonly by: Actor | undefined;
  readonly at: Instant;
}

/**
 * Queues a text message again, to be sent now, while its code is valid.
 * @returns `true`: it is queued again, whatever its state was.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for one that was sent or is being sent, or whose code was used,
 *   replaced or has expired.
 */
export async function retrySms(tx: Kysely<Tables>, { id, by, at }: SmsChange): Promise<true> {
  const { state, expires_at, sealed } = await lockSms(tx, id);
  if (!RETRIED_FROM.includes(state)) throw refusal(`${id} is ${state}; it is not sent twice.`);
  if (sealed === null || expires_at <= at) {
    throw refusal(`The code of ${id} was used, replaced or has expired; the user asks for another.`);
  }
  await tx
    .updateTable('outbox')
    .set({ state: 'queued', due_at: at, deferrals: 0, give_up_at: expires_at, finished_at: null, lease: null })
    .where('id', '=', id)
    .execute();
  await auditSms(tx, 'retry', { id, by, at });
  return true;
}

/**
 * Cancels a text message that is not being sent yet; its code stays valid.
 * @returns whether that changed anything.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` when it is too late.
 */
export async function cancelSms(tx: Kysely<Tables>, { id, by, at }: SmsChange): Promise<boolean> {
  const { state } = await lockSms(tx, id);
  if (state === 'cancelled') return false;
  if (!CANCELLED_FROM.includes(state)) throw refusal(`${id} is ${state}; only messages that wait can be cancelled.`);
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', due_at: null, finished_at: at, lease: null })
    .where('id', '=', id)
    .execute();
  await auditSms(tx, 'cancel', { id, by, at });
  return true;
}

async function lockSms(tx: Kysely<Tables>, id: string) {
  const outbox = await tx
    .selectFrom('outbox')
    .select('state')
    .where('id', '=', id)
    .where('kind', '=', 'sms')
    .$call(lockRows(tx))
    .executeTakeFirst();
  const sms = await tx.selectFrom('sms').select(['expires_at', 'sealed']).where('id', '=', id).executeTakeFirst();
  if (outbox === undefined || sms === undefined) {
    throw new Ws01Error('NotFound', `There is no text message ${id}; see ws01 sms list.`);
  }
  return { ...outbox, ...sms };
}

function refusal(message: string): Ws01Error {
  return new Ws01Error('InvalidParameter', message);
}

async function auditSms(tx: Kysely<Tables>, verb: 'retry' | 'cancel', { id, by, at }: SmsChange): Promise<void> {
  await recordAudit(tx, { at, ...doneBy(by), action: `sms.${verb}`, target: { kind: 'sms', key: id } });
}

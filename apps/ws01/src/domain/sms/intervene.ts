import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { Instant, OutboxState, Tables } from '../../store/tables/tables.ts';
import { type Actor, doneBy, recordAudit } from '../audit/audit.ts';

/** States that a text message can be cancelled in. */
const WAITING: readonly OutboxState[] = ['queued', 'deferred', 'kept'];
/** States that it can be queued again from. */
const RETRIED_FROM: readonly OutboxState[] = ['queued', 'deferred', 'kept', 'failed', 'cancelled'];

interface SmsCall {
  readonly id: string;
  readonly by: Actor;
  readonly at: Instant;
}

/**
 * Has a text message tried at once, for as long as its code is worth something.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` when it was sent, is being sent or its code has expired.
 */
export async function retrySms(tx: Kysely<Tables>, call: SmsCall): Promise<boolean> {
  const sms = await lockSms(tx, call.id);
  if (!RETRIED_FROM.includes(sms.state))
    throw refusal(call.id, `is ${sms.state}`, 'only what was not sent is sent again');
  if (sms.expires_at <= call.at) throw refusal(call.id, 'carries a code that has expired', 'have a new one made');
  await tx
    .updateTable('outbox')
    .set({ state: 'queued', due_at: call.at, deferrals: 0, give_up_at: sms.expires_at, finished_at: null, lease: null })
    .where('id', '=', call.id)
    .execute();
  await audit(tx, 'retry', call);
  return true;
}

/**
 * Cancels a text message that is not on its way yet.
 * @returns whether that changed anything.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` when it is too late.
 */
export async function cancelSms(tx: Kysely<Tables>, call: SmsCall): Promise<boolean> {
  const { state } = await lockSms(tx, call.id);
  if (state === 'cancelled') return false;
  if (!WAITING.includes(state)) throw refusal(call.id, `is ${state}`, 'only what waits can be cancelled');
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', due_at: null, finished_at: call.at })
    .where('id', '=', call.id)
    .execute();
  await audit(tx, 'cancel', call);
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
  const sms = await tx.selectFrom('sms').select('expires_at').where('id', '=', id).executeTakeFirst();
  if (outbox === undefined || sms === undefined) throw new Ws01Error('NotFound', `There is no text message ${id}.`);
  return { ...outbox, ...sms };
}

function refusal(id: string, problem: string, remedy: string): Ws01Error {
  return new Ws01Error('InvalidParameter', `${id} ${problem}; ${remedy}.`);
}

async function audit(tx: Kysely<Tables>, verb: 'retry' | 'cancel', { id, by, at }: SmsCall): Promise<void> {
  await recordAudit(tx, { at, ...doneBy(by), action: `sms.${verb}`, target: { kind: 'sms', key: id } });
}

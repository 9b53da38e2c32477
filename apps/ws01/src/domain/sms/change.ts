import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import type { Instant, OutboxState, SmsTable, Tables } from '../../store/tables/tables.ts';
import {
  assertCancelled,
  CANCELLED_FROM,
  cancel,
  lockState,
  type MessageChange,
  queuedAgain,
  recordChange,
  refusal,
  uncancel,
} from '../outbox/change.ts';

/** States that a text message can be queued again from. */
const RETRIED_FROM: readonly OutboxState[] = [...CANCELLED_FROM, 'failed', 'bounced', 'cancelled'];

/**
 * Queues a text message again, to be sent now, while its code is valid.
 * @returns `true`: it is queued again, whatever its state was.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for one that was sent or is being sent, or
 *   whose code was used, replaced or has expired.
 */
export async function retrySms(tx: Kysely<Tables>, change: MessageChange): Promise<true> {
  const { id, at } = change;
  const { state, ...code } = await lockSms(tx, id);
  if (!RETRIED_FROM.includes(state))
    throw refusal(say`${{ id }} is ${{ value: state }}; it is not sent twice.`);
  assertUsable(id, code, at);
  await tx
    .updateTable('outbox')
    .set(queuedAgain(at, code.expires_at))
    .where('id', '=', id)
    .execute();
  await recordChange(tx, 'sms', 'retry', change);
  return true;
}

/**
 * Cancels a text message that is not being sent yet; its code stays valid.
 * @returns whether that changed anything.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` when it is too late.
 */
export async function cancelSms(tx: Kysely<Tables>, change: MessageChange): Promise<boolean> {
  const { state } = await lockSms(tx, change.id);
  return cancel(tx, 'sms', change, state);
}

/**
 * Undoes the cancelling of a text message: it is in the state again that it was cancelled in.
 * @returns `true`: its state has changed.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for one that is not cancelled, or whose code
 *   was used, replaced or has expired.
 */
export async function uncancelSms(tx: Kysely<Tables>, change: MessageChange): Promise<true> {
  const { id, at } = change;
  const { state, ...code } = await lockSms(tx, id);
  assertCancelled(id, state);
  assertUsable(id, code, at);
  await uncancel(tx, 'sms', change);
  return true;
}

/** @throws {Ws01Error} `InvalidParameter` */
function assertUsable(
  id: string,
  { sealed, expires_at }: Pick<SmsTable, 'sealed' | 'expires_at'>,
  at: Instant,
): void {
  if (sealed === null || expires_at <= at) {
    throw refusal(
      say`The code of ${{ id }} was used, replaced or has expired; the user asks for another.`,
    );
  }
}

async function lockSms(tx: Kysely<Tables>, id: string) {
  const state = await lockState(tx, 'sms', id);
  const sms = await tx
    .selectFrom('sms')
    .select(['expires_at', 'sealed'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (state === undefined || sms === undefined) {
    throw new Ws01Error('NotFound', say`There is no text message ${{ id }}; see ws01 sms list.`);
  }
  return { state, ...sms };
}

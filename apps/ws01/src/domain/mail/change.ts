import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import type { OutboxState, Tables } from '../../store/tables/tables.ts';
import {
  assertCancelled,
  cancel,
  lockState,
  lockStates,
  type MessageChange,
  queuedAgain,
  recordChange,
  refusal,
  uncancel,
} from '../outbox/change.ts';
import { mailById, suppressionKeys, suppressionOf } from './rows.ts';
import { GIVE_UP_MS } from './send.ts';

/** States that a mail can be queued again from. */
export const RETRIED_FROM = [
  'kept',
  'deferred',
  'failed',
  'bounced',
  'cancelled',
  'suppressed',
  'queued',
] as const;
export type RetriedState = (typeof RETRIED_FROM)[number];

/**
 * Queues a mail again, with the same Message-ID: it is sent now and, if that fails, retried for
 * another day.
 * @returns `true`: it is queued again, whatever its state was.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for one that was sent or is being sent, or to
 *   a suppressed address.
 */
export async function retryMail(tx: Kysely<Tables>, change: MessageChange): Promise<true> {
  const { id } = change;
  await assertNotSuppressed(tx, id);
  if ((await queueAgain(tx, [id], change)) === 0) {
    const state = await stateOf(tx, id);
    throw refusal(
      state === 'sent'
        ? say`${{ id }} has been sent.`
        : say`${{ id }} is just being sent; look again in a while.`,
    );
  }
  return true;
}

/** @throws {Ws01Error} `InvalidParameter` for a mail to an address that nothing is sent to. */
async function assertNotSuppressed(tx: Kysely<Tables>, id: string): Promise<void> {
  const mail = await mailById.first(tx, { id });
  if (mail === undefined) return;
  const found = await suppressionOf.first(tx, suppressionKeys(mail.receiver_key));
  if (found === undefined) return;
  throw refusal(
    say`Nothing is sent to ${{ address: found.address }}: it is suppressed. Take it off the list of suppressed addresses first.`,
  );
}

/**
 * Queues those of some mails again that are in a state of {@link RETRIED_FROM}, each with an entry
 * in the audit trail that has its earlier state.
 * @returns how many they are.
 */
export async function queueAgain(
  tx: Kysely<Tables>,
  ids: readonly string[],
  { by, at }: Omit<MessageChange, 'id'>,
): Promise<number> {
  const rows = await lockStates(tx, 'mail', ids, RETRIED_FROM);
  if (rows.length === 0) return 0;
  const found = rows.map(({ id }) => id);
  await tx
    .updateTable('outbox')
    .set(queuedAgain(at, at + GIVE_UP_MS))
    .where('id', 'in', found)
    .execute();
  for (const { id, state } of rows)
    await recordChange(tx, 'mail', 'retry', { id, by, at }, { state });
  return rows.length;
}

/**
 * Cancels a mail that is not being sent yet.
 * @returns whether that changed anything.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` when it is too late.
 */
export async function cancelMail(tx: Kysely<Tables>, change: MessageChange): Promise<boolean> {
  return cancel(tx, 'mail', change, await stateOf(tx, change.id));
}

/**
 * Undoes the cancelling of a mail: it is in the state again that it was cancelled in.
 * @returns `true`: its state has changed.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for one that is not cancelled.
 */
export async function uncancelMail(tx: Kysely<Tables>, change: MessageChange): Promise<true> {
  assertCancelled(change.id, await stateOf(tx, change.id));
  await uncancel(tx, 'mail', change);
  return true;
}

/** @throws {Ws01Error} `NotFound` */
async function stateOf(tx: Kysely<Tables>, id: string): Promise<OutboxState> {
  const state = await lockState(tx, 'mail', id);
  if (state !== undefined) return state;
  throw new Ws01Error('NotFound', say`There is no mail ${{ id }}; see ws01 mail list.`);
}

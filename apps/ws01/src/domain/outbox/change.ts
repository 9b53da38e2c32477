import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { type Sentence, say } from '../../contract/sentence.ts';
import { prepare } from '../../store/prepared.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { Instant, OutboxKind, OutboxState, Tables } from '../../store/tables/tables.ts';
import { type Actor, auditAct } from '../audit/audit.ts';

/** Messages that people cancel and send again; deliveries are their webhook's. */
type AuditedKind = Exclude<OutboxKind, 'webhook'>;

/** A change of one message by a person, inside a write. */
export interface MessageChange {
  readonly id: string;
  /** Who makes the change; `undefined` for an operator on the machine itself. */
  readonly by: Actor | undefined;
  readonly at: Instant;
}

/** States that a message can be cancelled in: it waits. */
export const CANCELLED_FROM = [
  'kept',
  'queued',
  'deferred',
] as const satisfies readonly OutboxState[];

/**
 * Reads the state of a message and locks it until the end of the write; `undefined` if there is no
 * such message.
 */
export async function lockState(
  tx: Kysely<Tables>,
  kind: AuditedKind,
  id: string,
): Promise<OutboxState | undefined> {
  const [row] = await lockStates(tx, kind, [id]);
  return row?.state;
}

/** As {@link lockState}, of several messages, in one order. @param states absent: those in any. */
export function lockStates(
  tx: Kysely<Tables>,
  kind: AuditedKind,
  ids: readonly string[],
  states?: readonly OutboxState[],
): Promise<{ id: string; state: OutboxState }[]> {
  return tx
    .selectFrom('outbox')
    .select(['id', 'state'])
    .where('id', 'in', ids)
    .where('kind', '=', kind)
    .$if(states !== undefined, (query) => query.where('state', 'in', states!))
    .orderBy('id')
    .$call(lockRows(tx))
    .execute();
}

/**
 * Cancels a message that is not being sent yet.
 * @param state of the message, which is locked.
 * @returns whether that changed anything.
 * @throws {Ws01Error} `InvalidParameter` when it is too late.
 */
export async function cancel(
  tx: Kysely<Tables>,
  kind: AuditedKind,
  change: MessageChange,
  state: OutboxState,
): Promise<boolean> {
  const { id, at } = change;
  if (state === 'cancelled') return false;
  if (!CANCELLED_FROM.some((one) => one === state))
    throw refusal(say`${{ id }} is ${{ value: state }}; only messages that wait can be cancelled.`);
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', due_at: null, finished_at: at, lease: null })
    .where('id', '=', id)
    .execute();
  // `uncancel` reads the state from here.
  await recordChange(tx, kind, 'cancel', change, { state });
  return true;
}

/** What makes a message go out at once, and be tried until it is given up. */
export function queuedAgain(at: Instant, giveUpAt: Instant) {
  return {
    state: 'queued',
    due_at: at,
    deferrals: 0,
    give_up_at: giveUpAt,
    finished_at: null,
    lease: null,
  } as const;
}

/** @throws {Ws01Error} `InvalidParameter` for a message that is not cancelled. */
export function assertCancelled(id: string, state: OutboxState): void {
  if (state !== 'cancelled') throw refusal(say`${{ id }} is ${{ value: state }}, not cancelled.`);
}

/** The error for a message that cannot be changed so. */
export function refusal(message: Sentence): Ws01Error {
  return new Ws01Error('InvalidParameter', message);
}

/**
 * Returns a cancelled message to the state that the audit trail recorded when it was cancelled: one
 * that waited to be sent is sent now, until it is given up at the same time as before. Without a
 * record it is `kept`, which sends nothing.
 */
export async function uncancel(
  tx: Kysely<Tables>,
  kind: AuditedKind,
  change: MessageChange,
): Promise<void> {
  const { id, at } = change;
  const entry = await lastCancel.first(tx, { id, kind, action: `${kind}.cancel` });
  const { state = 'kept' } = JSON.parse(entry?.details ?? '{}') as { readonly state?: OutboxState };
  await tx
    .updateTable('outbox')
    .set({ state, due_at: state === 'kept' ? null : at, finished_at: null, lease: null })
    .where('id', '=', id)
    .execute();
  await recordChange(tx, kind, 'uncancel', change);
}

const lastCancel = prepare(
  (db, { id, kind, action }: { id: string; kind: string; action: string }) =>
    db
      .selectFrom('audit')
      .select('details')
      .where('target_key', '=', id)
      .where('target_kind', '=', kind)
      .where('action', '=', action)
      .orderBy('id', 'desc')
      .limit(1),
);

/** Adds a change to the audit trail. */
export async function recordChange(
  tx: Kysely<Tables>,
  kind: AuditedKind,
  verb: 'retry' | 'cancel' | 'uncancel',
  { id, by, at }: MessageChange,
  details: Readonly<Record<string, string | number>> = {},
): Promise<void> {
  await auditAct(tx, `${kind}.${verb}`, id, at, by, details);
}

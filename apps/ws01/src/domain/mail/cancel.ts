import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, OutboxState, Tables } from '../../store/tables/tables.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Clock } from '../context.ts';
import { addressKey } from './rows.ts';

/** States that a mail can be cancelled in. */
export const CANCELLED_FROM = ['kept', 'queued', 'deferred'] as const satisfies readonly OutboxState[];

/** Largest number of mails cancelled in one transaction. */
const BATCH = 500;

/** Which mails to cancel; an absent field does not filter. */
export interface CancelFilter {
  readonly state?: (typeof CANCELLED_FROM)[number] | undefined;
  readonly sender?: string | undefined;
  readonly receiverEmail?: string | undefined;
  /** Only mails created at this instant or before. */
  readonly until?: Instant | undefined;
}

/** Counts the mails that would be cancelled, and their senders. */
export async function countCancellable(
  store: Store,
  filter: CancelFilter,
): Promise<{ readonly mails: number; readonly senders: number }> {
  const row = await store.read((db) =>
    cancellable(db, filter)
      .select((eb) => [eb.fn.countAll().as('mails'), eb.fn.count('mails.sender').distinct().as('senders')])
      .executeTakeFirstOrThrow(),
  );
  return { mails: Number(row.mails), senders: Number(row.senders) };
}

/** Cancels the mails of a filter, in batches. @returns the number of mails cancelled. */
export async function cancelMails(store: Store, filter: CancelFilter, clock: Clock): Promise<number> {
  let cancelled = 0;
  for (;;) {
    const now = clock();
    const found = await store.read((db) => cancellable(db, filter).select('mails.id').limit(BATCH).execute());
    if (found.length === 0) break;
    cancelled += await store.write(async (tx) => {
      const [result] = await tx
        .updateTable('outbox')
        .set({ state: 'cancelled', due_at: null, finished_at: now })
        .where(
          'id',
          'in',
          found.map(({ id }) => id),
        )
        .where('kind', '=', 'mail')
        .where('state', 'in', CANCELLED_FROM)
        .execute();
      return Number(result?.numUpdatedRows ?? 0);
    });
  }
  if (cancelled > 0) {
    const { state = 'all', sender, until } = filter;
    await store.write((tx) =>
      recordAudit(tx, {
        at: clock(),
        tokenId: undefined,
        action: 'mail.cancel',
        target: { kind: 'mail', key: undefined },
        address: undefined,
        details: {
          count: cancelled,
          state,
          ...(sender === undefined ? {} : { sender }),
          ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
        },
      }),
    );
  }
  return cancelled;
}

function cancellable(db: Kysely<Tables>, { state, sender, receiverEmail, until }: CancelFilter) {
  return db
    .selectFrom('mails')
    .innerJoin('outbox', 'outbox.id', 'mails.id')
    .where('outbox.kind', '=', 'mail')
    .where('outbox.state', 'in', state === undefined ? CANCELLED_FROM : [state])
    .$if(sender !== undefined, (query) => query.where('mails.sender', '=', sender!))
    .$if(receiverEmail !== undefined, (query) => query.where('mails.receiver_key', '=', addressKey(receiverEmail!)))
    .$if(until !== undefined, (query) => query.where('mails.created_at', '<=', until!));
}

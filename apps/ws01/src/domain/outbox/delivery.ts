import type { Kysely } from 'kysely';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { Instant, OutboxKind, OutboxTable, Tables } from '../../store/tables/tables.ts';

/** A message that a worker has leased. */
export type OutboxMessage = Pick<
  OutboxTable,
  'id' | 'kind' | 'attempts' | 'deferrals' | 'created_at' | 'give_up_at'
>;

/** The outcome of an attempt. `reply` is the server's reply, or the reason why there was none. */
export type AttemptOutcome =
  /** Final. */
  | {
      readonly kind: 'sent' | 'bounced' | 'failed' | 'cancelled' | 'suppressed';
      readonly reply: string;
      /** Queries for the transaction that stores the outcome. */
      readonly also?: (tx: Kysely<Tables>) => Promise<void>;
    }
  /** To be retried, after growing waits. */
  | {
      readonly kind: 'deferred';
      readonly reply: string;
      /** Likewise. */
      readonly also?: (tx: Kysely<Tables>) => Promise<void>;
    }
  /** The server cannot be reached or accepts nothing; not the message's fault. */
  | { readonly kind: 'unreachable'; readonly reply: string }
  /** Not attempted, and not before an instant. */
  | { readonly kind: 'later'; readonly at: Instant };

/** The delivery of one kind of message. */
export interface Delivery {
  readonly kind: OutboxKind;
  /** Maximum number of concurrent messages on this node. */
  readonly slots: number;
  /** Waits after a deferral; ms. They double from the first to the longest. */
  readonly waits: { readonly first: number; readonly longest: number };

  /**
   * Attempts a delivery. Any error that it throws is a defect, and counts as a deferral.
   * @param signal aborts the attempt: the lease is lost, or the process ends.
   * @param isHeld called just before the message is sent; returns whether this worker still holds
   *   the lease. If not, it aborts `signal`, which may be late after the whole process was
   *   suspended.
   */
  deliver(job: OutboxMessage, signal: AbortSignal, isHeld: () => boolean): Promise<AttemptOutcome>;

  /** Queries for the transaction in which a message reaches a final state. */
  ended?(tx: Kysely<Tables>, id: string): Promise<void>;

  /** Closes connections. Further calls have no effect. */
  close(): Promise<void>;
}

/**
 * Returns the outcome for an error of the server (semantics 5.7).
 * @throws any other error.
 */
export function outcomeOf(error: unknown): Exclude<AttemptOutcome, { readonly kind: 'later' }> {
  if (
    !(error instanceof DependencyError) ||
    (error.dependency !== 'mail' && error.dependency !== 'sms')
  )
    throw error;
  const { kind, reason, message: reply } = error;
  switch (kind) {
    case 'refused':
      return { kind: reason === 'unsendable' ? 'failed' : 'bounced', reply };
    // Most servers recognise a repeated mail by its Message-ID.
    case 'busy':
    case 'outcomeUnknown':
      return { kind: 'deferred', reply };
    default:
      return { kind: 'unreachable', reply };
  }
}

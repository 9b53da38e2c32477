import type { Kysely } from 'kysely';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { Instant, OutboxKind, OutboxTable, Tables } from '../../store/tables/tables.ts';

/** One message that a worker has taken on. */
export type OutboxMessage = Pick<OutboxTable, 'id' | 'kind' | 'attempts' | 'deferrals' | 'created_at' | 'give_up_at'>;

/** The outcome of an attempt. `reply` is the reply of the server, or the reason why there was none. */
export type AttemptOutcome =
  /** Over, in a final state. */
  | {
      readonly kind: 'sent' | 'bounced' | 'failed' | 'cancelled' | 'suppressed';
      readonly reply: string;
      /** Queries for the transaction that writes the outcome down. */
      readonly also?: (tx: Kysely<Tables>) => Promise<void>;
    }
  /** Not this time: to be tried again after a wait that grows. */
  | { readonly kind: 'deferred'; readonly reply: string }
  /** The other side cannot be reached or does not take anything: nothing that this message has done. */
  | { readonly kind: 'unreachable'; readonly reply: string }
  /** Not tried at all, and not to be tried before an instant. */
  | { readonly kind: 'later'; readonly at: Instant };

/** How one kind of message goes out. */
export interface Delivery {
  readonly kind: OutboxKind;
  /** Messages in progress at once, on this node. */
  readonly slots: number;
  /** Waits after a message was put off for its own sake; ms. They double from the first to the longest. */
  readonly waits: { readonly first: number; readonly longest: number };

  /**
   * Tries once. Whatever it throws is a defect, and counts as put off.
   * @param signal aborted when the attempt is to be given up: the lease is lost or the process ends.
   * @param isHeld asked just before the message leaves: whether it is still this worker's. It aborts `signal` if not, which
   *   may be late otherwise when the whole process stood still.
   */
  deliver(job: OutboxMessage, signal: AbortSignal, isHeld: () => boolean): Promise<AttemptOutcome>;

  /** Queries for the transaction in which a message comes to its end, whatever the end is. */
  ended?(tx: Kysely<Tables>, id: string): Promise<void>;

  /** Lets go of connections. Harmless when repeated. */
  close(): Promise<void>;
}

/**
 * What an attempt came to when the other side failed or refused (semantics 5.7).
 * @throws what is no failure of the mail server or the gateway.
 */
export function outcomeOf(error: unknown): Exclude<AttemptOutcome, { readonly kind: 'later' }> {
  if (!(error instanceof DependencyError) || (error.dependency !== 'mail' && error.dependency !== 'sms')) throw error;
  const { kind, reason, message: reply } = error;
  switch (kind) {
    case 'refused':
      return { kind: reason === 'unsendable' ? 'failed' : 'bounced', reply };
    // Most servers know a mail that they are given twice by its Message-ID.
    case 'busy':
    case 'outcomeUnknown':
      return { kind: 'deferred', reply };
    default:
      return { kind: 'unreachable', reply };
  }
}

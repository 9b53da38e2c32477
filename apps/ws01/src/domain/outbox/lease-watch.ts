import type { Instant } from '../../store/tables/tables.ts';

/**
 * How long a lease lasts after its last renewal; ms. Together with the poll interval it must be
 * less than the 20 s within which the work of a dead process is taken over (semantics 5.7).
 */
export const LEASE_MS = 15_000;

/** A lease as stored in the database. Its holder writes a new `due_at` at each renewal. */
export interface SeenLease {
  /** The id of the message. */
  readonly id: string;
  readonly lease: string | null;
  readonly due_at: Instant | null;
}

/**
 * Watches the leases of other workers. Their clocks may be wrong, so the stored times are only
 * compared for changes: a lease has ended if this process has seen it unchanged for
 * {@link LEASE_MS}.
 */
export class LeaseWatch {
  #seen = new Map<string, { readonly lease: SeenLease; readonly since: number }>();

  /**
   * Records the present leases.
   * @param at when they were queried, or later, on a monotonic clock; ms.
   */
  look(leases: readonly SeenLease[], at: number): void {
    this.#seen = new Map(
      leases.map((lease) => {
        const before = this.#seen.get(lease.id);
        return [
          lease.id,
          before !== undefined && isSame(before.lease, lease) ? before : { lease, since: at },
        ];
      }),
    );
  }

  /**
   * Returns the leases that have ended, longest first.
   * @param at on the same clock.
   */
  ended(at: number): readonly SeenLease[] {
    return [...this.#seen.values()]
      .filter(({ since }) => at - since >= LEASE_MS)
      .toSorted((a, b) => a.since - b.since)
      .map(({ lease }) => lease);
  }
}

export function isSame(one: SeenLease, other: SeenLease): boolean {
  return one.lease === other.lease && one.due_at === other.due_at;
}

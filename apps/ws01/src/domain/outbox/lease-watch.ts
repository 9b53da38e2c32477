import type { Instant } from '../../store/tables/tables.ts';

/**
 * How long a message belongs to the worker that took it on after that worker said last that it still works; ms. Together
 * with the poll interval less than the 20 s within which a dead process' work is taken over (semantics 5.7).
 */
export const LEASE_MS = 15_000;

/** A lease as it is in the database. Whoever holds it writes another `due_at` each time it says that it still works. */
export interface SeenLease {
  /** Of the message. */
  readonly id: string;
  readonly lease: string | null;
  readonly due_at: Instant | null;
}

/**
 * The leases of other workers. Theirs were written by clocks that may be wrong, so what is written in them is only
 * compared: a lease has ended when this process itself has seen it unchanged for {@link LEASE_MS}.
 */
export class LeaseWatch {
  #seen = new Map<string, { readonly lease: SeenLease; readonly since: number }>();

  /**
   * Takes note of the leases that there are.
   * @param at when they were asked for or later, on a clock that is never set; ms.
   */
  look(leases: readonly SeenLease[], at: number): void {
    this.#seen = new Map(
      leases.map((lease) => {
        const before = this.#seen.get(lease.id);
        return [lease.id, before !== undefined && isSame(before.lease, lease) ? before : { lease, since: at }];
      }),
    );
  }

  /** Those that have ended, the longest ended first. @param at on the same clock. */
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

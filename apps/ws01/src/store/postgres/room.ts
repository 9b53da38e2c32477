import { sql } from 'kysely';
import { isFailureOf } from '../../failure/dependency-error.ts';
import type { Store } from '../store.ts';

/** How long a success counts; ms. */
const KEPT_MS = 10_000;

/** Rolls the probe's write back after it has succeeded. */
class Shown extends Error {}

/**
 * Tests that tables can grow. On a full disk, a row still fits into a page with free space, while
 * other writes fail. So the probe empties a table, allocates new pages for it, and rolls back: the
 * disk must provide pages each time, nothing stays, and nothing is waited for.
 */
export class RoomProbe {
  readonly #store: Pick<Store, 'write'>;
  /** A new probe is needed after this time; by `performance.now`. */
  #shownUntil = 0;

  constructor(store: Pick<Store, 'write'>) {
    this.#store = store;
  }

  /** @throws {DependencyError} `unavailable` when there is no space. */
  async check(): Promise<void> {
    if (performance.now() < this.#shownUntil) return;
    try {
      await this.#store.write(async (tx) => {
        await sql`lock table store_room in access exclusive mode nowait`.execute(tx);
        await sql`truncate store_room`.execute(tx);
        await sql`insert into store_room select repeat('x', 1900) from generate_series(1, 16)`.execute(
          tx,
        );
        throw new Shown();
      });
    } catch (error) {
      if (!(error instanceof Shown) && !isUnknown(error)) throw error;
    }
    this.#shownUntil = performance.now() + KEPT_MS;
  }
}

/**
 * Errors that say nothing about the disk: another node probes or a dump reads (55P03), the role
 * lacks the permission (42501), or the table or the statement does not exist there (42P01, 0A000,
 * 42601).
 */
const UNKNOWN: ReadonlySet<unknown> = new Set(['55P03', '42501', '42P01', '0A000', '42601']);

function isUnknown(error: unknown): boolean {
  const { code } = (isFailureOf('database', error) ? error.cause : error) as { code?: unknown };
  return UNKNOWN.has(code);
}

import { sql } from 'kysely';
import { isFailureOf } from '../../failure/dependency-error.ts';
import type { Store } from '../store.ts';

/** For so long one success stands for the next ones; ms. */
const KEPT_MS = 10_000;

/** Undoes the write, which has shown what it was to show. */
class Shown extends Error {}

/**
 * Shows that tables can grow. On a full disk a row can still be written where there is room in its page, while every new
 * record fails: so pages are asked for, of a table that is emptied first, and all is undone. The disk gives new pages
 * each time; nothing stays and nothing is waited for.
 */
export class RoomProbe {
  readonly #store: Pick<Store, 'write'>;
  /** On the clock of `performance.now`. */
  #shownUntil = 0;

  constructor(store: Pick<Store, 'write'>) {
    this.#store = store;
  }

  /** @throws {DependencyError} `unavailable` when there is no room. */
  async check(): Promise<void> {
    if (performance.now() < this.#shownUntil) return;
    try {
      await this.#store.write(async (tx) => {
        await sql`lock table store_room in access exclusive mode nowait`.execute(tx);
        await sql`truncate store_room`.execute(tx);
        await sql`insert into store_room select repeat('x', 1900) from generate_series(1, 16)`.execute(tx);
        throw new Shown();
      });
    } catch (error) {
      if (!(error instanceof Shown) && !isUnknown(error)) throw error;
    }
    this.#shownUntil = performance.now() + KEPT_MS;
  }
}

/**
 * What says nothing of the disk: another node looks or a dump reads (55P03), this role may not (42501), or an older node has
 * not got the table, nor a database of another make its statements (42P01, 0A000, 42601).
 */
const UNKNOWN: ReadonlySet<unknown> = new Set(['55P03', '42501', '42P01', '0A000', '42601']);

function isUnknown(error: unknown): boolean {
  const { code } = (isFailureOf('database', error) ? error.cause : error) as { code?: unknown };
  return UNKNOWN.has(code);
}

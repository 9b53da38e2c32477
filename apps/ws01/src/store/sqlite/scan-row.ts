import { DependencyError } from '../../failure/dependency-error.ts';

/** Maximum number of waiting scans. */
const MAX_WAITING = 100;
/** One in progress, and one ready for the thread. */
const AT_ONCE = 2;

interface Waiter {
  readonly whose: string;
  readonly begin: () => void;
}

/**
 * The queue for the scan thread. Callers take turns, however many scans each has waiting, and one caller may take only
 * part of the free places, so that nobody can occupy the thread.
 */
export class ScanRow {
  readonly #rows = new Map<string, Waiter[]>();
  #waiting = 0;
  #underWay = 0;

  /**
   * Runs a scan when its turn comes.
   * @param whose the caller; without a name, all places are available.
   * @throws {DependencyError} `busy`; the error of `scan`.
   */
  async run<T>(whose: string | undefined, scan: () => Promise<T>): Promise<T> {
    if (this.#underWay < AT_ONCE) this.#underWay++;
    else await this.#wait(whose);
    try {
      return await scan();
    } finally {
      this.#next();
    }
  }

  #wait(whose = ''): Promise<void> {
    const row = this.#rows.get(whose) ?? [];
    const free = MAX_WAITING - this.#waiting;
    if (free === 0 || (whose !== '' && row.length >= free))
      throw new DependencyError('database', 'busy', 'Too many searches are waiting.');
    return new Promise((begin) => {
      row.push({ whose, begin });
      this.#rows.set(whose, row);
      this.#waiting++;
    });
  }

  #next(): void {
    const [row] = this.#rows.values();
    const waiter = row?.shift();
    if (row === undefined || waiter === undefined) {
      this.#underWay--;
      return;
    }
    this.#waiting--;
    // Back to the end of the queue, if the caller has more.
    this.#rows.delete(waiter.whose);
    if (row.length > 0) this.#rows.set(waiter.whose, row);
    waiter.begin();
  }
}

import { DependencyError } from '../../failure/dependency-error.ts';

/** Scans that wait at most. */
const MAX_WAITING = 100;
/** One that is worked on, and one for the thread to go on with. */
const AT_ONCE = 2;

interface Waiter {
  readonly whose: string;
  readonly begin: () => void;
}

/**
 * The row before the thread for scans. Those who ask take turns, however many scans each has waiting, and one of them has
 * no more waiting than there is place left for others: so nobody keeps the thread to himself.
 */
export class ScanRow {
  readonly #rows = new Map<string, Waiter[]>();
  #waiting = 0;
  #underWay = 0;

  /**
   * Runs a scan when its turn comes.
   * @param whose who asks; who has no name may have all places.
   * @throws {DependencyError} `busy`; and whatever `scan` throws.
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
    // Behind the others, if there is more.
    this.#rows.delete(waiter.whose);
    if (row.length > 0) this.#rows.set(waiter.whose, row);
    waiter.begin();
  }
}

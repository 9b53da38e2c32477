/** The pause before a worker is replaced; it doubles with each end that follows too soon; ms. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** A worker that served for this long was healthy, so its end does not increase the pause; ms. */
export const STEADY_MS = 10_000;

/** Failed starts in a row that are allowed while the service starts or no worker serves. */
const MAX_FAILED_STARTS = 5;

/**
 * Decides the pause before a worker is replaced, so that workers that keep failing do not overload
 * the machine.
 */
export class Restarts {
  #soon = 0;
  #failedStarts = 0;

  /** Notes that a worker has started to serve. */
  served(): void {
    this.#failedStarts = 0;
  }

  /**
   * Notes the end of a worker.
   * @param servedMs how long it served; `undefined` if it never did.
   * @returns the pause before the next start; ms.
   */
  ended(servedMs: number | undefined): number {
    if (servedMs === undefined) this.#failedStarts++;
    else if (servedMs >= STEADY_MS) this.#soon = 0;
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#soon, 20));
    this.#soon++;
    return pause;
  }

  /** Whether so many starts have failed that another would most likely fail, too. */
  get hopeless(): boolean {
    return this.#failedStarts >= MAX_FAILED_STARTS;
  }
}

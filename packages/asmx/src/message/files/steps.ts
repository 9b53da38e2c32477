type Step = () => void | Promise<void>;

/**
 * Runs steps strictly one after another. A step that needs no waiting, while no earlier one waits,
 * is done at once; so a sink in memory costs no promise.
 */
export class Steps {
  #waiting: Promise<void> | undefined;

  /**
   * @throws whatever the step throws, when it is done immediately; otherwise {@link done} rejects
   *   with it.
   */
  add(step: Step): void {
    const promise = this.#waiting === undefined ? step() : this.#waiting.then(step);
    if (promise === undefined) return;
    this.#waiting = promise;
    // `done` reports the rejection; until somebody awaits it, it must not count as unhandled.
    promise.catch(() => {});
  }

  /**
   * `undefined` when all steps are done, otherwise a promise of it. A failed step ends the work:
   * those behind it are left out.
   */
  get done(): Promise<void> | undefined {
    const waiting = this.#waiting;
    return waiting?.then(() => {
      if (this.#waiting === waiting) this.#waiting = undefined;
    });
  }

  /** Resolves when no step is running, whether they went well or not. */
  async settled(): Promise<void> {
    await this.#waiting?.catch(() => {});
  }
}

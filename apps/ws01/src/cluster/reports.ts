import { time } from '@ws01/asmx/time';

/** Timeout for the answer of a worker, which is then left out; ms. */
const ANSWER_WITHIN_MS = 4_000;

/** Waits for the reports of workers. */
export class Reports {
  readonly #awaited = new Map<number, PromiseWithResolvers<unknown>>();

  /**
   * Requests a report.
   * @param ask sends the request to the worker.
   * @returns its report; `undefined` when the worker ends or the timeout passes.
   */
  async from(worker: number, ask: () => void): Promise<unknown> {
    let awaited = this.#awaited.get(worker);
    if (awaited === undefined) {
      awaited = Promise.withResolvers();
      this.#awaited.set(worker, awaited);
      ask();
    }
    const limit = time.limit(ANSWER_WITHIN_MS, () => this.settle(worker, undefined));
    try {
      return await awaited.promise;
    } finally {
      limit.end();
    }
  }

  /** Delivers a report; `undefined` when there will be none. */
  settle(worker: number, report: unknown): void {
    this.#awaited.get(worker)?.resolve(report);
    this.#awaited.delete(worker);
  }
}

import { DependencyError } from '../../failure/dependency-error.ts';

/** Attempts without an answer, one after the other, after which nobody else is made to wait. */
const FAILURES = 3;

/** For so long everything is refused then; ms. */
const OPEN_MS = 5_000;

/**
 * Keeps calls from waiting for a service that does not answer (a circuit breaker). After {@link FAILURES} attempts in a row
 * without an answer everything is refused at once for {@link OPEN_MS}; then one attempt finds out whether it is better,
 * while the others are still refused.
 */
export class Breaker {
  readonly #isSilence: (error: unknown) => boolean;
  #failures = 0;
  /** Until when everything is refused; on the clock of `performance.now`. */
  #openUntil = 0;
  #trying = false;

  /** @param isSilence whether an error says that the service did not answer; all others are answers. */
  constructor(isSilence: (error: unknown) => boolean) {
    this.#isSilence = isSilence;
  }

  /**
   * Runs an attempt, and returns or throws what it does.
   * @throws {DependencyError} `unavailable` at once, while nothing is tried.
   */
  async run<T>(attempt: () => Promise<T>): Promise<T> {
    const isTrial = this.#failures >= FAILURES;
    if (isTrial && (this.#trying || performance.now() < this.#openUntil)) throw refusal();
    if (isTrial) this.#trying = true;
    try {
      const value = await attempt();
      this.#failures = 0;
      return value;
    } catch (error) {
      this.#failures = this.#isSilence(error) ? this.#failures + 1 : 0;
      this.#openUntil = performance.now() + OPEN_MS;
      throw error;
    } finally {
      if (isTrial) this.#trying = false;
    }
  }
}

function refusal(): DependencyError {
  const message = 'The file storage has not answered several times, and is not asked for a while.';
  return new DependencyError('files', 'unavailable', message, { retryAfter: Math.ceil(OPEN_MS / 1_000) });
}

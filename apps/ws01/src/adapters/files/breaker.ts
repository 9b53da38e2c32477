import { time } from '@ws01/asmx/time';
import { DependencyError } from '../../failure/dependency-error.ts';

/** Attempts without an answer in a row that open the breaker. */
const FAILURES = 3;

/** How long the breaker stays open; ms. */
const OPEN_MS = 5_000;

/**
 * A circuit breaker: keeps calls from waiting for a service that does not answer. After
 * {@link FAILURES} attempts in a row without an answer it rejects all attempts for {@link OPEN_MS}.
 * Then one attempt tests the service, and the others are still rejected until it succeeds.
 */
export class Breaker {
  readonly #isNoAnswer: (error: unknown) => boolean;
  #failures = 0;
  /** When the breaker closes; by `time.steady`. */
  #openUntil = 0;
  #trying = false;

  /**
   * @param isNoAnswer whether an error means that the service did not answer. Any other error
   *   counts as an answer.
   */
  constructor(isNoAnswer: (error: unknown) => boolean) {
    this.#isNoAnswer = isNoAnswer;
  }

  /**
   * Runs an attempt and returns its result or throws its error.
   * @throws {DependencyError} `unavailable` at once while the breaker is open.
   */
  async run<T>(attempt: () => Promise<T>): Promise<T> {
    const isTrial = this.#failures >= FAILURES;
    if (isTrial && (this.#trying || time.steady() < this.#openUntil)) throw refusal();
    if (isTrial) this.#trying = true;
    try {
      const value = await attempt();
      this.#failures = 0;
      return value;
    } catch (error) {
      this.#failures = this.#isNoAnswer(error) ? this.#failures + 1 : 0;
      this.#openUntil = time.steady() + OPEN_MS;
      throw error;
    } finally {
      if (isTrial) this.#trying = false;
    }
  }
}

function refusal(): DependencyError {
  const message = 'The file storage has not answered several times, and is not asked for a while.';
  return new DependencyError('files', 'unavailable', message, {
    retryAfter: Math.ceil(OPEN_MS / 1_000),
  });
}

import type { Phases } from './endpoint-options.ts';

export const NO_PHASES: Phases = { waitMs: 0, readMs: 0, authorizeMs: 0, invokeMs: 0, writeMs: 0 };

/** Tells how long each phase of a call takes; they follow one another. */
export class PhaseClock {
  /** When the call began, and when each phase that is over ended. */
  readonly #at: number[];

  /** @param started on the clock of `performance.now`. */
  constructor(started: number) {
    this.#at = [started];
  }

  /** The phase in progress has ended, or failed; the next one begins, if there is one. */
  next(): void {
    this.#at.push(performance.now());
  }

  phases(): Phases {
    return {
      waitMs: this.#lengthOf(0),
      readMs: this.#lengthOf(1),
      authorizeMs: this.#lengthOf(2),
      invokeMs: this.#lengthOf(3),
      writeMs: this.#lengthOf(4),
    };
  }

  #lengthOf(phase: number): number {
    return phase + 1 < this.#at.length ? this.#at[phase + 1]! - this.#at[phase]! : 0;
  }
}

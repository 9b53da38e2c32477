import type { Phases } from './endpoint-options.ts';

export const NO_PHASES: Phases = { waitMs: 0, readMs: 0, authorizeMs: 0, invokeMs: 0, writeMs: 0 };

const ORDER = ['waitMs', 'readMs', 'authorizeMs', 'invokeMs', 'writeMs'] as const;

/** Tells how long each phase of a call takes; they follow one another. */
export class PhaseClock {
  readonly #phases = { ...NO_PHASES };
  #since: number;
  #next = 0;

  /** @param started on the clock of `performance.now`. */
  constructor(started: number) {
    this.#since = started;
  }

  get phases(): Phases {
    return this.#phases;
  }

  /** A phase has ended; the next one begins. */
  end(phase: keyof Phases): void {
    const now = performance.now();
    this.#phases[phase] = now - this.#since;
    this.#since = now;
    this.#next = ORDER.indexOf(phase) + 1;
  }

  /** The phase in progress has failed. */
  endAny(): void {
    const phase = ORDER[this.#next];
    if (phase !== undefined) this.end(phase);
  }
}

import { warn } from './failures.ts';

/** Something that was opened for a request and must not outlive it. */
export interface Releasable {
  release(): void | Promise<void>;
}

/** What was opened for a request: the sinks of files and what waits for them. */
export class Held {
  readonly #opened: Releasable[] = [];

  add(opened: Releasable): void {
    this.#opened.push(opened);
  }

  get isEmpty(): boolean {
    return this.#opened.length === 0;
  }

  /** Releases all of it, in the order in which it was opened; what fails is told and keeps nothing else from it. */
  async release(): Promise<void> {
    for (const opened of this.#opened) {
      try {
        await opened.release();
      } catch (error) {
        warn(error);
      }
    }
  }
}

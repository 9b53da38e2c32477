import { warn } from './failures.ts';

/** Something that was opened for a request and must not outlive it. */
export interface Releasable {
  /** Nothing is wanted of it any more: what it waits for, it waits for no longer. {@link release} follows. Never throws. */
  abandon?(): void;
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

  /** What is in progress for the request is for nobody: memory that waits for a slow disk must not wait. */
  abandon(): void {
    for (const opened of this.#opened) opened.abandon?.();
  }

  /** Releases all of it, in the order in which it was opened; what fails is told and keeps nothing else from it. */
  async release(): Promise<void> {
    this.abandon();
    for (const opened of this.#opened) {
      try {
        await opened.release();
      } catch (error) {
        warn(error);
      }
    }
  }
}

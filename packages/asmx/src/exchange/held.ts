/** A resource that was opened for a request and must be released after it. */
export interface Releasable {
  /** Aborts: pending waits end. {@link release} follows. Never throws. */
  abandon?(): void;
  release(): void | Promise<void>;
}

/** The resources of a request: the sinks of files, and pending writes to them. */
export class Held {
  readonly #opened: Releasable[] = [];

  add(opened: Releasable): void {
    this.#opened.push(opened);
  }

  get isEmpty(): boolean {
    return this.#opened.length === 0;
  }

  /**
   * What is in progress for the request is for nobody: memory that waits for a slow disk must not
   * wait.
   */
  abandon(): void {
    for (const opened of this.#opened) opened.abandon?.();
  }

  /**
   * Releases all resources in the order in which they were opened; a failure is reported and does
   * not stop the others.
   */
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

/** Runs a callback that must not throw; if it does, the request is answered anyway. */
export function guarded<T>(promised: () => T): T | undefined {
  try {
    return promised();
  } catch (error) {
    warn(error);
    return undefined;
  }
}

/** Reports a callback that threw although it must not. */
function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}

/** Work that is done again and again until it is stopped. */
export interface Periodic {
  /** Waits for the work under way, does it a last time and never again. Rejects when the last time failed. */
  close(): Promise<void>;
}

/**
 * Does work every so often, each time after the last one has ended. It does not keep the process alive. A failure is
 * left to the next time: work that uses this keeps what it could not do.
 * @param every ms between the end of one time and the beginning of the next.
 */
export function periodically(every: number, work: () => Promise<void>): Periodic {
  let underWay: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const schedule = () => {
    timer = setTimeout(() => {
      underWay = work()
        .catch(() => {})
        .then(() => {
          if (timer !== undefined) schedule();
        });
    }, every).unref();
  };
  schedule();
  let closed: Promise<void> | undefined;
  return {
    close() {
      clearTimeout(timer);
      timer = undefined;
      closed ??= underWay.then(work);
      return closed;
    },
  };
}

/** Work that is done again and again until it is stopped. */
export interface Periodic {
  /** Resolves when the work in progress has ended; none begins any more. */
  stop(): Promise<void>;
}

/**
 * Does work every so often, each time after the last one has ended. It does not keep the process alive. A failure is
 * left to the next time: work that uses this keeps what it could not do.
 * @param every ms between the end of one time and the beginning of the next.
 * @param first ms until the first time.
 */
export function periodically(every: number, work: () => Promise<unknown>, first = every): Periodic {
  let underWay: Promise<void> = Promise.resolve();
  let stopped = false;
  let timer: NodeJS.Timeout;
  const schedule = (wait: number) => {
    timer = setTimeout(() => {
      underWay = work().then(next, next);
    }, wait).unref();
  };
  const next = () => {
    if (!stopped) schedule(every);
  };
  schedule(first);
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      return underWay;
    },
  };
}

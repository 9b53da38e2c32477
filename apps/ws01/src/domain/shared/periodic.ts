/** Work that is done again and again until it is stopped. */
export interface Periodic {
  /** Resolves when the work in progress has ended; none begins any more. */
  stop(): Promise<void>;
}

/**
 * Runs a job at intervals, never overlapping. It does not keep the process alive. A failure is ignored until the next
 * run.
 * @param every ms between the end of a run and the start of the next.
 * @param first ms until the first run.
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

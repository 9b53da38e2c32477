import { inBackground } from '../../store/in-background.ts';
import type { Store } from '../../store/store.ts';

/** Work that is done again and again until it is stopped. */
export interface Periodic {
  /** Aborts the work in progress and resolves when it has ended; no other begins. */
  stop(): Promise<void>;
}

/**
 * Runs a job at intervals, never overlapping. It does not keep the process alive. A failure is
 * ignored until the next run.
 * @param every ms between the end of a run and the start of the next.
 * @param work gets a signal that is aborted at the stop. Long work looks at it between its steps,
 *   so that the stop waits for one of them; see `inBackground` of the store.
 * @param first ms until the first run.
 */
export function periodically(
  every: number,
  work: (stopping: AbortSignal) => Promise<unknown>,
  first = every,
): Periodic {
  let underWay: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  let timer: NodeJS.Timeout;
  const schedule = (wait: number) => {
    timer = setTimeout(() => {
      underWay = work(stopping.signal).then(next, next);
    }, wait).unref();
  };
  const next = () => {
    if (!stopping.signal.aborted) schedule(every);
  };
  schedule(first);
  return {
    stop() {
      stopping.abort();
      clearTimeout(timer);
      return underWay;
    },
  };
}

/**
 * Work of many writes at intervals, in which the calls of others have their turn.
 * @param onFailure gets a failure, but not the end of the work by a stop; the work goes on at the
 *   next interval.
 */
export function writesInBackground(
  store: Store,
  { first, every }: { readonly first: number; readonly every: number },
  work: (store: Store) => Promise<void>,
  onFailure: (error: unknown) => void,
): Periodic {
  const run = async (stopping: AbortSignal) => {
    try {
      await work(inBackground(store, stopping));
    } catch (error) {
      if (error !== stopping.reason) onFailure(error);
    }
  };
  return periodically(every, run, first);
}

/** Work that is done soon after it was asked for, however often that is. */
export interface Coalesced {
  /** Asks for a run that begins after this call. Never waits and never fails. */
  wake(): void;
  /** Resolves when the run in progress has ended; none begins any more. */
  stop(): Promise<void>;
}

/**
 * Runs a job at once when it is asked for. Requests during a run, and in a pause after it, share the next run. It does
 * not keep the process alive. A failure is ignored until the next request.
 * @param pause ms between the end of a run and the start of the next.
 */
export function coalesced(pause: number, work: () => Promise<unknown>): Coalesced {
  let underWay: Promise<unknown> = Promise.resolve();
  let idle = true;
  let asked = false;
  let stopped = false;
  let resting: NodeJS.Timeout | undefined;
  const run = () => {
    idle = false;
    asked = false;
    underWay = work().then(rest, rest);
  };
  const rest = () => {
    resting = setTimeout(() => {
      idle = true;
      if (asked && !stopped) run();
    }, pause).unref();
  };
  return {
    wake() {
      asked = true;
      if (idle && !stopped) run();
    },
    async stop() {
      stopped = true;
      await underWay;
      clearTimeout(resting);
    },
  };
}

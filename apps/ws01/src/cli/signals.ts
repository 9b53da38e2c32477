import { CommandFailure } from './failure.ts';

/** Exit codes of a process that was ended by a signal. */
const SIGNALS = { SIGTERM: 143, SIGINT: 130 } as const;

/**
 * Calls back at each SIGHUP, which then does not end the process: logrotate and service managers
 * send it to reload settings. At a terminal it means that the terminal has closed, and still ends
 * the process.
 */
export function onHangUp(reload: () => void): void {
  if (!process.stdin.isTTY && !process.stderr.isTTY) process.on('SIGHUP', reload);
}

/**
 * A repeated signal within this time is the same one: Ctrl-C reaches npm and the service, and npm
 * passes it on; ms.
 */
const ECHO_MS = 1_000;

/** Resolves at the first signal to stop. A second one ends the process at once. */
export function firstSignal(): Promise<keyof typeof SIGNALS> {
  const { promise, resolve } = Promise.withResolvers<keyof typeof SIGNALS>();
  let since: number | undefined;
  for (const [signal, exitCode] of Object.entries(SIGNALS) as [keyof typeof SIGNALS, number][]) {
    process.on(signal, () => {
      const now = performance.now();
      since ??= now;
      if (now - since > ECHO_MS) {
        process.exit(exitCode);
      }
      resolve(signal);
    });
  }
  return promise;
}

/**
 * What the first signal to stop aborts.
 * @param said why what was begun fails; absent: it ends as it is.
 */
export function stopSignal(said?: string): AbortSignal {
  const stop = new AbortController();
  firstSignal().then(() => stop.abort(said === undefined ? undefined : new CommandFailure(said)));
  return stop.signal;
}

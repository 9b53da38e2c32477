/** Exit codes of a process that a signal ends. */
const SIGNALS = { SIGTERM: 143, SIGINT: 130 } as const;

/**
 * Calls back at each SIGHUP from now on, which then does not end the process: logrotate and service managers send it to
 * have settings read again. At a terminal it says that the terminal is gone, and stays what it is.
 */
export function onHangUp(reload: () => void): void {
  if (!process.stdin.isTTY && !process.stderr.isTTY) process.on('SIGHUP', reload);
}

/** A signal that comes again so soon is the same one: Ctrl-C reaches npm and the service, and npm passes it on. Ms. */
const ECHO_MS = 1_000;

/** The first request to stop. From then on a second one ends the process at once. */
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

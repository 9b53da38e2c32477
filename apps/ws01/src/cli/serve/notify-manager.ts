import { spawn } from 'node:child_process';
import type { Logger } from 'pino';
import type { ServiceManager } from '../../config/environment.ts';

/**
 * Reports the state of the service to systemd (sd_notify(3)). Node cannot send datagrams to a
 * socket of the file system, so systemd's own program does; hence `NotifyAccess=all` in the unit.
 */
export interface NotifyManager {
  ready(status?: string): void;
  reloading(): void;
  /** Stops the watchdog messages. */
  stopping(): void;
}

const PROGRAM = 'systemd-notify';

/** Sends nothing if there is no manager. */
export function notifyManager({ listens, watchdogMs }: ServiceManager, log: Logger): NotifyManager {
  if (!listens) return { ready() {}, reloading() {}, stopping() {} };
  let failed = false;
  const tell = (...assignments: string[]) => {
    // Not with --no-block: it waits until systemd has read the message. One of a process that has
    // ended is of no unit to systemd, which drops it; the start of the unit then times out (seen on
    // a busy machine, systemd 252).
    const child = spawn(PROGRAM, assignments, { stdio: 'ignore' });
    child.unref();
    child.on('error', ({ message }) => {
      if (!failed)
        log.warn(
          { reason: message },
          'the state of the service cannot be reported to the service manager',
        );
      failed = true;
    });
  };
  // A process whose event loop is blocked does not get here, so its watchdog messages stop, too.
  const watchdog =
    watchdogMs === undefined
      ? undefined
      : setInterval(() => tell('WATCHDOG=1'), watchdogMs / 2).unref();
  return {
    ready: (status) => tell('READY=1', ...(status === undefined ? [] : [`STATUS=${status}`])),
    reloading: () => tell('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1_000n}`),
    stopping() {
      clearInterval(watchdog);
      tell('STOPPING=1');
    },
  };
}

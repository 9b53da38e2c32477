import { spawn } from 'node:child_process';
import type { Logger } from 'pino';
import type { ServiceManager } from '../../config/environment.ts';

/**
 * Tells systemd how the service is (sd_notify(3)). The protocol is a datagram to a socket of the file system, which Node
 * cannot send; systemd's own program does. Hence `NotifyAccess=all` in the unit.
 */
export interface NotifyManager {
  ready(status?: string): void;
  reloading(): void;
  /** From then on the manager is not told any more that the service lives. */
  stopping(): void;
}

const PROGRAM = 'systemd-notify';

/** Tells nobody where nobody listens. */
export function notifyManager({ listens, watchdogMs }: ServiceManager, log: Logger): NotifyManager {
  if (!listens) return { ready() {}, reloading() {}, stopping() {} };
  let failed = false;
  const tell = (...assignments: string[]) => {
    const child = spawn(PROGRAM, ['--no-block', ...assignments], { stdio: 'ignore' });
    child.on('error', ({ message }) => {
      if (!failed) log.warn({ reason: message }, 'the state of the service cannot be reported to the service manager');
      failed = true;
    });
  };
  // A process that does not get to this has stopped to answer calls, too.
  const watchdog = watchdogMs === undefined ? undefined : setInterval(() => tell('WATCHDOG=1'), watchdogMs / 2).unref();
  return {
    ready: (status) => tell('READY=1', ...(status === undefined ? [] : [`STATUS=${status}`])),
    reloading: () => tell('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1_000n}`),
    stopping() {
      clearInterval(watchdog);
      tell('STOPPING=1');
    },
  };
}

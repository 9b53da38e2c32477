import type { Logger } from 'pino';
import { type Config, keptDays } from '../config/config.ts';
import { startHousekeeping } from '../domain/housekeeping.ts';
import { type SweepDeps, sweepFiles } from '../domain/images/sweep.ts';
import { keepTime } from '../domain/shared/known-time.ts';
import { periodically } from '../domain/shared/periodic.ts';
import type { SteadyClock } from '../domain/shared/steady-clock.ts';
import { startBackups } from './backups.ts';
import { checkForDamage } from './damage.ts';
import type { Outgoing } from './outgoing.ts';

/** How often files are looked for that no record has; ms. Only a crash leaves any. */
const SWEEP_EVERY_MS = 6 * 60 * 60 * 1000;

/** And how soon after a start, which may follow a crash; ms. */
const SWEEP_FIRST_MS = 5_000;

interface DutyDeps extends SweepDeps {
  readonly config: Config;
  readonly clock: SteadyClock;
  readonly log: Logger;
  readonly outgoing: Outgoing;
}

/**
 * What the service does besides answering calls, and what one process does for all on a machine: to send, and to remove
 * what has had its time. It would be right, if wasteful, on several: messages have leases, and removals can be repeated.
 */
export class Duties {
  readonly #deps: DutyDeps;
  #running: readonly { stop(): Promise<void> }[] = [];
  #stopped = false;

  constructor(deps: DutyDeps) {
    this.#deps = deps;
  }

  /** Begins, unless it is too late. */
  start(): void {
    if (this.#stopped) return;
    const { config, store, files, clock, log, outgoing } = this.#deps;
    outgoing.start();
    const housekeeping = startHousekeeping({
      store,
      clock,
      kept: keptDays(config),
      onFailure: (error) => log.error({ err: error }, 'could not remove what has had its time'),
    });
    const sweep = async () => {
      const removed = await sweepFiles({ store, files }, clock());
      if (removed > 0) log.info({ removed }, 'files without a record were removed');
    };
    const sweeping = periodically(SWEEP_EVERY_MS, sweep, SWEEP_FIRST_MS);
    this.#running = [
      outgoing,
      housekeeping,
      sweeping,
      keepTime(store, clock),
      checkForDamage(config, log),
      startBackups({ config, store, clock, log }),
    ];
  }

  /** Resolves when everything in progress has ended or is given back. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const one of this.#running) await one.stop();
  }
}

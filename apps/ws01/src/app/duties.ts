import { DAY_MS, HOUR_MS, MINUTE_MS } from '@ws01/asmx/time';
import type { Logger } from 'pino';
import { type Config, retentionDays } from '../config/config.ts';
import { startAdvertIndexing } from '../domain/adverts/search-index.ts';
import { startHousekeeping } from '../domain/housekeeping.ts';
import type { SweepDeps } from '../domain/images/sweep.ts';
import { HOLD_REMEDY, PurgeClock } from '../domain/retention/purge-clock.ts';
import { startRecordIndexing } from '../domain/search/indexing.ts';
import { startRefolding } from '../domain/search-folding.ts';
import { keepTime } from '../domain/shared/known-time.ts';
import { type Periodic, periodically } from '../domain/shared/periodic.ts';
import type { SteadyClock } from '../domain/shared/steady-clock.ts';
import { startBackups } from './backups.ts';
import { checkForDamage } from './damage.ts';
import { startNoticeMailbox } from './mail-door.ts';
import type { Outgoing } from './outgoing.ts';
import { createSweeping } from './sweeping.ts';

/** Interval of the sweep of files without a record; ms. Only a crash leaves such files. */
const SWEEP_EVERY_MS = 6 * HOUR_MS;

/**
 * Delay of the first sweep after a start: time for an operator to see that something is wrong; ms.
 */
const SWEEP_FIRST_MS = 3 * HOUR_MS;

/** How often it is looked whether the files may be swept, and how long after a start first; ms. */
const LOOK_EVERY_MS = 10 * MINUTE_MS;
const LOOK_FIRST_MS = 1_000;

interface DutyDeps extends SweepDeps {
  readonly config: Config;
  readonly clock: SteadyClock;
  readonly log: Logger;
  readonly outgoing: Outgoing;
}

/**
 * The background work: sending messages and purging. On each machine one process does it, the
 * leader. Several at once would be correct but wasteful: messages have leases, and purges can be
 * repeated.
 */
export class Duties {
  readonly #deps: DutyDeps;
  #running: readonly { stop(): Promise<void> }[] = [];
  #time: Periodic | undefined;
  #stopped = false;

  constructor(deps: DutyDeps) {
    this.#deps = deps;
  }

  /** Starts the work, unless {@link stop} was called before. */
  start(): void {
    if (this.#stopped) return;
    const { config, store, files, clock, log, outgoing } = this.#deps;
    outgoing.start();
    const purgeClock = new PurgeClock({
      ...{ store, clock, wall: Date.now, steady: () => performance.now() },
      onHold: (unexplained) =>
        log.error(
          { days: Math.round(unexplained / DAY_MS) },
          `nothing is purged: the clock has moved by days more than time has passed for this service; ${HOLD_REMEDY}`,
        ),
    });
    // Purges need a trusted time, so it is tracked from the start, even if this process ends soon.
    purgeClock.look().catch(() => {});
    const housekeeping = startHousekeeping({
      store,
      purgeClock,
      get kept() {
        return retentionDays(config);
      },
      onFailure: (error) => log.error({ err: error }, 'could not delete expired data'),
    });
    const { look, sweep } = createSweeping({ store, files, clock }, purgeClock, log);
    this.#time = keepTime(store, clock);
    this.#running = [
      outgoing,
      housekeeping,
      periodically(LOOK_EVERY_MS, look, LOOK_FIRST_MS),
      periodically(SWEEP_EVERY_MS, sweep, SWEEP_FIRST_MS),
      startAdvertIndexing({
        store,
        onIndexed: (owner, adverts) =>
          log.info({ owner, adverts }, 'adverts were indexed for searches'),
        onFailure: (error) => log.error({ err: error }, 'could not index adverts for searches'),
      }),
      startRecordIndexing({
        store,
        onProgress: (records, left) =>
          log.info({ records, left }, 'records were indexed for searches by words'),
        onFailure: (error) => log.error({ err: error }, 'could not index records for searches'),
      }),
      startRefolding(store, (error) =>
        log.error({ err: error }, 'could not fold the texts for searches again'),
      ),
      ...startNoticeMailbox({ config, store, clock, log }),
      checkForDamage(config, log),
      startBackups({ config, store, clock, log }),
    ];
  }

  /**
   * Ends all work at once, so that none goes on while another is waited for. Resolves when what was
   * in progress has ended or was given back.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running.map((one) => one.stop()));
    // Messages that were given back depend on it.
    await this.#time?.stop();
  }
}

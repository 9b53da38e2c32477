import type { Logger } from 'pino';
import { lookBeforeSweep, type SweepDeps, Sweeper } from '../domain/images/sweep.ts';
import { type Doubt, doubtText } from '../domain/retention/absence.ts';
import type { PurgeClock } from '../domain/retention/purge-clock.ts';

/** The jobs that concern files without a record. */
interface Sweeping {
  /** Looks whether they may be swept, and tells why not. */
  readonly look: (stopping: AbortSignal) => Promise<void>;
  readonly sweep: (stopping: AbortSignal) => Promise<void>;
}

/** Creates the jobs. Each reason for not sweeping is logged once, until it has gone. */
export function createSweeping(deps: SweepDeps, purgeClock: PurgeClock, log: Logger): Sweeping {
  const sweeper = new Sweeper(deps, () => performance.now());
  let told: Doubt | undefined;
  const tell = (doubt: Doubt | undefined, found: object) => {
    if (doubt !== undefined && doubt !== told) log.error(found, doubtText(doubt));
    told = doubt;
  };
  return {
    async look(stopping) {
      const doubt = await lookBeforeSweep(deps, stopping);
      // Only a sweep shows that there are no longer many.
      if (doubt !== undefined || told !== 'many') tell(doubt, {});
    },
    async sweep(stopping) {
      // A clock that is not trusted is no reason to purge.
      if ((await purgeClock.look()) === undefined) return;
      const result = await sweeper.sweep(stopping);
      if (result === undefined) return;
      const { files, orphans, removed, trashed, putBack, doubt } = result;
      tell(doubt, doubt === 'many' ? { files, orphans } : {});
      if (removed > 0)
        log.info({ removed }, 'files of deleted images and of unfinished uploads were removed');
      if (trashed > 0)
        log.warn(
          { trashed },
          'files without a record were moved to the trash; see ws01 files trash',
        );
      if (putBack > 0) log.warn({ putBack }, 'files in the trash have a record and were put back');
    },
  };
}

import { Command } from 'commander';
import { retentionDays } from '../config/config.ts';
import { trustClock } from '../domain/retention/purge-clock.ts';
import { type Purge, purgesOf } from '../domain/retention/retention.ts';
import { untilAborted } from '../store/in-background.ts';
import { readWithoutTimeout } from '../store/read-without-timeout.ts';
import type { Store } from '../store/store.ts';
import { UsageFailure } from './failure.ts';
import { assertClockBelieved } from './io/believed-clock.ts';
import { changedConfig } from './io/changed-config.ts';
import { withJson } from './io/options.ts';
import { print, printJson, remark } from './io/output.ts';
import { createProgress, shownDuration } from './io/progress.ts';
import { withStore } from './io/session.ts';
import { table } from './io/table.ts';
import { stopSignal } from './signals.ts';

interface Options {
  readonly dryRun?: true;
  readonly only?: readonly string[];
  readonly json?: true;
  readonly trustClock?: true;
}

/** Interval of the progress line; ms. */
const TICK_MS = 1_000;

const STOPPED =
  'Stopped; what was deleted stays deleted. The service deletes the rest, or ws01 purge.';

export function purgeCommand(): Command {
  return withJson(
    new Command('purge')
      .description(
        'Delete data whose retention period is over now, without waiting for the service to do it',
      )
      .option('--dry-run', 'only count what would be deleted')
      .option('--only <names>', 'only these, separated by commas', (text) =>
        text.split(',').map((name) => name.trim()),
      )
      .option(
        '--trust-clock',
        'confirm that the clock is right, after the service has stopped purging because of it',
      ),
    `Settings such as AUDIT_KEPT_DAYS say how long each kind of data is kept; see docs/operations/retention.md. The service purges every ten minutes, in small steps. Visits are not deleted but summed by month; mails that wait for a mail server too long are cancelled. While the clock is more than a day ahead of the time that has passed, nothing is purged: see --trust-clock.

Examples:
  ws01 purge --dry-run
  ws01 purge --only audit,revisions`,
  ).action((options: Options) =>
    withStore(async (store, config) => {
      const live = await store.read((db) => changedConfig(config, db));
      const purges = chosen(purgesOf(retentionDays(live)), options.only);
      if (options.trustClock && (await trustClock(store, Date.now())))
        remark('The clock is trusted again.');
      if (!options.dryRun) await assertClockBelieved(store);
      const done = await runAll(purges, store, options);
      if (options.json) return printJson({ dryRun: options.dryRun === true, purged: done });
      const headings = ['WHAT', 'KEPT FOR', options.dryRun ? 'WOULD GO' : 'GONE'];
      await print(
        table(
          headings,
          done.map(({ name, days, rows }) => [name, `${days} days`, String(rows)]),
        ),
      );
      for (const { name, tables = [] } of done) {
        if (tables.length > 0) remark(`${name}: ${tables.join(', ')} would be dropped whole.`);
      }
      if (options.dryRun) remark('Nothing was done.');
    }),
  );
}

interface Done {
  readonly name: string;
  readonly days: number;
  readonly rows: number;
  readonly tables?: readonly string[];
}

/**
 * Runs or counts purges one after another. While it takes longer than a second, shows which and how
 * long.
 */
async function runAll(
  purges: readonly Purge[],
  store: Store,
  { dryRun }: Options,
): Promise<readonly Done[]> {
  const stoppable = dryRun ? store : untilAborted(store, stopSignal(STOPPED));
  const progress = createProgress();
  const began = performance.now();
  const done: Done[] = [];
  const ticking = setInterval(() => {
    const passed = shownDuration((performance.now() - began) / 1000);
    progress.show(
      `${purges[done.length]?.name}, ${done.length + 1} of ${purges.length} kinds, ${passed}`,
      false,
    );
  }, TICK_MS);
  try {
    for (const { name, days, count, run } of purges) {
      const now = Date.now();
      const doomed = dryRun ? await readWithoutTimeout(store, (db) => count(db, now)) : undefined;
      const rows = doomed?.rows ?? (await run(stoppable, now));
      const tables = doomed?.tables.length ? { tables: doomed.tables } : {};
      done.push({ name, days, rows, ...tables });
    }
    return done;
  } finally {
    clearInterval(ticking);
    progress.end();
  }
}

function chosen(purges: readonly Purge[], only: readonly string[] | undefined): readonly Purge[] {
  const unknown = only?.find((name) => !purges.some((purge) => purge.name === name));
  if (unknown !== undefined) {
    const names = purges.map(({ name }) => name).join(', ');
    throw new UsageFailure(`Unknown kind ${unknown}. The kinds are ${names}.`);
  }
  return only === undefined ? purges : purges.filter(({ name }) => only.includes(name));
}

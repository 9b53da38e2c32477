import { Command } from 'commander';
import { retentionDays } from '../config/config.ts';
import { HOLD_REMEDY, PurgeClock, trustClock } from '../domain/retention/purge-clock.ts';
import { type Purge, purgesOf } from '../domain/retention/retention.ts';
import { readWithoutTimeout } from '../store/read-without-timeout.ts';
import type { Store } from '../store/store.ts';
import { CommandFailure } from './failure.ts';
import { print, printJson, remark } from './io/output.ts';
import { withStore } from './io/session.ts';
import { table } from './io/table.ts';

interface Options {
  readonly dryRun?: true;
  readonly only?: readonly string[];
  readonly json?: true;
  readonly trustClock?: true;
}

export function purgeCommand(): Command {
  return new Command('purge')
    .description('Delete data whose retention period is over now, without waiting for the service to do it')
    .option('--dry-run', 'only count what would be deleted')
    .option('--only <names>', 'only these, separated by commas', (text) => text.split(',').map((name) => name.trim()))
    .option('--trust-clock', 'confirm that the clock is right, after the service has stopped purging because of it')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Settings such as AUDIT_KEPT_DAYS say how long each kind of data is kept; see docs/operations/retention.md. The service purges every ten minutes, in small steps. Visits are not deleted but summed by month; mails that wait for a mail server too long are cancelled. While the clock is more than a day ahead of the time that has passed, nothing is purged: see --trust-clock.

Examples:
  ws01 purge --dry-run
  ws01 purge --only audit,revisions`,
    )
    .action((options: Options) =>
      withStore(async (store, config) => {
        const purges = chosen(purgesOf(retentionDays(config)), options.only);
        if (options.trustClock && (await trustClock(store, Date.now()))) remark('The clock is trusted again.');
        if (!options.dryRun) await assertBelieved(store);
        const done: { name: string; days: number; rows: number; tables?: readonly string[] }[] = [];
        for (const { name, days, count, run } of purges) {
          const now = Date.now();
          const doomed = options.dryRun ? await readWithoutTimeout(store, (db) => count(db, now)) : undefined;
          const rows = doomed?.rows ?? (await run(store, now));
          const tables = doomed?.tables.length ? { tables: doomed.tables } : {};
          done.push({ name, days, rows, ...tables });
        }
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

/** @throws {CommandFailure} when the clock is days ahead of the time that has passed, as far as is known. */
async function assertBelieved(store: Store): Promise<void> {
  const steady = () => performance.now();
  const now = await new PurgeClock({ store, clock: Date.now, wall: Date.now, steady }).look();
  if (now === undefined) throw new CommandFailure(`Nothing was purged: the clock is not believed; ${HOLD_REMEDY}.`);
}

function chosen(purges: readonly Purge[], only: readonly string[] | undefined): readonly Purge[] {
  const unknown = only?.find((name) => !purges.some((purge) => purge.name === name));
  if (unknown !== undefined) {
    const names = purges.map(({ name }) => name).join(', ');
    throw new CommandFailure(`Unknown kind ${unknown}. The kinds are ${names}.`, { exitCode: 2 });
  }
  return only === undefined ? purges : purges.filter(({ name }) => only.includes(name));
}

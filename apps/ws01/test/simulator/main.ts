/**
 * `npm run simulate -- --days N --seed S`: lives through N simulated days with the real store, outbox, budgets and codes
 * while clocks, network and database fail, and checks every promise. The same seed makes the same days.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BrokenPromise, simulate, WORLD_DAYS } from './simulate.ts';
import { addTally, describeTally, newTally, type Tally } from './tally.ts';

const HELP = `npm run simulate -- [--days N] [--seed S] [--progress FILE]

Lives through N simulated days (1000) from the seed S (1): the real store, outbox, budgets and codes, while clocks, network
and database fail. Each seed lives ${WORLD_DAYS} days; the next ones count on. Prints how many calls, checks and faults there were.
Ends with 1 when a promise was broken, and prints the command that shows it again.

  --progress FILE  keeps in FILE what has been done, and goes on from there when it is run again; a broken promise is noted
                   there, and the next seed follows
`;

/** What has been done so far. */
interface Progress {
  nextSeed: number;
  readonly tally: Tally;
  /** The promises that were broken, each with the command that shows it. */
  readonly broken: string[];
}

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    progress: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const days = Number(values.days);
const seed = Number(values.seed);
if (values.help) process.stdout.write(HELP);
else if (!(Number.isSafeInteger(days) && days > 0 && Number.isSafeInteger(seed) && seed >= 0)) {
  process.stderr.write(
    'simulate: --days and --seed take whole numbers, such as --days 1000 --seed 1\n',
  );
  process.exitCode = 2;
} else {
  await run(values.progress);
}

async function run(file: string | undefined): Promise<void> {
  const done = readProgress(file);
  let told = done.tally.days;
  while (done.tally.days < days) {
    try {
      await simulate(days - done.tally.days, done.nextSeed, (tally, world) => {
        addTally(done.tally, tally);
        done.nextSeed = world + 1;
        keep(file, done);
        if (done.tally.days - told < 1_000 && done.tally.days < days) return;
        told = done.tally.days;
        const { user, system } = process.cpuUsage();
        process.stdout.write(`${told} days, ${Math.round((user + system) / 1e6)} s of CPU\n`);
      });
    } catch (error) {
      if (!(error instanceof BrokenPromise)) throw error;
      done.broken.push(error.message);
      process.stderr.write(`simulate: ${error.message}\n`);
      done.nextSeed = error.seed + 1;
      keep(file, done);
      if (file === undefined) break;
    }
  }
  process.stdout.write(describeTally(done.tally));
  process.stdout.write(
    done.broken.length === 0
      ? `seeds ${seed} to ${done.nextSeed - 1}: every promise kept\n`
      : `seeds ${seed} to ${done.nextSeed - 1}: ${done.broken.length} broken\n`,
  );
  if (done.broken.length > 0) process.exitCode = 1;
}

function readProgress(file: string | undefined): Progress {
  if (file === undefined || !existsSync(file))
    return { nextSeed: seed, tally: newTally(), broken: [] };
  return JSON.parse(readFileSync(file, 'utf8')) as Progress;
}

function keep(file: string | undefined, done: Progress): void {
  if (file === undefined) return;
  writeFileSync(`${file}.new`, `${JSON.stringify(done, undefined, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/**
 * `npm run simulate -- --days N --seed S`: lives through N simulated days with the real store, outbox, budgets and codes
 * while clocks, network and database fail, and checks every promise. The same seed makes the same days.
 */
import { parseArgs } from 'node:util';
import { BrokenPromise, simulate } from './simulate.ts';

const HELP = `npm run simulate -- [--days N] [--seed S]

Lives through N simulated days (1000) from the seed S (1): the real store, outbox, budgets and codes, while clocks, network
and database fail. Ends with 1 when a promise was broken, and prints the command that shows it again.
`;

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
const days = Number(values.days);
const seed = Number(values.seed);
if (values.help) process.stdout.write(HELP);
else if (!(Number.isSafeInteger(days) && days > 0 && Number.isSafeInteger(seed) && seed >= 0)) {
  process.stderr.write('simulate: --days and --seed take whole numbers, such as --days 1000 --seed 1\n');
  process.exitCode = 2;
} else {
  try {
    let told = 0;
    await simulate(days, seed, (done) => {
      if (done - told < 1_000 && done < days) return;
      told = done;
      const { user, system } = process.cpuUsage();
      process.stdout.write(`${done} days, ${Math.round((user + system) / 1e6)} s of CPU\n`);
    });
    process.stdout.write(`${days} days from seed ${seed}: every promise kept\n`);
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    process.stderr.write(`simulate: ${error.message}\n`);
    process.exitCode = 1;
  }
}

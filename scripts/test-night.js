/**
 * `npm run test:night`: everything that finds faults, one after the other: all tests on both engines with all random cases,
 * simulated days, minutes of fuzzing, mutants, and the system tests whose programs are there. With arguments (patterns,
 * `--name`) only the tests, as `npm run test:run` takes them. Other random cases each day; `SEED` says which.
 */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const DAY_MS = 86_400_000;
const SIMULATED_DAYS = '10000';
const MUTANTS_OF_EACH_AREA = '20';
const MINUTES = '1';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const seed = process.env.SEED ?? String(Math.floor(Date.now() / DAY_MS));
const args = process.argv.slice(2);
const tests = ['tests', ['scripts/test.js', 'night', ...args]];
const parts = args.length > 0 ? [tests] : [tests, ...others()];
const red = parts.filter(([name, part]) => !runs(name, part));
for (const [name, part] of red)
  process.stdout.write(`✖ ${name}; to see it again: node ${part.join(' ')}\n`);
process.exitCode = red.length === 0 ? 0 : 1;

function others() {
  const source = '--conditions=ws01-source';
  const found = spawnSync(process.execPath, ['scripts/test-system.js', '--found'], {
    encoding: 'utf8',
  }).stdout;
  return [
    [
      'simulator',
      [source, 'apps/ws01/test/simulator/main.ts', '--days', SIMULATED_DAYS, '--seed', seed],
    ],
    ['fuzzing', [source, 'fuzz/main.ts', 'all', '--minutes', MINUTES, '--seed', seed]],
    ['mutants', ['scripts/mutants.ts', '--count', MUTANTS_OF_EACH_AREA, '--seed', seed]],
    ...found
      .split('\n')
      .filter((name) => name !== '')
      .map((name) => [`system: ${name}`, ['scripts/test-system.js', name, '--minutes', MINUTES]]),
  ];
}

function runs(name, part) {
  process.stdout.write(`── ${name} (seed ${seed})\n`);
  return spawnSync(process.execPath, part, { stdio: 'inherit' }).status === 0;
}

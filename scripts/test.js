/**
 * The test lanes: `npm run test:run`, `npm run test:fast`, `npm run test:faults`, each with `-- PATTERN…` for the files
 * whose path contains one of the patterns.
 *
 * `fast` leaves out what kills processes, copies the whole tree and runs benches; `faults` is what kills processes. A test that takes longer than its limit fails by name instead of holding up the run.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The longest that a test, or all of a file, may take; ms. The longest file kills services for two minutes. */
const TEST_TIMEOUT_MS = 600_000;

const SLOW = /\/test\/(faults|cluster|bench|house)\//;

/** What a lane holds of all test files. */
const LANES = {
  all: () => true,
  fast: (file) => !SLOW.test(file),
  faults: (file) => /\/test\/(faults|cluster)\//.test(file),
};

const [lane = 'all', ...patterns] = process.argv.slice(2);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const holds = LANES[lane];
if (holds === undefined) fail(`${lane} is no lane; there are ${Object.keys(LANES).join(', ')}`);

const files = globSync(['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'], { cwd: root })
  .sort()
  .filter((file) => holds(file) && (patterns.length === 0 || patterns.some((pattern) => file.includes(pattern))));
if (files.length === 0) fail(`no test file of the lane ${lane} has ${patterns.join(' or ')} in its path`);

const reporters = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
const summary = [`--test-reporter=${join(root, 'scripts/slowest-files.js')}`, '--test-reporter-destination=stdout'];
const { status } = spawnSync(
  process.execPath,
  ['--conditions=ws01-source', '--test', `--test-timeout=${TEST_TIMEOUT_MS}`, ...reporters, ...summary, ...files],
  { stdio: 'inherit', cwd: root },
);
process.exitCode = status ?? 1;

function fail(reason) {
  process.stderr.write(`test: ${reason}\n`);
  process.exit(2);
}

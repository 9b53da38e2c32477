/**
 * The test lanes: `npm run test:run`, `npm run test:fast`, `npm run test:faults`, each with `-- PATTERN…` for the files
 * whose path contains one of the patterns.
 *
 * `fast` is for before each commit, two minutes on two free cores: the engine, and of the service the rooms that an operation
 * lives in, on SQLite, with a tenth of the random cases. A file that starts processes (a service beside, a command, a
 * browser, a database server) is not in it, wherever it stands. `faults` is what kills processes.
 *
 * Each file is a process group of its own, one more at once than there are processors, as many of them wait for much of
 * their time. A file that does not end in time is killed and fails by name: `node --test` waits for ever for a process that
 * cannot exit.
 */
import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeCachedBundles } from './bundles.js';

/** The longest that one test may take; ms. */
const TEST_TIMEOUT_MS = 300_000;
/** The longest that a file may take; ms. The longest kills services for two minutes on an idle machine. */
const FILE_TIMEOUT_MS = 600_000;
/** More files at once only take the processors from each other. */
const MAX_AT_ONCE = 4;
const SLOWEST_SHOWN = 10;
/** Of a failing file's reasons, at the end of the report. */
const REASON_LINES = 20;
/** UTF-16 code units of a line. */
const REASON_LENGTH = 200;
/** Random cases where a test has more. */
const FEWER = { RUNS: '1000' };

const SLOW = /\/test\/(faults|cluster|bench|house)\//;
const FAST = /^packages\/asmx\/|^apps\/ws01\/test\/(adapters|config|contract|describe|domain|failure|store|wire)\//;
/** What starts a process, by the modules that a test needs for it; images are decoded in processes. */
const STARTS_PROCESS = /from '(node:child_process|playwright-core|typescript|sharp|[./]+\/kit\/images\/\w+\.ts)'/;
/** Only what asks for PostgreSQL by its name starts its server; `forEachEngine` does not in the fast lane. */
const SHARED_SERVER = /\/kit\/(shared-postgres|postgres-server)\.ts$/;
const ASKS_POSTGRES = /Database\('postgres'|startPostgresServer/;

/** What a lane holds of all test files. */
const LANES = {
  all: () => true,
  fast: (file) => FAST.test(file) && !startsProcess(file) && !ASKS_POSTGRES.test(readFileSync(file, 'utf8')),
  faults: (file) => /\/test\/(faults|cluster)\//.test(file),
};

const [lane = 'all', ...patterns] = process.argv.slice(2);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
/** Where `bin/ws01.js` keeps what Node made of the sources, too: reading them anew takes each file a second. */
const COMPILED = join(root, 'node_modules', '.cache', 'compile');
const BUNDLES = pathToFileURL(join(root, 'scripts', 'use-bundles.js')).href;
const holds = LANES[lane];
if (holds === undefined) fail(`${lane} is no lane; there are ${Object.keys(LANES).join(', ')}`);

const files = globSync(['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'], { cwd: root })
  .sort()
  .filter((file) => holds(file) && (patterns.length === 0 || patterns.some((pattern) => file.includes(pattern))));
if (files.length === 0) fail(`no test file of the lane ${lane} has ${patterns.join(' or ')} in its path`);

// The slow ones first, so that none of them is left to run alone at the end.
const waiting = [...files.filter((file) => SLOW.test(file)), ...files.filter((file) => !SLOW.test(file))];
const running = new Set();
const ended = [];
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of running) kill(child);
    process.exit(1);
  });
}
// Half the time of a start is finding the modules of libraries.
await makeCachedBundles().catch(({ message }) => process.stderr.write(`test: without bundles: ${message}\n`));
await Promise.all(Array.from({ length: Math.min(availableParallelism() + 1, MAX_AT_ONCE) }, work));
report();

async function work() {
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const result = await runFile(file);
    ended.push(result);
    process.stdout.write(`${result.output}\n`);
  }
}

/** Whether a test file, or what it imports of the tests, starts processes. */
function startsProcess(file, seen = new Set()) {
  if (seen.has(file) || SHARED_SERVER.test(file)) return false;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const imports = [...text.matchAll(/ from '(\.[^']+)'/g)].map(([, path]) => join(dirname(file), path));
  return (
    STARTS_PROCESS.test(text) ||
    imports.some((path) => path.includes('/test/') && existsSync(path) && startsProcess(path, seen))
  );
}

/** Runs one file to its end; what it printed comes out at once, so that files do not mix. */
function runFile(file) {
  const startedAt = performance.now();
  const args = [
    '--conditions=ws01-source',
    `--import=${BUNDLES}`,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    '--test-reporter=spec',
    file,
  ];
  const env = { NODE_COMPILE_CACHE: COMPILED, ...(lane === 'fast' ? FEWER : {}), ...process.env, TEST_LANE: lane };
  const child = spawn(process.execPath, args, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk) => {
      text += chunk;
    });
  }
  return new Promise((resolve) => {
    let late = false;
    const deadline = setTimeout(() => {
      late = true;
      kill(child);
    }, FILE_TIMEOUT_MS);
    // What a test left running holds the pipes open: it is ended with its group.
    child.on('exit', () => kill(child));
    child.on('close', (code) => {
      clearTimeout(deadline);
      running.delete(child);
      const counts = countsIn(text);
      const failed = code !== 0 && counts.fail + counts.cancelled === 0;
      if (failed) counts.fail++;
      const reason = late ? `did not end within ${FILE_TIMEOUT_MS / 1000} s and was killed` : `ended with ${code}`;
      const output = `${text.replace(/^ℹ .*\n?/gm, '').trimEnd()}${failed ? `\n✖ ${file} (${reason})` : ''}`;
      const reasons = code === 0 ? [] : failed ? [reason, ...reasonsIn(text)] : reasonsIn(text);
      resolve({ file, counts, output, failed: code !== 0, reasons, ms: performance.now() - startedAt });
    });
  });
}

/** The numbers below a report: `ℹ tests 12`. */
function countsIn(text) {
  const count = (name) => Number(text.match(new RegExp(`^ℹ ${name} (\\d+)$`, 'm'))?.[1] ?? 0);
  return Object.fromEntries(
    ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'].map((n) => [n, count(n)]),
  );
}

function kill(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

function report() {
  const line = (text) => process.stdout.write(`${text}\n`);
  line('slowest files:');
  for (const { file, ms } of ended.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST_SHOWN)) {
    line(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`);
  }
  for (const name of Object.keys(ended[0].counts)) {
    line(`ℹ ${name} ${ended.reduce((sum, { counts }) => sum + counts[name], 0)}`);
  }
  line(`ℹ duration_ms ${performance.now().toFixed(0)}`);
  const failed = ended.filter((one) => one.failed);
  if (failed.length === 0) return;
  line('✖ failing files:');
  for (const { file, reasons } of failed) {
    line(`    ${file}`);
    for (const reason of reasons) line(`        ${reason}`);
  }
  process.exitCode = 1;
}

/** The first lines of what node says of each failing test, as who reads only the end of a log shall know why. */
function reasonsIn(text) {
  const lines = text.split('\n');
  const failing = lines.findIndex((one) => /^✖ failing tests:/.test(one));
  if (failing === -1) return lines.filter((one) => one.trim() !== '').slice(-REASON_LINES);
  return lines
    .slice(failing + 1)
    .map((one) => one.trim())
    .filter((one) => one !== '' && !one.startsWith('at '))
    .slice(0, REASON_LINES)
    .map((one) => one.slice(0, REASON_LENGTH));
}

function fail(reason) {
  process.stderr.write(`test: ${reason}\n`);
  process.exit(2);
}

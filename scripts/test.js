/**
 * The test lanes: `npm run test:run`, `npm run test:fast`, `npm run test:night`, `npm run test:faults`, each with
 * `-- PATTERN…` for the files whose path contains one of the patterns, `--name TEXT` for the tests whose name with that
 * of their suites contains a text, and `--watch` to run again what a change of a file concerns. The fast lane begins with
 * what the changes since the main branch concern; `--all` runs all of it.
 *
 * Files run many to a process: modules are read and compiled once, and pages share a browser. Those that wait for most of
 * their time run beside those that work. What does not end is killed and fails by name.
 */
import { watch } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeCachedBundles } from './bundles.js';
import { changesSinceMain } from './test/changes.js';
import { compiles, concernedBy, filesOf, forgetTexts, LANES, sharesWith } from './test/lanes.ts';
import { report } from './test/report.js';
import { killAll, runFiles } from './test/run.js';

/** Processes at once that work: more only take the processors from each other. */
const WORKING = Math.min(availableParallelism() + 1, 4);
/** Processes at once beside them that wait. */
const WAITING = 4;
/**
 * Groups of files, for each process at once: so many that no long one is left to run alone at the end. In the fast lane
 * each is short, and a third of its time is to load what it tests.
 */
const groups = () => (lane === 'fast' ? 1 : 2);
/** Groups of files that share a browser each. */
const BROWSERS = 2;
/** A save changes several files at nearly the same time; ms. */
const SETTLED_MS = 200;
/** What `test/kit/postgres-keeper.ts` says when the server cannot be started. */
const NO_POSTGRES = /No PostgreSQL for the tests: .*/;

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const { lane, patterns, name, watching, all } = argumentsOf(process.argv.slice(2));
const files = filesOf(lane, patterns);
const inVain = patterns.filter((pattern) => filesOf(lane, [pattern]).length === 0);
if (inVain.length > 0 || files.length === 0)
  fail(`no test file of the lane ${lane} has ${inVain.join(' or ')} in its path`);
const chosen = lane === 'fast' && patterns.length === 0 && !all ? chosenOf(files) : files;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    killAll();
    process.exit(1);
  });
}
// Half the time of a start is finding the modules of libraries.
await makeCachedBundles().catch(({ message }) =>
  process.stderr.write(`test: without bundles: ${message}\n`),
);
if (chosen.some(compiles)) await buildPackages();
process.exitCode = chosen.length === 0 || (await run(chosen)) ? 0 : 1;
if (watching) await runWhatChanges();

/** Builds them once; each process that finds no build would make its own, and put it in the place of the others'. */
async function buildPackages() {
  const { projectDependencies } = await import(
    '../packages/asmx-tools/src/from/emit/engine-package.ts'
  );
  projectDependencies('.', (line) => process.stdout.write(`test: ${line}\n`));
}

/** Those of the fast lane that the changes since the main branch concern, or all if nothing changed; told in one line. */
function chosenOf(files) {
  const [first, ...others] = changesSinceMain();
  if (first === undefined) {
    process.stdout.write(`test: all ${files.length} files; nothing changed since main\n`);
    return files;
  }
  const concerned = concernedBy(new Set([first, ...others]), files);
  const changed = others.length === 0 ? first : `${first} and ${others.length} more`;
  process.stdout.write(
    `test: ${concerned.length} of ${files.length} files, which need what changed since main (${changed}); all: npm run test:fast -- --all\n`,
  );
  return concerned;
}

/** @returns whether every test passed. */
async function run(chosen) {
  const startedAt = performance.now();
  const ended = [];
  const queues = jobsOf(chosen);
  const work = async (queue) => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const result = await runFiles(lane, job, name);
      // Most files need it: they would all fail by this one reason.
      const lacking = NO_POSTGRES.exec(result.output);
      if (lacking !== null) {
        killAll();
        fail(lacking[0]);
      }
      process.stdout.write(`${result.output}\n`);
      // Whose fault it is that a group did not come to its end, each file alone will tell.
      if (result.broken && job.length > 1) queue.push(...job.map((file) => [file]));
      else ended.push(result);
    }
  };
  await Promise.all([
    ...Array.from({ length: WORKING }, () => work(queues.working)),
    ...Array.from({ length: WAITING }, () => work(queues.waiting)),
  ]);
  const passed = report(ended, lane, performance.now() - startedAt);
  // What was not run is not good: a name that is misspelled would pass for a test that passes.
  if (name === undefined || ended.some(({ counts }) => counts.tests > 0)) return passed;
  process.stdout.write(`✖ no test of these files has ${JSON.stringify(name)} in its name\n`);
  return false;
}

/** What one process runs, each; those of which one takes long first. */
function jobsOf(chosen) {
  const of = (kind) => chosen.filter((file) => sharesWith(file) === kind);
  const others = of('other');
  return {
    working: [
      ...divided(of('browser'), BROWSERS),
      ...of('none').map((file) => [file]),
      ...divided(others, Math.min(WORKING * groups(), Math.ceil(others.length / 4))),
    ],
    waiting: divided(of('waiting'), WAITING * groups()),
  };
}

function divided(files, count) {
  const groups = Array.from({ length: count }, (_, index) =>
    files.filter((_, place) => place % count === index),
  );
  return groups.filter((group) => group.length > 0);
}

/** Runs again, for each change of a file, the test files that need it. */
async function runWhatChanges() {
  const changed = new Set();
  const tell = (folder) => (_, file) => file !== null && changed.add(join(folder, file));
  for (const folder of ['packages', 'apps']) watch(folder, { recursive: true }, tell(folder));
  process.stdout.write('waiting for changes\n');
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    if (changed.size === 0) continue;
    forgetTexts();
    const concerned = concernedBy(changed, filesOf(lane, patterns));
    changed.clear();
    if (concerned.length > 0) await run(concerned);
  }
}

function argumentsOf([lane = 'change', ...args]) {
  if (LANES[lane] === undefined)
    fail(`${lane} is no lane; there are ${Object.keys(LANES).join(', ')}`);
  try {
    const { values, positionals } = parseArgs({
      args,
      options: {
        name: { type: 'string' },
        watch: { type: 'boolean', default: false },
        all: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    const { name, watch: watching, all } = values;
    return { lane, patterns: positionals, name, watching, all };
  } catch (error) {
    return fail(error.message);
  }
}

function fail(reason) {
  process.stderr.write(`test: ${reason}\n`);
  process.exit(2);
}

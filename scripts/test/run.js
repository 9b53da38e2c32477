/** Runs test files in a process group of their own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeTemporary } from './temporary.ts';

/** The longest that one test, or the top level of a file, may take; ms. Tests wait for conditions for ten minutes: `until` says what for. */
const TEST_TIMEOUT_MS = 900_000;
/** The longest that a process may take; ms. It is for what never ends, on however busy a machine. */
const PROCESS_TIMEOUT_MS = 3_600_000;

/** Where `bin/ws01.js` keeps what Node made of the sources, too: reading them anew takes each file a second. */
const COMPILED = join(process.cwd(), 'node_modules', '.cache', 'compile');
const SEED = pathToFileURL(join(process.cwd(), 'scripts', 'test', 'seed.js')).href;
const BUNDLES = pathToFileURL(join(process.cwd(), 'scripts', 'use-bundles.js')).href;
const MAIN = join(process.cwd(), 'scripts', 'test', 'main.js');
const RECORDER = pathToFileURL(join(process.cwd(), 'scripts', 'test', 'record.js')).href;
/**
 * Variables of a shell that change how Node, libraries and programs behave: tests begin without
 * them.
 */
const OF_SHELL =
  /^(?:(?:https?|all|ftp|no)_proxy|lang|language|tz|(?:node|lc|git|aws|otel)_.*|pg[a-z]+|(?:no|force)_color)$/i;
/** Of those: certificates and modules that this machine needs, and where Node keeps what it made of the sources. */
const OF_MACHINE = ['NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS'];
/** Node's names of what it counts. */
export const COUNTED = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'];

const running = new Set();
let temporary;

/** Ends all that runs. */
export function killAll() {
  for (const child of running) kill(child);
}

/**
 * Runs files to their end, in one process; what it printed comes out at once, so that files do not mix.
 * @returns their output; `counts` of tests; `failures` with the file, name and reason of each;
 *   `held`, what its tests left open, by Node's names; `cpu`, the processor time of each file by its
 *   path, in ms; `broken`: it did not come to its end.
 */
export async function runFiles(lane, files, name) {
  const startedAt = performance.now();
  temporary ??= makeTemporary();
  const folder = mkdtempSync(join(temporary, 'record-'));
  const record = join(folder, 'record');
  const args = [
    '--conditions=ws01-source',
    `--import=${BUNDLES}`,
    ...(process.env.SEED === undefined ? [] : [`--import=${SEED}`]),
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    // What is left open then is told, and does not hold the process for ever.
    '--test-force-exit',
    ...(name === undefined ? [] : [`--test-name-pattern=${RegExp.escape(name)}`]),
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${RECORDER}`, `--test-reporter-destination=${record}`],
    MAIN,
    ...files,
  ];
  const own = Object.entries(process.env).filter(
    ([variable]) => OF_MACHINE.includes(variable) || !OF_SHELL.test(variable),
  );
  const env = {
    NODE_COMPILE_CACHE: COMPILED,
    ...Object.fromEntries(own),
    TZ: 'UTC',
    TMPDIR: temporary,
    TEST_LANE: lane,
    TEST_RECORD: record,
    TEST_TIMEOUT_MS,
  };
  const { text, code, late } = await runProcess(args, env);
  const lines = linesOf(record);
  rmSync(folder, { recursive: true });
  // Not from what is printed: that may be of a run that a test began.
  const counts = lines.find(({ counts: found }) => found !== undefined)?.counts ?? {};
  const failures = lines.flatMap(({ failed }) =>
    failed === undefined ? [] : [{ file: files[0], ...failed }],
  );
  const { uncaught } = lines.find((line) => line.uncaught !== undefined) ?? {};
  // A code tells too little: a test may set it, and what was cancelled or thrown late is of one file of several.
  const isUntold = uncaught !== undefined || counts.cancelled > 0;
  const isEnded = !late && counts.tests !== undefined;
  const broken = !isEnded || isUntold || (code !== 0 && failures.length === 0);
  if (broken && failures.length === 0) {
    const reason = late
      ? `did not end within ${PROCESS_TIMEOUT_MS / 60_000} minutes and was killed`
      : (uncaught ?? `ended with ${code} before its tests had`);
    failures.push({
      file: files.join(' '),
      reason: `${reason}\n${text.trim().split('\n').slice(-20).join('\n')}`,
    });
  }
  return {
    files,
    output: text.replace(/^ℹ .*\n?/gm, '').trimEnd(),
    counts,
    failures,
    broken,
    held: lines.find(({ held }) => held !== undefined)?.held ?? [],
    cpu: cpuOf(files, lines),
    ms: performance.now() - startedAt,
  };
}

function runProcess(args, env) {
  const child = spawn(process.execPath, args, {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
    }, PROCESS_TIMEOUT_MS);
    // What a test left running holds the pipes open: it is ended with its group.
    child.on('exit', () => kill(child));
    child.on('close', (code) => {
      clearTimeout(deadline);
      running.delete(child);
      resolve({ text, code, late });
    });
  });
}

/** What the recorder wrote; the last line may be cut. */
function linesOf(record) {
  try {
    return readFileSync(record, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

/** Of each file; what files share, such as modules, and what is not told by file, has a line of its own. */
function cpuOf(files, lines) {
  const total = lines.findLast(({ cpu }) => cpu !== undefined)?.cpu ?? 0;
  if (files.length === 1) return new Map([[files[0], total]]);
  const times = new Map(files.map((file) => [file, 0]));
  let told = 0;
  for (const { file, ms } of lines) {
    if (!times.has(file)) continue;
    times.set(file, times.get(file) + ms);
    told += ms;
  }
  return new Map([...times, [`shared by ${files.length} files`, Math.max(0, total - told)]]);
}

function kill(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

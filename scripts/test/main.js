/**
 * What a process of `scripts/test.js` runs: imports the files that its arguments name, and only then has `node:test` begin.
 *
 * `node --test --test-isolation=none` does the same, but there `node:test` follows every promise, to know whose an
 * uncaught error is: an `await` takes thirty times as long, and a quarter of the time of a run goes there. Tests are told
 * their parents without that. An uncaught error still fails the run; it may be told of the run instead of the test.
 *
 * What `node:test` would let pass is told to the recorder: errors after the last test, a file without tests, and `only`.
 *
 * Where nothing is left that keeps the process, nor a thread or socket, nothing can settle what a test waits for: it fails
 * at once, and the next one runs. `node:test` would wait for its timeout; for a file that waits at its top level, for ever.
 */
import hooks from 'node:async_hooks';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { reasonOf, untold } from './record.js';

const { createHook } = hooks;
/** `node:test` does not say what a file declares; each test is an asynchronous resource. */
const declared = [];
const declaring = createHook({
  init: (_id, type, _trigger, resource) => type === 'Test' && declared.push(resource),
  trackPromises: false,
});
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
const { before } = await import('node:test');
hooks.createHook = createHook;
process.on('unhandledRejection', (reason) => {
  console.error('✖ a rejection nobody handled:', reason);
  untold.push({ uncaught: reasonOf(reason) });
});
process.on('uncaughtExceptionMonitor', (error) => untold.push({ uncaught: reasonOf(error) }));

/** Of what waits when nothing is left that keeps the process. */
const IN_VAIN = 'waits for what nothing in its process can bring about any more';
/** The kinds of what it holds by which others can bring something about, in a report of Node. */
const SPEAKING = new Set(['async', 'process', 'tcp', 'udp']);
process.report.excludeNetwork = true;
const openAtStart = countOpen();
/** The file that is being imported. */
let importing;
process.on('beforeExit', failWhatWaitsInVain);

const loading = loadAll(process.argv.slice(2));
before(() => loading);
const [end] = process.listeners('beforeExit').filter((one) => one !== failWhatWaitsInVain);
process.off('beforeExit', end);
await loading;

async function loadAll(files) {
  declaring.enable();
  for (const file of files) {
    const known = declared.length;
    importing = file;
    const late = setTimeout(
      failImport,
      process.env.TEST_TIMEOUT_MS,
      'did not come to its end',
    ).unref();
    await import(pathToFileURL(resolve(file)).href);
    clearTimeout(late);
    importing = undefined;
    const tests = declared.slice(known).filter(({ parent }) => parent);
    if (tests.length === 0) untold.push({ failed: { file, reason: 'declares no test' } });
    const chosen = tests.find(({ only }) => only);
    if (chosen !== undefined) {
      const reason = `"${chosen.name}" has the option only: the others are not run`;
      untold.push({ failed: { file, reason } });
    }
  }
  declaring.disable();
  // `node:test` would wait for the first.
  if (declared.every(({ parent }) => !parent)) process.exit(1);
}

function failImport(what) {
  untold.push({ failed: { file: importing, reason: `at its top level: ${what}` } });
  process.exit(1);
}

function failWhatWaitsInVain() {
  if (importing !== undefined) failImport(IN_VAIN);
  const [root] = declared.filter(({ parent }) => !parent);
  const waiting = countOpen() > openAtStart ? [] : runningBelow(root);
  // Node's own waits as long as the tests do.
  if (waiting.length === 0) end();
  for (const one of waiting) stop(one);
}

/** Threads, sockets and processes, those too that do not keep the process: tests may wait for what they say. */
function countOpen() {
  const { libuv } = process.report.getReport();
  return libuv.filter(({ type, is_active }) => is_active && SPEAKING.has(type)).length;
}

/** The tests, or suites in their hooks, that have begun and not ended, and in which no other has. */
function runningBelow(parent) {
  return parent.subtests.flatMap((test) => {
    if (test.startTime === null || test.finished) return [];
    const below = runningBelow(test);
    return below.length === 0 ? [test] : below;
  });
}

/** What it waits in may be a hook, of its own or of a suite around it. */
function stop(test) {
  const reason = new Error(IN_VAIN);
  reason.stack = reason.message;
  const hooks = [];
  for (let around = test; around; around = around.parent)
    hooks.push(...Object.values(around.hooks).flat());
  for (const one of [test, ...hooks.filter(mayBeRunning)]) {
    one.fail(reason);
    one.abortController.abort();
  }
}

/** Of one that runs for each test it is not known whether it has ended; it begins anew each time. */
function mayBeRunning({ hookType, startTime, passed }) {
  return startTime != null && (hookType.endsWith('Each') || !passed);
}

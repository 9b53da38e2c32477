/**
 * What a process of `scripts/test.js` runs: imports the files that its arguments name, and only then has `node:test` begin.
 *
 * `node --test --test-isolation=none` does the same, but there `node:test` follows every promise, to know whose an
 * uncaught error is: an `await` takes thirty times as long, and a quarter of the time of a run goes there. Tests are told
 * their parents without that. An uncaught error still fails the run; it may be told of the run instead of the test.
 *
 * What `node:test` would let pass is told to the recorder: errors after the last test, a file without tests, and `only`.
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

const loading = loadAll(process.argv.slice(2));
before(() => loading);
await loading;

async function loadAll(files) {
  declaring.enable();
  for (const file of files) {
    const known = declared.length;
    await import(pathToFileURL(resolve(file)).href);
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

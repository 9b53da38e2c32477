/**
 * What a process of `scripts/test.js` runs: imports the files that its arguments name, and only then has `node:test` begin.
 *
 * `node --test --test-isolation=none` does the same, but there `node:test` follows every promise, to know whose an
 * uncaught error is: an `await` takes thirty times as long, and a quarter of the time of a run goes there. Tests are told
 * their parents without that. An uncaught error still fails the run; it may be told of the run instead of the test.
 */
import hooks from 'node:async_hooks';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { createHook } = hooks;
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
const { before } = await import('node:test');
hooks.createHook = createHook;
process.on('unhandledRejection', (reason) =>
  console.error('✖ a rejection nobody handled:', reason),
);

const loading = loadAll(process.argv.slice(2));
before(() => loading);
await loading;

async function loadAll(files) {
  for (const file of files) await import(pathToFileURL(resolve(file)).href);
}

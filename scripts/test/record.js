/**
 * A reporter of `node --test` for `scripts/test.js`, one JSON value a line: `{ file, ms }` for a
 * top-level test or suite of a file, `{ failed }` for a test that failed, `{ counts }` once all have
 * ended, `{ held }` for what tests left open that keeps the process from its end, and at the exit
 * `{ cpu }`; ms of processor time of the process and of those that it started and saw end; then what is `untold`.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Of `/proc/self/stat`, after the name: user and system time, then that of the children; in clock ticks of 10 ms. */
const FIRST_TIME = 11;
const TICK_MS = 10;
/** How long what tests have begun to close may take after the last of them, and how often it is looked at; ms. */
const CLOSING_MS = 10_000;
const LOOK_MS = 50;
/** What the runner itself has. */
const OURS = new Set(['Immediate', 'PipeWrap', 'FSReqCallback', 'FSReqPromise']);

/** What `node:test` does not tell: `{ failed }` of a file, and `{ uncaught }`, an error that is perhaps of no test. */
export const untold = [];

process.on('exit', () => {
  if (process.env.TEST_RECORD !== undefined) {
    appendFileSync(process.env.TEST_RECORD, [{ cpu: cpu() }, ...untold].map(line).join(''));
  }
});

/** Made by node with the events of a run. */
export default async function* record(events) {
  const names = new Map();
  // Many a suite is declared by the kit, and has the kit's path: `forEachEngine`. Files run one after the other.
  let file;
  let taken = cpu();
  for await (const { type, data } of events) {
    if (type === 'test:start') {
      names.set(data.testId, [...(names.get(data.parentId) ?? []), data.name]);
      if (data.file?.endsWith('.test.ts')) file = relative(process.cwd(), data.file);
    }
    if (type === 'test:complete' && data.nesting === 0) {
      const before = taken;
      taken = cpu();
      yield line({ file, ms: taken - before });
    }
    if (type === 'test:summary') {
      const { passed: pass, failed: fail, ...others } = data.counts;
      yield line({ counts: { ...others, pass, fail } });
    }
    if (type === 'test:fail' && isCause(data.details.error)) {
      const name = (names.get(data.testId) ?? [data.name]).join(' ');
      yield line({ failed: { file, name, reason: reasonOf(data.details.error) } });
    }
  }
  const held = await leftOpen();
  if (held.length === 0) return;
  yield line({ held });
  // Node's own end for such a case waits for what is held when files share a process.
  setTimeout(() => process.exit(), CLOSING_MS);
}

/**
 * What tests have started and not ended; without `--test-force-exit` it would keep the process for
 * ever. What is being closed has so long to go.
 */
async function leftOpen() {
  for (let waited = 0; ; waited += LOOK_MS) {
    const open = process.getActiveResourcesInfo().filter((name) => !OURS.has(name));
    if (open.length === 0 || waited >= CLOSING_MS) return open;
    await pause(LOOK_MS, undefined, { ref: false });
  }
}

/** A suite that fails because of its tests says nothing that they do not, nor do tests whose suite could not go on. */
function isCause({ failureType }) {
  return failureType !== 'subtestsFailed' && failureType !== 'cancelledByParent';
}

/** What went wrong, without the stack of node's own. */
export function reasonOf(error) {
  const cause = error?.cause ?? error;
  return String(cause?.stack ?? cause?.message ?? cause);
}

function line(value) {
  return `${JSON.stringify(value)}\n`;
}

function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + cpuOfChildren();
}

/** 0 where the system does not tell. */
function cpuOfChildren() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[FIRST_TIME + 2]) + Number(fields[FIRST_TIME + 3])) * TICK_MS;
  } catch {
    return 0;
  }
}

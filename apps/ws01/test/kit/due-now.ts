import { isMainThread } from 'node:worker_threads';
import { time } from '../../../../packages/asmx/src/time/index.ts';

/**
 * For `node --import`: SIGUSR2 makes due what waits for half a minute or longer, as regular work of
 * the service does. It ends no limit by the clock: those of a patient process are as long.
 */
const LONG_MS = 30_000;

const { setTimeout, clearTimeout } = globalThis;
const { limit } = time;
let isLimit = false;
const waiting = new Map<unknown, () => void>();

function setNoticed(work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) {
  const run = () => {
    waiting.delete(timer);
    work(...given);
  };
  const timer = setTimeout(run, ms);
  if (ms >= LONG_MS && !isLimit) waiting.set(timer, run);
  return timer;
}

function clearNoticed(timer: NodeJS.Timeout) {
  waiting.delete(timer);
  clearTimeout(timer);
}

if (isMainThread) {
  Object.assign(globalThis, {
    setTimeout: Object.assign(setNoticed, setTimeout),
    clearTimeout: clearNoticed,
  });
  time.limit = (ms, over) => {
    isLimit = true;
    try {
      return limit(ms, over);
    } finally {
      isLimit = false;
    }
  };
  process.on('SIGUSR2', () => {
    for (const [timer, run] of [...waiting]) {
      clearTimeout(timer as NodeJS.Timeout);
      run();
    }
  });
}

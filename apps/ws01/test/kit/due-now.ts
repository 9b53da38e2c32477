import { isMainThread } from 'node:worker_threads';

/** For `node --import`: at SIGUSR2, what waits for half a minute or longer, as regular work of the service does, is due. */
const LONG_MS = 30_000;

const { setTimeout, clearTimeout } = globalThis;
const waiting = new Map<unknown, () => void>();

function setNoticed(work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) {
  const run = () => {
    waiting.delete(timer);
    work(...given);
  };
  const timer = setTimeout(run, ms);
  if (ms >= LONG_MS) waiting.set(timer, run);
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
  process.on('SIGUSR2', () => {
    for (const [timer, run] of [...waiting]) {
      clearTimeout(timer as NodeJS.Timeout);
      run();
    }
  });
}

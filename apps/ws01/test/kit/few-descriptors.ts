import { closeSync, openSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** For `node --import`: the first SIGUSR2 takes every descriptor that the process may have, each later one gives one back. */
const taken: number[] = [];
let began = false;

function takeOrGive(): void {
  if (began) {
    const fd = taken.pop();
    if (fd !== undefined) closeSync(fd);
    return;
  }
  began = true;
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    // There are no more.
  }
}

if (isMainThread) process.on('SIGUSR2', takeOrGive);

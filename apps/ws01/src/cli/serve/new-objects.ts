import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * What V8's space for new objects (a semi-space) may grow to; bytes. V8 itself takes 32 MB on a
 * machine of some memory, and that twice, for no less CPU time a call: docs/decisions/start.md.
 */
const MOST_BYTES = 16 * 1024 ** 2;

/** V8's default. */
const GROWS = 2;
const STAYS = 1;

/** Keeps the space at its size. */
export function holdNewObjects(): void {
  setGrowth(STAYS);
}

/**
 * Lets the space grow with the calls, up to {@link MOST_BYTES}. V8 takes a maximum only when a
 * process begins, but asks how fast to grow whenever it does; it may shrink the space, too, so each
 * collection decides again. A size that is set with `--max-semi-space-size`, also in
 * `NODE_OPTIONS`, is kept.
 */
export function boundNewObjects(): void {
  setGrowth(GROWS);
  if (isSetByOperator()) return;
  let growth = GROWS;
  new PerformanceObserver(() => {
    const next = GROWS * capacity() <= MOST_BYTES ? GROWS : STAYS;
    if (next !== growth) setGrowth(next);
    growth = next;
  }).observe({ entryTypes: ['gc'] });
}

function setGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/** The size of the space; bytes. */
function capacity(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return space === undefined ? 0 : space.space_used_size + space.space_available_size;
}

function isSetByOperator(): boolean {
  return [process.env.NODE_OPTIONS ?? '', ...process.execArgv].some((text) =>
    /semi[-_]space[-_]size/.test(text),
  );
}

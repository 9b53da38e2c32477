import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { withSpread } from './report.ts';
import { spread } from './statistics.ts';

/** What the figures below it were taken on, and what disturbs them: processor, memory, system, disk, other work. */
export function describeMachine(): string {
  const [busy] = loadavg();
  const virtual = /^flags.* hypervisor/m.test(readFileSync('/proc/cpuinfo', 'latin1'))
    ? ', a virtual machine'
    : '';
  const sync = withSpread(spread(timeSyncs()), (ms) => ms.toFixed(2));
  return (
    `${cpus().length} × ${cpus()[0]?.model.trim()}${virtual}, ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
    `Linux ${release()}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}.\n` +
    `A write of 4 KiB is on the disk after ${sync} ms. Load before the run: ${busy!.toFixed(1)}` +
    `${busy! > 0.5 ? '; others use the machine, so trust CPU time and ratios, not rates.' : '.'}`
  );
}

const SYNCS = 25;
const PAGE = Buffer.alloc(4096, 1);

/** How long writes to where the databases of the benches are take to be durable; ms. */
function timeSyncs(): readonly number[] {
  const folder = mkdtempSync(join(tmpdir(), 'ws01-bench-'));
  const file = openSync(join(folder, 'sync'), 'w');
  try {
    return Array.from({ length: SYNCS }, () => {
      const started = performance.now();
      writeSync(file, PAGE);
      fsyncSync(file);
      return performance.now() - started;
    });
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

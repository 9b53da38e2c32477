/** What Linux tells about a process, for any language it is written in. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * CPU time that the process's threads have used since they began, in user and kernel; µs.
 * Steadier than rates on a shared machine, and finer than the clock ticks of `/proc/PID/stat`.
 */
export function cpuMicros(pid: number): number {
  let micros = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      micros += schedule(`/proc/${pid}/task/${thread}`).cpuMicros;
    } catch {
      // It has ended since it was listed.
    }
  }
  return micros;
}

/** CPU time of a process and of all that it has started and that run; µs. Those that ended meanwhile do not count. */
export function treeCpuMicros(pid: number): number {
  return treeThreads(pid)
    .values()
    .reduce((sum, micros) => sum + micros, 0);
}

/** CPU time of each thread of a process and of all that it has started, by the number of the thread; µs. */
export function treeThreads(pid: number): ReadonlyMap<string, number> {
  const threads = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    try {
      threads.set(thread, schedule(folder).cpuMicros);
      const children = readFileSync(`${folder}/children`, 'latin1').split(' ');
      for (const child of children)
        if (child.trim() !== '')
          for (const [one, micros] of treeThreads(Number(child))) threads.set(one, micros);
    } catch {
      // It has ended since it was listed.
    }
  }
  return threads;
}

/** CPU time between two looks at {@link treeThreads}; µs. A thread that ended meanwhile counts nothing, not less. */
export function microsBetween(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): number {
  let micros = 0;
  for (const [thread, used] of after) micros += used - (before.get(thread) ?? 0);
  return micros;
}

/** How long the main thread has been ready to run while its core was taken by others; µs. */
export function waitedMicros(pid: number): number {
  return schedule(`/proc/${pid}`).waitedMicros;
}

function schedule(folder: string): { readonly cpuMicros: number; readonly waitedMicros: number } {
  const [onCpu, waited] = readFileSync(`${folder}/schedstat`, 'latin1').split(' ');
  return { cpuMicros: Number(onCpu) / 1000, waitedMicros: Number(waited) / 1000 };
}

/**
 * The memory of a process that is in RAM, for all that it holds: heap, code, native libraries, page cache of
 * its database; MiB.
 */
export function residentMib(pid: number, name: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const kib = new RegExp(`${name}:\\s+([0-9]+) kB`).exec(
    readFileSync(`/proc/${pid}/status`, 'latin1'),
  )?.[1];
  return Number(kib) / 1024;
}

/** Bytes that the process has made the disk write; what lies in memory (`tmpfs`) does not count. */
export function diskBytes(pid: number): number {
  return Number(/^write_bytes: ([0-9]+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1]);
}

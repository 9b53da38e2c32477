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
  let micros = cpuMicros(pid);
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ');
      for (const child of children) if (child.trim() !== '') micros += treeCpuMicros(Number(child));
    } catch {
      // It has ended since it was listed.
    }
  }
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

/** Memory of a process that is in RAM, whoever took it: heap, code, native libraries, page cache of its database; MiB. */
export function residentMib(pid: number, name: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const kib = new RegExp(`${name}:\\s+([0-9]+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kib) / 1024;
}

/** Bytes that the process has made the disk write; what lies in memory (`tmpfs`) does not count. */
export function diskBytes(pid: number): number {
  return Number(/^write_bytes: ([0-9]+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1]);
}

import { readdirSync, readFileSync } from 'node:fs';

/** A process that decodes images for this one. */
export interface DecoderProcessSeen {
  readonly pid: number;
  /** The most it has had resident; bytes. */
  readonly peak: number;
}

/** The decoding processes that this process has started and that run, as Linux sees them. */
export function decoderProcesses(): readonly DecoderProcessSeen[] {
  const children = readdirSync('/proc/self/task').flatMap((thread) =>
    unlessEnded(() => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ')),
  );
  return children.filter(Boolean).flatMap((pid) =>
    unlessEnded(() => {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('decoder-main')) return [];
      const peak =
        Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) *
        1024;
      return [{ pid: Number(pid), peak }];
    }),
  );
}

/** Nothing of a thread or process that has ended since it was listed. */
function unlessEnded<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

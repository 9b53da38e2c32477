/** Who runs where: the side that is measured has a core to itself, everything else shares another. */
import { spawnSync } from 'node:child_process';

export const SERVER_CORE = '0';
export const LOAD_CORE = '1';
export const BOTH_CORES = `${SERVER_CORE},${LOAD_CORE}`;

/**
 * Moves this process, with all its threads and the children it will have, off the core of the side
 * that is measured.
 */
export function leaveServerCore(): void {
  const { status, error } = spawnSync('taskset', ['-acp', LOAD_CORE, String(process.pid)]);
  if (status !== 0)
    throw new Error('The benches need Linux, taskset (util-linux) and two cores.', {
      cause: error,
    });
}

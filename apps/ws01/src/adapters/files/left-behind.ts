import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** What the name of a temporary file of this process begins with. @param purpose what it begins with for every process. */
export function ownPrefix(purpose: string): string {
  return `${purpose}${hostname()}-${process.pid}-`;
}

/**
 * Removes the temporary files that killed processes of this machine left in a folder. Those of a process that still works
 * stay: it may be the same command, given twice.
 * @param purpose as of {@link ownPrefix}
 */
export async function removeLeftBehind(folder: string, purpose: string): Promise<void> {
  const ours = `${purpose}${hostname()}-`;
  for (const name of await readdir(folder).catch(() => [])) {
    if (name.startsWith(ours) && !isRunning(Number.parseInt(name.slice(ours.length), 10)))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** Whether another process has a number. In a container each start may have the same one, so ours says nothing. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

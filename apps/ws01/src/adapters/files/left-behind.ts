import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '@ws01/asmx/time';

/**
 * Files of other machines are left behind when unchanged for so long; ms. Their processes cannot be
 * seen.
 */
const OTHERS_MS = DAY_MS;

/**
 * How names of this machine's temporary files begin. The `@`, which no host name has, keeps `a` and
 * `a-2` apart.
 */
const ofMachine = (purpose: string) => `${purpose}${hostname()}@`;

/**
 * What the name of a temporary file of this process begins with.
 * @param purpose what it begins with for every process.
 */
export function ownPrefix(purpose: string): string {
  return `${ofMachine(purpose)}${process.pid}-`;
}

/**
 * Removes the temporary files that killed processes left in a folder. Those of a process that still
 * works stay: it may be the same command, given twice.
 * @param purpose as of {@link ownPrefix}
 */
export async function removeLeftBehind(folder: string, purpose: string): Promise<void> {
  const ours = ofMachine(purpose);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(purpose))) {
    const path = join(folder, name);
    const isLeft = name.startsWith(ours)
      ? !isRunning(Number.parseInt(name.slice(ours.length), 10))
      : await isOld(path);
    if (isLeft) await rm(path, { recursive: true, force: true });
  }
}

/** Whether a process that made a file is gone, as far as its age tells. */
async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > OTHERS_MS;
}

/**
 * Whether another process has a number. In a container each start may have the same one, so ours
 * says nothing.
 */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

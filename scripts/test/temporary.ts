/** Where the tests of a run put their files. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** On a disk a service spends a tenth of its time in syncs, and waits for longer; not every container has enough of it. */
const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 4 * 2 ** 30;

/**
 * Makes a folder for temporary files, in memory where there is enough; it is removed when this process ends. Its name is
 * short: that of a socket has at most 107 bytes.
 * @returns its path.
 */
export function makeTemporary(): string {
  const parent = isMemoryFit() ? MEMORY : tmpdir();
  removeLeft(parent);
  const folder = mkdtempSync(join(parent, `ws01-${process.pid}-`));
  // As in the usual one, servers of other users find their files.
  chmodSync(folder, 0o1777);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A run that was killed removed nothing, and what is in memory would stay until the machine starts again. */
function removeLeft(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^ws01-(\d+)-\w{6}$/.exec(name) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** Tests run programs there, which many a container forbids. */
function isMemoryFit(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const options = /^\S+ \/dev\/shm \S+ (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8'))?.[1];
    return bavail * bsize >= MEMORY_NEEDED && options?.split(',').includes('noexec') === false;
  } catch {
    return false;
  }
}

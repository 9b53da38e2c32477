import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';

// For `node --import`, where the service is a process of its own.
if (isMainThread) process.on('SIGUSR2', failSyncs);

/** SQLite opens its files with it, the service does not (Linux). */
const O_NOFOLLOW = 0o400000;

/**
 * From now on each sync of the SQLite log fails. This process' descriptor for the sync is made one of `/dev/null`, which
 * the kernel refuses to sync; SQLite's own descriptors stay as they are. So the real `fdatasync` fails, as it does on a disk
 * that has died, and nothing of the service is replaced.
 */
export function failSyncs(): void {
  const fds = readdirSync('/proc/self/fd').map(Number).filter(isOfSync);
  if (fds.length !== 1) throw new Error(`${fds.length} descriptors sync the log`);
  const [fd] = fds;
  closeSync(fd!);
  // The lowest free number is given out first.
  const others: number[] = [];
  for (let opened = openSync('/dev/null', 'r+'); opened !== fd; opened = openSync('/dev/null', 'r+'))
    others.push(opened);
  for (const other of others) closeSync(other);
}

function isOfSync(fd: number): boolean {
  try {
    if (!readlinkSync(`/proc/self/fd/${fd}`).endsWith(`${SQLITE_FILE}-wal`)) return false;
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return (Number.parseInt(flags ?? '', 8) & O_NOFOLLOW) === 0;
  } catch {
    // It was the one that listed the folder.
    return false;
  }
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { replaceDescriptor, targetOf } from '../../../../packages/asmx/test/kit/descriptor.ts';
import { MARK_FILE } from '../../src/store/sqlite/commit-mark.ts';
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
  replaceDescriptor(isOfSync, '/dev/null');
}

/** From now on no mark can be written, as if its disk were full: the kernel refuses each write to `/dev/full`. */
export function failMarks(): void {
  replaceDescriptor((fd) => targetOf(fd).endsWith(MARK_FILE), '/dev/full');
}

/** From now on the mark of a data folder can be written again. */
export function healMarks(dataDir: string): void {
  replaceDescriptor((fd) => targetOf(fd) === '/dev/full', join(dataDir, MARK_FILE));
}

function isOfSync(fd: number): boolean {
  try {
    if (!targetOf(fd).endsWith(`${SQLITE_FILE}-wal`)) return false;
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return (Number.parseInt(flags ?? '', 8) & O_NOFOLLOW) === 0;
  } catch {
    // It was the one that listed the folder.
    return false;
  }
}

import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';

/**
 * Makes an open descriptor of this process one of another file: each write to `/dev/full` fails as
 * on a full disk, and nothing of the program is replaced (Linux).
 * @param isMeant must be true of one.
 */
export function replaceDescriptor(isMeant: (fd: number) => boolean, path: string): void {
  const fds = readdirSync('/proc/self/fd').map(Number).filter(isMeant);
  if (fds.length !== 1) throw new Error(`${fds.length} descriptors are meant`);
  const [fd] = fds;
  closeSync(fd!);
  // The lowest free number is given out first.
  const others: number[] = [];
  for (let opened = openSync(path, 'r+'); opened !== fd; opened = openSync(path, 'r+'))
    others.push(opened);
  for (const other of others) closeSync(other);
}

/** What a descriptor is of; nothing for the one that lists the folder, which is closed. */
export function targetOf(fd: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

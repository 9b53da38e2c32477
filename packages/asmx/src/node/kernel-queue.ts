import { readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Where Linux tells of each TCP socket of this machine, or of its container. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

/** What `net` has of libuv. */
interface Handle {
  readonly fd?: number;
  /** What it has been given, and what of that is not in the kernel; bytes. */
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}

/**
 * What clients have acknowledged of what was written to them; bytes. Node tells only what it has
 * given to the kernel, which takes more when a third of its buffer is free: up to 1.3 MB at a time.
 *
 * @returns for a connection that the kernel tells nothing of, what the kernel has taken: on other
 *   systems than Linux, and of Unix sockets.
 */
export function acknowledged(sockets: readonly Socket[]): ReadonlyMap<Socket, number> {
  const found = new Map<Socket, number>();
  const byInode = new Map<string, Socket>();
  for (const socket of sockets) {
    const handle = handleOf(socket);
    found.set(socket, (handle.bytesWritten ?? 0) - (handle.writeQueueSize ?? 0));
    const inode = inodeOf(handle);
    if (inode !== undefined) byInode.set(inode, socket);
  }
  for (const table of byInode.size === 0 ? [] : TABLES) {
    for (const line of linesOf(table)) {
      // sl, local, remote, state, tx_queue:rx_queue, tr:when, retransmits, uid, timeout, inode.
      const fields = line.trim().split(/ +/, 10);
      const socket = byInode.get(fields[9] ?? '');
      if (socket !== undefined)
        found.set(socket, found.get(socket)! - Number.parseInt(fields[4]!, 16));
    }
  }
  return found;
}

const handleOf = (socket: Socket): Handle =>
  (socket as { readonly _handle?: Handle | null })._handle ?? {};

function inodeOf({ fd = -1 }: Handle): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1];
  } catch {
    return undefined;
  }
}

function linesOf(table: string): readonly string[] {
  try {
    return readFileSync(table, 'latin1').split('\n');
  } catch {
    return [];
  }
}

import { rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';

/**
 * Removes a Unix socket that a killed process left, so that another can be bound. Leaves one on which a process
 * listens: binding then fails with `EADDRINUSE`. Call it once, before the workers start: a second worker could remove
 * the socket that the first one has just bound. Two services that start on one path in the same moment still may.
 */
export async function removeStaleSocket(path: string): Promise<void> {
  const isSocket = await stat(path).then(
    (found) => found.isSocket(),
    () => false,
  );
  if (!isSocket) return;
  const answers = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => resolve(true)).on('error', () => resolve(false));
    probe.on('connect', () => probe.destroy());
  });
  if (!answers) await rm(path, { force: true });
}

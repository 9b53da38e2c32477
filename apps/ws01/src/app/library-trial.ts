import { type ExecFileException, execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** The library with a native part: present is not enough, it must fit the machine. */
const NATIVE = 'sharp';

/** What is loaded when it is first used, by any room. */
const LIBRARIES = [NATIVE, 'libphonenumber-js', 'qrcode', 'hono', '@hono/node-server'];

/** How long the trial may take before it counts as failed; ms. */
const TIMEOUT_MS = 60_000;

/** A library that a later call will need cannot be loaded. */
class LibraryUnusable extends Error {
  override readonly name = 'LibraryUnusable';

  constructor(cause: unknown) {
    super('A library is missing or does not fit this machine; install ws01 again (npm ci).', { cause });
  }
}

/**
 * Tries the libraries that a start does not load, so that a broken installation is told by the log and by `/readyz`
 * before a call needs them. The native one is tried in its own process, that stands back behind calls: there one
 * that was built for another processor cannot take the service along, and its memory is given back. What has once stood
 * the trial is not tried again in this process.
 * @throws {LibraryUnusable}
 */
export function tryLibraries(): Promise<void> {
  trial ??= attempt().catch((error) => {
    trial = undefined;
    throw new LibraryUnusable(error);
  });
  return trial;
}

let trial: Promise<void> | undefined;

async function attempt(): Promise<void> {
  for (const library of LIBRARIES) import.meta.resolve(library);
  await loadElsewhere(import.meta.resolve(NATIVE));
}

/** Loads a module in another process. @throws {Error} with what that wrote to standard error. */
function loadElsewhere(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = `await import(${JSON.stringify(url)})`;
    const child = execFile(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { timeout: TIMEOUT_MS },
      (error) => (error === null || wasStopped(error) ? resolve() : reject(error)),
    );
    if (child.pid !== undefined) standBack(child.pid);
  });
}

/** Whether the service is being stopped, by a signal to all its processes: that says nothing of the library. */
function wasStopped({ killed, signal }: ExecFileException): boolean {
  return killed !== true && (signal === 'SIGINT' || signal === 'SIGTERM' || signal === 'SIGHUP');
}

function standBack(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}

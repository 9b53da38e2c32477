import { type ChildProcess, type ExecFileException, execFile } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { signalAfter } from '@ws01/asmx/time';
import { isLacking } from '../adapters/images/failure.ts';
import { REINSTALL } from '../config/environment.ts';

/** The library with native code. It must not only be installed but fit the machine. */
const NATIVE = 'sharp';

/** Libraries that are loaded on first use. */
const LIBRARIES = [NATIVE, 'libphonenumber-js', 'qrcode', 'hono', '@hono/node-server'];

/** Timeout of the trial; ms. */
const TIMEOUT_MS = 60_000;

/** A library that later calls need cannot be loaded. */
class LibraryUnusable extends Error {
  override readonly name = 'LibraryUnusable';

  constructor(cause: unknown) {
    super(`A library is missing or does not fit this machine; ${REINSTALL}.`, { cause });
  }
}

/** The libraries cannot be tried, which says nothing about them. */
export class LibrariesUntried extends Error {
  override readonly name = 'LibrariesUntried';

  constructor(cause: unknown) {
    super(
      'The system starts no further process or thread; raise TasksMax= of the unit, pids.max or ulimit -u.',
      {
        cause,
      },
    );
  }
}

/**
 * Loads the libraries that a start does not load, so that the log and `/readyz` report a broken
 * installation before a call needs them. The native library is loaded in a process of its own at
 * low priority: a build for another processor cannot crash the service, and its memory is freed. A
 * success is remembered for the life of this process.
 * @throws {LibraryUnusable}
 * @throws {LibrariesUntried}
 */
export function tryLibraries(): Promise<void> {
  trial ??= attempt().catch((error) => {
    trial = undefined;
    throw isShortage(error) ? new LibrariesUntried(error) : new LibraryUnusable(error);
  });
  return trial;
}

let trial: Promise<void> | undefined;

async function attempt(): Promise<void> {
  for (const library of LIBRARIES) import.meta.resolve(library);
  await loadElsewhere(import.meta.resolve(NATIVE));
}

/**
 * Loads a module in another process, which keeps this one neither from ending nor outlives it.
 * @throws {Error} with that process's standard error.
 */
function loadElsewhere(url: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const script = `await import(${JSON.stringify(url)})`;
  const end = () => child.kill();
  const child = execFile(
    process.execPath,
    ['--input-type=module', '--eval', script],
    // Not execFile's `timeout`: its timer would keep this process from ending. Nor the compile
    // cache: it is written at the end of a process, which may be after that of this one.
    {
      signal: signalAfter(TIMEOUT_MS),
      env: { ...process.env, NODE_COMPILE_CACHE: undefined },
    },
    (error) => {
      process.removeListener('exit', end);
      if (error === null || wasStopped(error)) resolve();
      else reject(error);
    },
  );
  process.on('exit', end);
  for (const handle of [child, child.stdin, child.stdout, child.stderr])
    (handle as ChildProcess | Socket | null)?.unref();
  if (child.pid !== undefined) standBack(child.pid);
  return promise;
}

/**
 * Whether the process could not be started, or ended because it got no thread: Node and V8 abort
 * then.
 */
function isShortage(error: unknown): boolean {
  return isLacking(error) || (error as ExecFileException).signal === 'SIGABRT';
}

/** Whether a signal to stop ended the trial, which says nothing about the library. */
function wasStopped({ name, signal }: ExecFileException): boolean {
  return (
    name !== 'AbortError' && (signal === 'SIGINT' || signal === 'SIGTERM' || signal === 'SIGHUP')
  );
}

function standBack(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has already ended.
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import type { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { dirname, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { time } from '@ws01/asmx/time';
import { DecoderDied, decodingError } from './failure.ts';
import type { AcceptedPicture, DecoderJob, JobAnswer, JobBounds, JobMessage } from './jobs.ts';
import { killBytes } from './memory.ts';

/** TypeScript in the repository, JavaScript in the package. */
const SCRIPT = fileURLToPath(
  new URL(`./decoder-main${extname(import.meta.filename)}`, import.meta.url),
);

/** Small heaps for V8, because its memory counts as the decoder's. */
const NODE_OPTIONS = ['--max-semi-space-size=1', '--max-old-space-size=64', '--v8-pool-size=1'];

/**
 * Few threads and heaps of the C library, and free memory given back: a process works on one image
 * at a time. Nothing else of our environment is passed on, so that an exploited decoder finds no
 * secrets.
 */
const ENVIRONMENT = {
  UV_THREADPOOL_SIZE: '2',
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/**
 * Where this process keeps what V8 made of its sources: with it a decoder starts in half of the
 * processor time.
 */
function compiled(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/** Address space that Node reserves at its start, 0.6 GB of it for code; bytes. */
const RESERVED_BYTES = 704 * 1024 ** 2;

/** A process below this memory is as good as new; bytes. */
const FRESH_BYTES = 72 * 1024 ** 2;

/** Of what it says on standard error; UTF-16 code units. */
const SAID_LENGTH = 2_000;

/**
 * Wall-clock bound of a job as a factor of its CPU bound, for busy machines; and its minimum, ms.
 */
const WALL_CLOCK_FACTOR = 18;
const MIN_WALL_CLOCK_MS = 30_000;

/**
 * A child process that decodes images. It is a process because a decode can only be killed, because
 * a process returns all its memory, because it runs at lower priority than calls, and because it
 * does not use this process's pool threads, which files and DNS need.
 *
 * Memory and time have three bounds: the child watches itself, the operating system refuses memory
 * far above the bound, and this side kills a child that is silent for long.
 */
export class DecoderProcess {
  readonly #child: ChildProcess;
  #job:
    | { readonly resolve: (answer: JobAnswer) => void; readonly reject: (error: Error) => void }
    | undefined;
  #alive = true;
  #started = false;
  #said = '';
  #death: DecoderDied | undefined;
  /** Its resident memory after the last job; bytes. */
  #rss = 0;

  /** @param memory bound of the process; the operating system's limit is far above it; bytes. */
  constructor(memory: number) {
    const [file, ...args] = withinLimits(memory, [process.execPath, ...NODE_OPTIONS, SCRIPT]);
    // Its errors are in its answers; the last of its standard error says why it dies.
    this.#child = spawn(file!, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...ENVIRONMENT, ...compiled() },
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = `${this.#said}${text}`.slice(-SAID_LENGTH);
    });
    this.#child.on('message', (message: JobAnswer | 'started') => this.#heard(message));
    this.#child.on('error', (error) => this.#ended(error));
    this.#child.on('exit', () => {
      this.#alive = false;
    });
    // After its last words, unlike `exit`.
    this.#child.on('close', (code, signal) => this.#ended(code ?? signal));
    standBack(this.#child.pid);
    this.#rest();
  }

  /** Whether it can take another job. */
  get alive(): boolean {
    return this.#alive;
  }

  /** Whether a job that needs so many bytes fits. Memory of earlier jobs is only partly free. */
  hasRoomFor(bytes: number, { memory }: JobBounds): boolean {
    return this.#rss <= Math.max(FRESH_BYTES, memory - bytes);
  }

  /**
   * Runs a job after the previous one has ended.
   * @throws {DependencyError}
   * @throws {DecoderDied}
   */
  async run(job: DecoderJob, bounds: JobBounds): Promise<AcceptedPicture> {
    // The system could not create the process.
    if (this.#death !== undefined) throw this.#death;
    const answered = new Promise<JobAnswer>((resolve, reject) => {
      this.#job = { resolve, reject };
    });
    // A job in progress keeps this process alive.
    this.#child.ref();
    this.#child.channel?.ref();
    (this.#child.stderr as Socket | null)?.ref();
    const patience = Math.max(MIN_WALL_CLOCK_MS, bounds.cpu * WALL_CLOCK_FACTOR);
    const limit = time.limit(patience, () => this.#giveUp());
    try {
      // If the system could not create the process, there is no channel either; the error event
      // follows.
      this.#child.send?.({ job, bounds } satisfies JobMessage, ignoreUnsent);
      const answer = await answered;
      this.#rss = answer.rss;
      if ('failure' in answer) throw decodingError(answer.failure, answer.reason);
      return answer.result;
    } finally {
      limit.end();
      this.#job = undefined;
      this.#rest();
    }
  }

  /** Kills the process; a job in progress fails. */
  end(): void {
    this.#alive = false;
    this.#child.kill('SIGKILL');
  }

  #giveUp(): void {
    this.#job?.reject(decodingError('tooLarge', 'Working on the image took too long.'));
    this.end();
  }

  #heard(message: JobAnswer | 'started'): void {
    if (message === 'started') {
      this.#started = true;
      return;
    }
    if ('ended' in message) this.#alive = false;
    this.#job?.resolve(message);
  }

  #ended(cause: unknown): void {
    this.#alive = false;
    this.#death ??= new DecoderDied(this.#started, cause, this.#said);
    if (!this.#started && !this.#death.lacking) limitable = false;
    this.#job?.reject(this.#death);
  }

  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    (this.#child.stderr as Socket | null)?.unref();
  }
}

/** Whether the system can start a process with a limit on its data; found by trying. */
let limitable = process.platform !== 'win32';

function withinLimits(memory: number, command: readonly string[]): readonly string[] {
  if (!limitable) return command;
  const kibibytes = Math.ceil((killBytes(memory) + RESERVED_BYTES) / 1024);
  return ['/bin/sh', '-c', `ulimit -c 0; ulimit -d ${kibibytes}; exec "$0" "$@"`, ...command];
}

/** The end of the process is noticed by its exit event. */
function ignoreUnsent(): void {}

/**
 * Lower priority; and where memory is short, Linux ends a decoder, whose image is sent again,
 * before the service.
 */
function standBack(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/oom_score_adj`, FIRST_TO_END);
  } catch {
    // It has already ended, or there is no /proc.
  }
}

/** The most that proc_pid_oom_score_adj(5) takes. */
const FIRST_TO_END = '1000';

import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DecoderDied, decodingError } from './failure.ts';
import type { AcceptedPicture, DecoderJob, JobAnswer, JobBounds, JobMessage } from './jobs.ts';
import { mostBytes } from './memory.ts';

/** Written in TypeScript, published as JavaScript. */
const SCRIPT = fileURLToPath(new URL(`./decoder-main${extname(import.meta.filename)}`, import.meta.url));

/** Little of the engine, whose memory counts as the decoder's. */
const NODE_OPTIONS = ['--max-semi-space-size=1', '--max-old-space-size=64', '--v8-pool-size=1'];

/**
 * Threads for what is read and decoded, and heaps of the C library, that give back what is free: few, as one image is
 * worked on at a time. Nothing else of our environment: what an image makes of its decoder finds no secret.
 */
const ENVIRONMENT = { UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };

/** What Node reserves as data before it has done anything, 0.6 GB of it for code; bytes. */
const RESERVED_BYTES = 704 * 1024 ** 2;

/** Below this a process is almost a new one; bytes. */
const FRESH_BYTES = 72 * 1024 ** 2;

/** How much longer than its processor time a job may take, where others have the processor; and the least, ms. */
const PATIENCE = 18;
const LEAST_PATIENCE_MS = 30_000;

/**
 * A process that decodes images for this one. A process, because a decode cannot be called off, only killed; because its
 * memory is then given back whole; because it stands back behind calls; and because the threads of this process, which
 * files and names need, are not taken by it.
 *
 * Memory and time are bounded three times: the process watches over itself, the operating system refuses memory far
 * above the bound, and this side kills a process that has long said nothing.
 */
export class DecoderProcess {
  readonly #child: ChildProcess;
  #job: { readonly resolve: (answer: JobAnswer) => void; readonly reject: (error: Error) => void } | undefined;
  #alive = true;
  #started = false;
  #death: DecoderDied | undefined;
  /** What it took when its last job had ended; bytes. */
  #rss = 0;

  /** @param memory of the process, which the operating system is to keep far below; bytes. */
  constructor(memory: number) {
    const [file, ...args] = withinLimits(memory, [process.execPath, ...NODE_OPTIONS, SCRIPT]);
    // Its errors stand in its answers; what else it says is of no use to the log.
    this.#child = spawn(file!, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: ENVIRONMENT });
    this.#child.on('message', (message: JobAnswer | 'started') => this.#heard(message));
    this.#child.on('error', (error) => this.#ended(error));
    this.#child.on('exit', (code, signal) => this.#ended(code ?? signal));
    standBack(this.#child.pid);
    this.#rest();
  }

  /** Whether it can be given another job. */
  get alive(): boolean {
    return this.#alive;
  }

  /** Whether it has room for a job that takes so many bytes: what it once had stays in part. */
  hasRoomFor(bytes: number, { memory }: JobBounds): boolean {
    return this.#rss <= Math.max(FRESH_BYTES, memory - bytes);
  }

  /**
   * Does one job; the one before must have ended.
   * @throws {DependencyError} and {@link DecoderDied}.
   */
  async run(job: DecoderJob, bounds: JobBounds): Promise<AcceptedPicture> {
    // The system could not make it.
    if (this.#death !== undefined) throw this.#death;
    const answered = new Promise<JobAnswer>((resolve, reject) => {
      this.#job = { resolve, reject };
    });
    // While there is a job it keeps this process alive.
    this.#child.ref();
    this.#child.channel?.ref();
    const patience = setTimeout(() => this.#giveUp(), Math.max(LEAST_PATIENCE_MS, bounds.cpu * PATIENCE));
    try {
      // Where the system could not make the process, which is told a moment later, there is no channel either.
      this.#child.send?.({ job, bounds } satisfies JobMessage, ignoreUnsent);
      const answer = await answered;
      this.#rss = answer.rss;
      if ('failure' in answer) throw decodingError(answer.failure, answer.reason);
      return answer.result;
    } finally {
      clearTimeout(patience);
      this.#job = undefined;
      this.#rest();
    }
  }

  /** Ends it at once; a job in progress fails. */
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
    this.#death ??= new DecoderDied(this.#started, cause);
    if (!this.#started && !this.#death.lacking) limitable = false;
    this.#job?.reject(this.#death);
  }

  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

/** Whether processes start within a bound on their data; found out by trying. */
let limitable = process.platform !== 'win32';

function withinLimits(memory: number, command: readonly string[]): readonly string[] {
  if (!limitable) return command;
  const kibibytes = Math.ceil((mostBytes(memory) + RESERVED_BYTES) / 1024);
  return ['/bin/sh', '-c', `ulimit -c 0; ulimit -d ${kibibytes}; exec "$0" "$@"`, ...command];
}

/** A process that is just ending is heard of by its exit. */
function ignoreUnsent(): void {}

function standBack(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}

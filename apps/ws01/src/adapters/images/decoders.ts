import { DependencyError, isFailureOf } from '../../failure/dependency-error.ts';
import { FairQueue } from '../../turns/fair-queue.ts';
import { DecoderProcess } from './decoder-process.ts';
import { tryDescriptors } from './descriptors.ts';
import { DecoderDied, decodingError } from './failure.ts';
import type {
  AcceptedPicture,
  AcceptJob,
  DecoderJob,
  DescribeJob,
  JobBounds,
  ResizeJob,
} from './jobs.ts';

/** The bounds of the pool. */
export interface DecoderSettings extends JobBounds {
  /** Number of processes, which is the number of images decoded at once. */
  readonly processes: number;
  /** Maximum number of images that wait. */
  readonly waiting: number;
}

/** Decodes images in other processes. */
export interface ImageDecoders {
  readonly bounds: JobBounds;
  /**
   * Decodes an image completely and writes the renditions.
   * @param owner the uploading user; owners with waiting images take turns.
   * @throws {DependencyError} `refused` with the reason `unreadable` or `tooLarge`; `busy`;
   *   `unavailable` if no image can be decoded.
   */
  accept(job: Omit<AcceptJob, 'kind'>, owner: string): Promise<AcceptedPicture>;
  /**
   * Reads the header of an image.
   * @throws as {@link ImageDecoders.accept}.
   */
  describe(job: Omit<DescribeJob, 'kind'>, owner: string): Promise<AcceptedPicture>;
  /**
   * Writes a rendition narrower.
   * @throws as {@link ImageDecoders.accept}.
   */
  resize(job: Omit<ResizeJob, 'kind'>, owner: string): Promise<AcceptedPicture>;
  /** Kills the processes; jobs in progress fail. */
  close(): void;
}

/** The load of the pool and the results so far. */
export interface DecoderLoad {
  readonly working: number;
  readonly waiting: number;
  /** Images that were decoded, that were refused, and that could not be worked on. */
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
}

/** An idle process ends after this time and frees its 60 MB; ms. */
const IDLE_MS = 30_000;

interface Turn {
  readonly begin: () => void;
  readonly refuse: (error: DependencyError) => void;
}

/** A pool of decoder processes, started on demand up to a maximum. */
export class DecoderPool implements ImageDecoders {
  readonly bounds: JobBounds;
  readonly #settings: DecoderSettings;
  readonly #waiting = new FairQueue<Turn>();
  readonly #idle: DecoderProcess[] = [];
  readonly #working = new Set<DecoderProcess>();
  /** Turns in use. */
  #busy = 0;
  #ending: NodeJS.Timeout | undefined;
  #closed = false;
  readonly #outcomes = { done: 0, refused: 0, failed: 0 };

  constructor(settings: DecoderSettings) {
    this.#settings = settings;
    this.bounds = { memory: settings.memory, cpu: settings.cpu };
  }

  get load(): DecoderLoad {
    return { working: this.#busy, waiting: this.#waiting.length, ...this.#outcomes };
  }

  accept(job: Omit<AcceptJob, 'kind'>, owner: string): Promise<AcceptedPicture> {
    return this.#run({ kind: 'accept', ...job }, owner);
  }

  describe(job: Omit<DescribeJob, 'kind'>, owner: string): Promise<AcceptedPicture> {
    return this.#run({ kind: 'describe', ...job }, owner);
  }

  resize(job: Omit<ResizeJob, 'kind'>, owner: string): Promise<AcceptedPicture> {
    return this.#run({ kind: 'resize', ...job }, owner);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#ending);
    for (const process of [...this.#idle.splice(0), ...this.#working]) process.end();
    for (let turn = this.#waiting.shift(); turn !== undefined; turn = this.#waiting.shift())
      turn.refuse(stopping());
  }

  async #run(job: DecoderJob, owner: string): Promise<AcceptedPicture> {
    await this.#turn(owner);
    try {
      if (this.#closed) throw stopping();
      const result = await this.#work(job);
      this.#outcomes.done++;
      return result;
    } catch (error) {
      if (this.#closed) throw stopping();
      this.#outcomes[isFailureOf('decoders', error, 'refused') ? 'refused' : 'failed']++;
      throw error;
    } finally {
      this.#next();
    }
  }

  async #work(job: DecoderJob, again = true): Promise<AcceptedPicture> {
    const process = this.#take(job.kind === 'describe' ? 0 : job.decodeBytes);
    try {
      return await process.run(job, this.bounds);
    } catch (error) {
      if (!(error instanceof DecoderDied) || this.#closed) throw error;
      if (error.lacking) throw decodingError('lacking', error.message, error);
      // The process may have died before it got the job. One that could not start with a limit on
      // its data starts without it.
      if (again) return await this.#work(job, false);
      // Only what takes memory or time is the image's fault; all else is the machine's, such as a
      // limit of threads.
      throw decodingError(
        error.started && error.ofMemory ? 'tooLarge' : 'lacking',
        error.message,
        error,
      );
    } finally {
      this.#giveBack(process);
    }
  }

  /** Resolves when a process may be used. */
  #turn(owner: string): Promise<void> | void {
    if (this.#busy < this.#settings.processes) {
      this.#busy++;
      return;
    }
    if (this.#waiting.length >= this.#settings.waiting) {
      throw new DependencyError('decoders', 'busy', 'Too many images wait to be decoded.');
    }
    return new Promise((begin, refuse) => this.#waiting.push(owner, { begin, refuse }));
  }

  /** Passes the turn on. */
  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy--;
    else next.begin();
  }

  /**
   * Returns an idle process, or starts one.
   * @param needed memory of the job; bytes.
   */
  #take(needed: number): DecoderProcess {
    clearTimeout(this.#ending);
    let process = this.#idle.pop();
    // It may have died while idle.
    while (process !== undefined && !(process.alive && process.hasRoomFor(needed, this.bounds))) {
      process.end();
      process = this.#idle.pop();
    }
    process ??= this.#start();
    this.#working.add(process);
    return process;
  }

  /**
   * Starts a process. If descriptors are short, it does not try: Node leaks the ones opened for a
   * process that fails to start, until none are left.
   */
  #start(): DecoderProcess {
    try {
      tryDescriptors();
    } catch (error) {
      throw decodingError(
        'lacking',
        'There are too few descriptors to start a process that decodes images.',
        error,
      );
    }
    return new DecoderProcess(this.#settings.memory);
  }

  #giveBack(process: DecoderProcess): void {
    this.#working.delete(process);
    if (process.alive && !this.#closed) this.#idle.push(process);
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => {
      for (const idle of this.#idle.splice(0)) idle.end();
    }, IDLE_MS).unref();
  }
}

function stopping(): DependencyError {
  return new DependencyError('decoders', 'busy', 'The service is being stopped.');
}

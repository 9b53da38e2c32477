import { DependencyError, isFailureOf } from '../../failure/dependency-error.ts';
import { DecoderProcess } from './decoder-process.ts';
import { tryDescriptors } from './descriptors.ts';
import { DecoderDied, decodingError } from './failure.ts';
import { FairQueue } from './fair-queue.ts';
import type { AcceptedPicture, AcceptJob, DecoderJob, DescribeJob, JobBounds } from './jobs.ts';

/** How much decoding may take. */
export interface DecoderSettings extends JobBounds {
  /** Images decoded at once, each in its own process. */
  readonly processes: number;
  /** Images that wait at most. */
  readonly waiting: number;
}

/** Decodes images, outside this process. */
export interface ImageDecoders {
  readonly bounds: JobBounds;
  /**
   * @param owner who brings it: while several have images waiting, they take turns.
   * @throws {DependencyError} `refused`, since it is `unreadable` or `tooLarge`; `busy`; `unavailable` where nothing can be
   *   decoded.
   */
  accept(job: Omit<AcceptJob, 'kind'>, owner: string): Promise<AcceptedPicture>;
  /** Throws as {@link ImageDecoders.accept}. */
  describe(job: Omit<DescribeJob, 'kind'>, owner: string): Promise<AcceptedPicture>;
  /** Ends the processes at once; what they work on fails. */
  close(): void;
}

/** What the pool does, and what became of the images that it was given. */
export interface DecoderLoad {
  readonly working: number;
  readonly waiting: number;
  /** Images that were done, that were refused for their own sake, and that it could not work on. */
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
}

/** After so long without an image a process ends, and gives back its 60 MB; ms. */
const IDLE_MS = 30_000;

interface Turn {
  readonly begin: () => void;
  readonly refuse: (error: DependencyError) => void;
}

/** Starts processes as images come, up to a number, and keeps them while there are images. */
export class DecoderPool implements ImageDecoders {
  readonly bounds: JobBounds;
  readonly #settings: DecoderSettings;
  readonly #waiting = new FairQueue<Turn>();
  readonly #idle: DecoderProcess[] = [];
  readonly #working = new Set<DecoderProcess>();
  /** Turns that have begun. */
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

  close(): void {
    this.#closed = true;
    clearTimeout(this.#ending);
    for (const process of [...this.#idle.splice(0), ...this.#working]) process.end();
    for (let turn = this.#waiting.shift(); turn !== undefined; turn = this.#waiting.shift()) turn.refuse(stopping());
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
    const process = this.#take(job.kind === 'accept' ? job.decodeBytes : 0);
    try {
      return await process.run(job, this.bounds);
    } catch (error) {
      if (!(error instanceof DecoderDied) || this.#closed) throw error;
      if (error.lacking) throw decodingError('lacking', error.message, error);
      // It may have died before it had the job; and one that could not start within its bound on data starts without.
      if (again) return await this.#work(job, false);
      throw decodingError(error.started ? 'tooLarge' : 'broken', error.message, error);
    } finally {
      this.#giveBack(process);
    }
  }

  /** Resolves when a process may be taken. */
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

  /** Hands the turn on. */
  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy--;
    else next.begin();
  }

  /** @param needed what the job takes; bytes. */
  #take(needed: number): DecoderProcess {
    clearTimeout(this.#ending);
    let process = this.#idle.pop();
    // It may have died while it was idle.
    while (process !== undefined && !(process.alive && process.hasRoomFor(needed, this.bounds))) {
      process.end();
      process = this.#idle.pop();
    }
    process ??= this.#start();
    this.#working.add(process);
    return process;
  }

  /**
   * Where a descriptor is missing, Node keeps permanently those that it had opened for the process, until there are none for
   * anything: so it does not try.
   */
  #start(): DecoderProcess {
    try {
      tryDescriptors();
    } catch (error) {
      throw decodingError('lacking', 'There are too few descriptors to start a process that decodes images.', error);
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

import { time } from '@ws01/asmx/time';
import { caller } from './caller.ts';
import { FairQueue } from './fair-queue.ts';

/** Why a job gets no turn: too many wait, or its turn did not come in time. */
export type NoTurn = 'full' | 'late';

/** How much may wait, and for how long. */
export interface WaitLimits {
  /**
   * Maximum number of jobs that wait; default: any. One caller may have as many as are still free,
   * so half of them when it is alone.
   */
  readonly waiting?: number;
  /** Maximum waiting time; ms. Default: any. */
  readonly waitMs?: number;
  /** Makes the error of a job that gets no turn. */
  readonly refusal: (reason: NoTurn) => Error;
}

/** Everything waits as long as it takes. */
const UNLIMITED: WaitLimits = { refusal: (reason) => new Error(`There is no turn: ${reason}.`) };

export interface TurnOptions {
  /** Of the job; not more than may run at the same time. Default: 1. */
  readonly weight?: number | undefined;
  /** With whom others take turns; default: the {@link caller}. */
  readonly whose?: string | undefined;
  /** Ends the wait; work that has begun goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Whether it has already waited elsewhere: then it is not refused because too many wait. */
  readonly admitted?: boolean | undefined;
  /** Whether it is never refused and waits as long as it takes, for work that must follow. */
  readonly patient?: boolean | undefined;
}

interface Waiter {
  readonly weight: number;
  readonly begin: () => void;
}

/**
 * Bounds how much work runs at the same time. Other work waits, and callers take turns, however
 * much each has waiting. When too much waits, more is refused at once: to queue it would delay
 * everyone.
 */
export class Turns {
  readonly #limits: WaitLimits;
  readonly #queue = new FairQueue<Waiter>();
  #free: number;
  /** Number of jobs that wait for the same elsewhere. */
  elsewhere = 0;

  /** @param atOnce the total weight of the work at the same time. */
  constructor(atOnce: number, limits: WaitLimits = UNLIMITED) {
    this.#free = atOnce;
    this.#limits = limits;
  }

  /** Number of waiting jobs, here and elsewhere. */
  get waiting(): number {
    return this.#queue.length + this.elsewhere;
  }

  /** The weight that may begin at once. */
  get free(): number {
    return this.#free;
  }

  /** Maximum waiting time; ms. */
  get waitMs(): number {
    return this.#limits.waitMs ?? Number.POSITIVE_INFINITY;
  }

  /** Makes the error of a job that gets no turn. */
  refusal(reason: NoTurn): Error {
    return this.#limits.refusal(reason);
  }

  /**
   * @param own number of waiting jobs of the same caller.
   * @throws the refusal of the limits, when too many wait already.
   */
  assertRoom(own: number): void {
    const free = (this.#limits.waiting ?? Number.POSITIVE_INFINITY) - this.waiting;
    if (own >= free) throw this.refusal('full');
  }

  /**
   * Runs work when its turn comes. It must not take another turn of these.
   * @throws the limits' refusal; the signal's reason; the error of `work`.
   */
  async take<T>(work: () => Promise<T>, options: TurnOptions = {}): Promise<T> {
    const { weight = 1, signal } = options;
    signal?.throwIfAborted();
    if (this.#queue.length === 0 && weight <= this.#free) this.#free -= weight;
    else await this.#wait(weight, options);
    try {
      return await work();
    } finally {
      this.#free += weight;
      this.#admit();
    }
  }

  #wait(
    weight: number,
    { whose = caller(), signal, admitted, patient }: TurnOptions,
  ): Promise<void> {
    if (!admitted && !patient) this.assertRoom(this.#queue.lengthOf(whose));
    const { waitMs } = this.#limits;
    return new Promise((resolve, reject) => {
      const end = () => {
        limit?.end();
        signal?.removeEventListener('abort', onAbort);
      };
      const giveUp = (reason: unknown) => {
        end();
        this.#queue.remove(whose, waiter);
        reject(reason);
        // What waits behind it may be lighter.
        this.#admit();
      };
      const begin = () => {
        end();
        resolve();
      };
      const onAbort = () => giveUp(signal?.reason);
      const waiter: Waiter = { weight, begin };
      const isBounded = waitMs !== undefined && !patient;
      const late = () => giveUp(this.refusal('late'));
      const limit = isBounded ? time.limit(waitMs, late) : undefined;
      signal?.addEventListener('abort', onAbort);
      this.#queue.push(whose, waiter);
    });
  }

  /** Lets in whose turn it is, as long as there is place. */
  #admit(): void {
    for (;;) {
      const next = this.#queue.first;
      if (next === undefined || next.weight > this.#free) return;
      this.#queue.shift();
      this.#free -= next.weight;
      next.begin();
    }
  }
}

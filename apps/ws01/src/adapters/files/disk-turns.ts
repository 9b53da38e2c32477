import { DependencyError } from '../../failure/dependency-error.ts';

/** Node's threads for files, names, cryptography and compression where `UV_THREADPOOL_SIZE` says nothing else. */
export const DEFAULT_POOL_THREADS = 4;

/** What is read for anybody does not hold up what is written, nor the other way round: each has a queue. */
export type DiskUse = 'read' | 'write';

/** What work with the disk says of itself. */
interface TurnOptions {
  /** Ends the wait; work that has begun cannot be called off. */
  readonly signal?: AbortSignal | undefined;
  /** Waits as long as it takes and is never refused: what has begun must go on, what was opened must be closed. */
  readonly patient?: boolean;
}

/** How many operations may be with the disk, and how many may wait for how long. */
interface DiskTurnsBounds {
  /** Operations at once; each holds one thread of Node's pool. */
  readonly atOnce: number;
  /** Waiting operations of each queue. */
  readonly waiting?: number;
  /** ms. */
  readonly patienceMs?: number;
}

interface Waiter {
  readonly start: () => void;
}

const WAITING = 1_000;
const PATIENCE_MS = 10_000;
/** More at once make no disk faster, and each takes a thread from all others. */
const MOST_AT_ONCE = 4;
const RETRY_AFTER_S = 5;

/**
 * Work with the disk, a bounded number at a time. A disk or network folder that no longer answers keeps each thread that
 * asks it, permanently; were all of Node's threads to wait for it, so would names, cryptography and with them each new
 * connection to PostgreSQL. So files may have half of the threads at most (`atOnce`); who comes later waits, in the order
 * of arrival, and reading and writing take turns.
 */
export class DiskTurns {
  readonly #bounds: Required<DiskTurnsBounds>;
  readonly #queues: Readonly<Record<DiskUse, Set<Waiter>>> = { read: new Set(), write: new Set() };
  #underWay = 0;
  #next: DiskUse = 'write';

  constructor({ atOnce, waiting = WAITING, patienceMs = PATIENCE_MS }: DiskTurnsBounds) {
    this.#bounds = { atOnce, waiting, patienceMs };
  }

  /** Turns for a pool of so many threads: half of them, as names may take the other half but for one, and no more than four. */
  static ofPool(threads: number): DiskTurns {
    return new DiskTurns({ atOnce: Math.max(1, Math.min(MOST_AT_ONCE, Math.floor(threads / 2))) });
  }

  /**
   * Does work with the disk when its turn comes. Work must not take another turn within its own.
   * @throws {DependencyError} `busy` when too many wait, or the turn does not come in time; what `work` throws; the signal's
   *   reason.
   */
  async take<T>(use: DiskUse, work: () => Promise<T>, options: TurnOptions = {}): Promise<T> {
    options.signal?.throwIfAborted();
    if (this.#underWay < this.#bounds.atOnce) this.#underWay++;
    else await this.#wait(use, options);
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  #wait(use: DiskUse, { signal, patient = false }: TurnOptions): Promise<void> {
    const queue = this.#queues[use];
    if (!patient && queue.size >= this.#bounds.waiting) throw busy();
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.delete(waiter);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        leave();
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        start: () => {
          leave();
          resolve();
        },
      };
      const giveUp = () => {
        leave();
        reject(busy());
      };
      const timer = patient ? undefined : setTimeout(giveUp, this.#bounds.patienceMs);
      signal?.addEventListener('abort', onAbort);
      queue.add(waiter);
    });
  }

  /** Hands the turn that has ended to the next one. */
  #pass(): void {
    const other: DiskUse = this.#next === 'read' ? 'write' : 'read';
    for (const use of [this.#next, other]) {
      const [first] = this.#queues[use];
      if (first === undefined) continue;
      this.#next = use === 'read' ? 'write' : 'read';
      first.start();
      return;
    }
    this.#underWay--;
  }
}

function busy(): DependencyError {
  return new DependencyError('files', 'busy', 'Too much waits for the disk of DATA_DIR.', {
    retryAfter: RETRY_AFTER_S,
  });
}

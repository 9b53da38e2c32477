import { DependencyError } from '../../failure/dependency-error.ts';

/** Node's default number of pool threads, used for files, DNS, cryptography and compression (`UV_THREADPOOL_SIZE`). */
export const DEFAULT_POOL_THREADS = 4;

/** Reads and writes have a queue each, so that neither delays the other. */
export type DiskUse = 'read' | 'write';

/** Options of an operation. */
interface TurnOptions {
  /** Ends the wait; an operation that has started cannot be cancelled. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Waits without a timeout and is never rejected, for operations that must follow: to continue or close an open file.
   */
  readonly patient?: boolean;
}

/** The bounds on operations at once and on waiting. */
interface DiskTurnsBounds {
  /** Concurrent operations; each uses one thread of Node's pool. */
  readonly atOnce: number;
  /** Maximum number of waiting operations in each queue. */
  readonly waiting?: number;
  /** ms. */
  readonly waitMs?: number;
}

interface Waiter {
  readonly start: () => void;
}

const WAITING = 1_000;
const WAIT_MS = 10_000;
/** More concurrent operations make no disk faster, and each takes a thread from other work. */
const MAX_AT_ONCE = 4;
const RETRY_AFTER_S = 5;

/**
 * Bounds the number of concurrent disk operations. A disk or network folder that stops answering blocks every thread
 * that waits for it. If all of Node's threads were blocked, DNS and cryptography would stop too, and with them every
 * new connection to PostgreSQL. So files get at most half of the threads (`atOnce`). Other operations wait in the order
 * of arrival; reads and writes alternate.
 */
export class DiskTurns {
  readonly #bounds: Required<DiskTurnsBounds>;
  readonly #queues: Readonly<Record<DiskUse, Set<Waiter>>> = { read: new Set(), write: new Set() };
  #underWay = 0;
  #next: DiskUse = 'write';

  constructor({ atOnce, waiting = WAITING, waitMs = WAIT_MS }: DiskTurnsBounds) {
    this.#bounds = { atOnce, waiting, waitMs };
  }

  /** Creates turns for a pool of this size: half of its threads, since DNS may use the rest, and at most four. */
  static ofPool(threads: number): DiskTurns {
    return new DiskTurns({ atOnce: Math.max(1, Math.min(MAX_AT_ONCE, Math.floor(threads / 2))) });
  }

  /**
   * Runs an operation when its turn comes. An operation must not take another turn.
   * @throws {DependencyError} `busy` when too many wait, or the turn does not come in time; the error of `work`; the
   *   signal's reason.
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
      const timer = patient ? undefined : setTimeout(giveUp, this.#bounds.waitMs);
      signal?.addEventListener('abort', onAbort);
      queue.add(waiter);
    });
  }

  /** Passes the turn to the next operation. */
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

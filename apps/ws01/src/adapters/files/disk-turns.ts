import { RETRY_AFTER_S } from '../../failure/answer-headers.ts';
import { DependencyError } from '../../failure/dependency-error.ts';
import { Turns } from '../../turns/turns.ts';

/**
 * Node's default number of pool threads, used for files, DNS, cryptography and compression
 * (`UV_THREADPOOL_SIZE`).
 */
export const DEFAULT_POOL_THREADS = 4;

/** Reads and writes have a queue each, so that neither delays the other. */
export type DiskUse = 'read' | 'write';

/** Options of an operation. */
interface TurnOptions {
  /** Ends the wait; an operation that has started cannot be cancelled. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Waits without a timeout and is never rejected, for operations that must follow: to continue or
   * close an open file.
   */
  readonly patient?: boolean;
}

/** The bounds on operations at once and on waiting. */
interface DiskTurnsBounds {
  /** Concurrent operations; each uses one thread of Node's pool. */
  readonly atOnce: number;
  /** Maximum number of waiting operations of each use. */
  readonly waiting?: number;
  /** ms. */
  readonly waitMs?: number;
}

/** One for each {@link DiskUse}. */
const QUEUES = 2;
const WAITING = 1_000;
const WAIT_MS = 10_000;
/** More concurrent operations make no disk faster, and each takes a thread from other work. */
const MAX_AT_ONCE = 4;

/**
 * Bounds the number of concurrent disk operations. A disk or network folder that stops answering
 * blocks every thread that waits for it. If all of Node's threads were blocked, DNS and
 * cryptography would stop too, and with them every new connection to PostgreSQL. So files get at
 * most half of the threads (`atOnce`). Other operations wait in the order of arrival; reads and
 * writes alternate.
 */
export class DiskTurns {
  readonly #turns: Turns;

  constructor({ atOnce, waiting = WAITING, waitMs = WAIT_MS }: DiskTurnsBounds) {
    this.#turns = new Turns(atOnce, { waiting: QUEUES * waiting, waitMs, refusal: busy });
  }

  /**
   * Creates turns for a pool of this size: half of its threads, since DNS may use the rest, and at
   * most four.
   */
  static ofPool(threads: number): DiskTurns {
    return new DiskTurns({ atOnce: Math.max(1, Math.min(MAX_AT_ONCE, Math.floor(threads / 2))) });
  }

  /**
   * Runs an operation when its turn comes. An operation must not take another turn.
   * @throws {DependencyError} `busy` when too many wait, or the turn does not come in time; the
   *   error of `work`; the signal's reason.
   */
  take<T>(use: DiskUse, work: () => Promise<T>, options: TurnOptions = {}): Promise<T> {
    return this.#turns.take(work, { ...options, whose: use });
  }
}

function busy(): DependencyError {
  return new DependencyError('files', 'busy', 'Too much waits for the disk of DATA_DIR.', {
    retryAfter: RETRY_AFTER_S,
  });
}

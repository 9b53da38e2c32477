import { time } from '@ws01/asmx/time';
import { caller } from '../../turns/caller.ts';
import { FairQueue } from '../../turns/fair-queue.ts';
import type { Turns } from '../../turns/turns.ts';

/** What waits until several can use a connection together. */
interface Waiting {
  readonly caller: string;
  /** When it has waited too long; by `time.steady`. */
  readonly deadline: number;
  readonly reject: (reason: unknown) => void;
}

/**
 * A queue for a connection that several use together. Its callers take turns; its length counts as
 * that of `Turns`.
 */
export class WaitingRoom<Job extends Waiting> {
  readonly #turns: Turns;
  readonly #queue = new FairQueue<Job>();

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  get length(): number {
    return this.#queue.length;
  }

  /**
   * @param waits whether there is no connection for it at once; only then it may be refused.
   * @throws {DependencyError} `busy` when too many wait.
   */
  add(job: Omit<Job, 'caller' | 'deadline'>, waits = true): void {
    const whose = caller();
    if (waits) this.#turns.assertRoom(this.#queue.lengthOf(whose));
    this.#queue.push(whose, {
      ...job,
      caller: whose,
      deadline: time.steady() + this.#turns.waitMs,
    } as Job);
    this.#turns.elsewhere++;
  }

  /**
   * Takes out the next jobs, in turns of their callers. Those that have waited too long are
   * refused.
   * @param claims whether a job may go; then it goes.
   */
  take(most: number, claims: (job: Job) => boolean = () => true): Job[] {
    const taken: Job[] = [];
    const now = time.steady();
    for (const job of this.#queue.taking((one) => one.deadline <= now || claims(one))) {
      this.#turns.elsewhere--;
      if (job.deadline <= now) job.reject(this.#turns.refusal('late'));
      else taken.push(job);
      if (taken.length === most) break;
    }
    return taken;
  }
}

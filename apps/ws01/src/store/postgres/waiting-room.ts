import { DependencyError } from '../../failure/dependency-error.ts';
import { caller } from '../on-behalf.ts';
import type { Turns } from './turns.ts';

/** What waits until several can use a connection together. */
interface Waiting {
  readonly caller: string;
  /** When it has waited too long; by `performance.now`. */
  readonly deadline: number;
  readonly reject: (reason: unknown) => void;
}

/** A queue for a connection that several use together. Its callers take turns; its length counts as that of `Turns`. */
export class WaitingRoom<Job extends Waiting> {
  readonly #turns: Turns;
  /** By caller, in the order of the callers' turns. */
  readonly #waiting = new Map<string, Job[]>();
  #length = 0;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  get length(): number {
    return this.#length;
  }

  /**
   * @param waits whether there is no connection for it at once; only then it may be refused.
   * @throws {DependencyError} `busy` when too many wait.
   */
  add(job: Omit<Job, 'caller' | 'deadline'>, waits = true): void {
    const whose = caller();
    const own = this.#waiting.get(whose) ?? [];
    if (waits) this.#turns.assertRoom(own.length);
    own.push({ ...job, caller: whose, deadline: performance.now() + this.#turns.timeoutMs } as Job);
    this.#waiting.set(whose, own);
    this.#turns.elsewhere++;
    this.#length++;
  }

  /**
   * Takes out the next jobs, in turns of their callers. Those that have waited too long are refused.
   * @param claims whether a job may go; then it goes.
   */
  take(most: number, claims: (job: Job) => boolean = () => true): Job[] {
    const { timeoutMs } = this.#turns;
    const taken: Job[] = [];
    const now = performance.now();
    for (let found = true; found && taken.length < most; ) {
      found = false;
      for (const [whose, own] of [...this.#waiting]) {
        if (taken.length >= most) break;
        const index = own.findIndex((job) => job.deadline <= now || claims(job));
        if (index < 0) continue;
        const [job] = own.splice(index, 1);
        this.#turns.elsewhere--;
        this.#length--;
        // Back to the end of the queue.
        this.#waiting.delete(whose);
        if (own.length > 0) this.#waiting.set(whose, own);
        found = true;
        if (job!.deadline > now) taken.push(job!);
        else job!.reject(new DependencyError('database', 'busy', `PostgreSQL had no time within ${timeoutMs} ms.`));
      }
    }
    return taken;
  }
}

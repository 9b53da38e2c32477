import type { Logger } from 'pino';

/** `degraded`: calls are served, but not all that they can ask for. */
export type HealthState = 'ok' | 'degraded' | 'down';

/** Something that the service needs. */
export interface HealthPart {
  readonly name: string;
  /** What a failing check means: `down` when no call can be served, `degraded` when the others can. */
  readonly failing: Exclude<HealthState, 'ok'>;
  /** Rejects with the reason when the part cannot be used. May take its time: nobody waits longer for it than the limit. */
  readonly check: () => Promise<void>;
}

/** The health of a part, and since when. Only the log has the reason, because it may name hosts and paths. */
export interface PartHealth {
  readonly state: HealthState;
  /** When it came to be so; ms since 1970. */
  readonly since: number;
}

/** The whole service: as bad as its worst part. */
export interface Health {
  readonly state: HealthState;
  readonly parts: Readonly<Record<string, PartHealth>>;
}

/** Timeout of a check, after which it counts as failed; ms. */
const ANSWER_WITHIN_MS = 800;

/** Checks all parts concurrently. A hanging check is not started again. */
export class HealthChecks {
  readonly #parts: readonly HealthPart[];
  readonly #log: Logger;
  readonly #known = new Map<string, PartHealth>();
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(parts: readonly HealthPart[], log: Logger) {
    this.#parts = parts;
    this.#log = log;
  }

  /** Answers within a second, whatever the parts do. */
  async report(): Promise<Health> {
    const states = await Promise.all(this.#parts.map((part) => this.#look(part)));
    const state = (['down', 'degraded'] as const).find((bad) => states.includes(bad)) ?? 'ok';
    return { state, parts: Object.fromEntries(this.#known) };
  }

  async #look(part: HealthPart): Promise<HealthState> {
    const failure = await within(ANSWER_WITHIN_MS, this.#check(part));
    const state = failure === undefined ? 'ok' : part.failing;
    const before = this.#known.get(part.name);
    if (before?.state === state) return state;
    this.#known.set(part.name, { state, since: Date.now() });
    if (failure !== undefined) this.#log.warn({ part: part.name, state, err: failure }, FAILING[part.failing]);
    else if (before !== undefined) this.#log.info({ part: part.name }, 'ready again');
    return state;
  }

  /** @returns the reason why the part cannot be used. */
  #check({ name, check }: HealthPart): Promise<unknown> {
    let running = this.#underWay.get(name);
    if (running === undefined) {
      running = check().then(
        () => undefined,
        (error: unknown) => error ?? new Error('It failed without a reason.'),
      );
      this.#underWay.set(name, running);
      running.then(() => this.#underWay.delete(name));
    }
    return running;
  }
}

const FAILING = {
  down: 'not ready: no call can be served without it',
  degraded: 'degraded: what needs it fails, all other calls are served',
} as const;

function within(limit: number, checking: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(new Error(`It did not answer within ${limit} ms.`)), limit);
    checking.then((failure) => {
      clearTimeout(timer);
      resolve(failure);
    });
  });
}

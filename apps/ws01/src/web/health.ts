import { within } from '@ws01/asmx/time';
import type { Logger } from 'pino';
import { SingleFlight } from '../turns/memory.ts';

/** `degraded`: calls are served, but some of them fail. */
export type HealthState = 'ok' | 'degraded' | 'down';

/** A dependency of the service. */
export interface HealthPart {
  readonly name: string;
  /** The state when the check fails: `down` if no call can be served, otherwise `degraded`. */
  readonly failing: Exclude<HealthState, 'ok'>;
  /**
   * Rejects with the reason when the dependency cannot be used. It may hang; the result is awaited
   * with a timeout.
   */
  readonly check: () => Promise<void>;
}

/**
 * Why a part fails, and what to do about it, without hosts, paths and values: anybody may read it.
 */
export class PublicFailure extends Error {
  override readonly name = 'PublicFailure';
}

/**
 * The health of a part. Most reasons are in the log only, since they may contain hosts and paths.
 */
export interface PartHealth {
  /** The text of a {@link PublicFailure}. */
  readonly reason?: string;
  readonly state: HealthState;
  /** When this state began; ms since 1970. */
  readonly since: number;
}

/** The health of the service, which is that of its worst part. */
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
  readonly #underWay = new SingleFlight<unknown>();

  constructor(parts: readonly HealthPart[], log: Logger) {
    this.#parts = parts;
    this.#log = log;
  }

  /** Returns the health within a second, even if checks hang. */
  async report(): Promise<Health> {
    const states = await Promise.all(this.#parts.map((part) => this.#look(part)));
    const state = (['down', 'degraded'] as const).find((bad) => states.includes(bad)) ?? 'ok';
    return { state, parts: Object.fromEntries(this.#known) };
  }

  async #look(part: HealthPart): Promise<HealthState> {
    const answer = this.#check(part).then((failure) => ({ failure }));
    const { failure } = (await within(ANSWER_WITHIN_MS, answer)) ?? LATE;
    const state = failure === undefined ? 'ok' : part.failing;
    const before = this.#known.get(part.name);
    const said = failure instanceof PublicFailure ? { reason: failure.message } : {};
    if (before?.state === state && before.reason === said.reason) return state;
    this.#known.set(part.name, {
      state,
      since: before?.state === state ? before.since : Date.now(),
      ...said,
    });
    if (failure !== undefined)
      this.#log.warn({ part: part.name, state, err: failure }, FAILING[part.failing]);
    else if (before !== undefined) this.#log.info({ part: part.name }, 'ready again');
    return state;
  }

  /** @returns the reason why the part cannot be used. */
  #check({ name, check }: HealthPart): Promise<unknown> {
    return this.#underWay.run(name, () =>
      check().then(
        () => undefined,
        (error: unknown) => error ?? new Error('It failed without a reason.'),
      ),
    );
  }
}

const FAILING = {
  down: 'not ready: no call can be served without it',
  degraded: 'degraded: what needs it fails, all other calls are served',
} as const;

const LATE = { failure: new Error(`It did not answer within ${ANSWER_WITHIN_MS} ms.`) };

import { MINUTE_MS } from '@ws01/asmx/time';
import type { Instant } from '../../store/tables/tables.ts';

/** The first wait, which doubles; ms. */
const FIRST_WAIT = 1_000;

/**
 * How long the waits stay short after the beginning of an outage; ms (semantics 5.7: at most 15 s
 * in the first 10 minutes).
 */
const YOUNG_MS = 10 * MINUTE_MS;
const LONGEST_WHILE_YOUNG = 10_000;
const LONGEST = 60_000;

/** The state of an outage, for other processes. */
export interface OutageState {
  readonly since?: Instant | undefined;
  readonly reply: string;
  readonly failures: number;
  readonly reopensAt: Instant;
}

const WELL = { since: undefined, failures: 0, reopensAt: 0 } as const;

/**
 * Whether this node can reach the server. During an outage, one message at a time tests the server,
 * and the others wait.
 */
export class Outage {
  #state: OutageState = { ...WELL, reply: '' };
  /** Called when the state has changed. */
  onChange: () => void = () => {};

  /** Since when the server is unreachable; `undefined` if it is reachable, as far as is known. */
  get since(): Instant | undefined {
    return this.#state.since;
  }

  /** The reason of the last failure. */
  get reply(): string {
    return this.#state.reply;
  }

  /** When the server may be tried again. */
  get reopensAt(): Instant {
    return this.#state.reopensAt;
  }

  /** The whole state. */
  get state(): OutageState {
    return this.#state;
  }

  /** Adopts the state of another process. */
  adopt(state: OutageState): void {
    this.#state = state;
  }

  /** Returns how many of the slots may be used. */
  allows(slots: number, now: Instant): number {
    if (this.since === undefined) return slots;
    return now < this.reopensAt ? 0 : 1;
  }

  /** Records a failure. Concurrent failures count once. */
  failed(reply: string, now: Instant): void {
    const { failures, reopensAt } = this.#state;
    const since = this.since ?? now;
    const longest = now - since < YOUNG_MS ? LONGEST_WHILE_YOUNG : LONGEST;
    const wait = Math.min(longest, FIRST_WAIT * 2 ** Math.min(failures, 30));
    this.#state =
      now < reopensAt
        ? { since, reply, failures, reopensAt }
        : { since, reply, failures: failures + 1, reopensAt: now + wait };
    this.onChange();
  }

  /** Records a reply, whatever it was. */
  answered(): void {
    if (this.since === undefined) return;
    this.#state = { ...this.#state, ...WELL };
    this.onChange();
  }
}

import type { Instant } from '../../store/tables/tables.ts';

/** The first wait, which doubles; ms. */
const FIRST_WAIT = 1_000;

/** For so long after it began, the waits stay short; ms (semantics 5.7: at or under 15 s for the first 10 minutes). */
const YOUNG_MS = 10 * 60_000;
const LONGEST_WHILE_YOUNG = 10_000;
const LONGEST = 60_000;

/** What is known of an outage, to be told to another process. */
export interface OutageState {
  readonly since?: Instant | undefined;
  readonly reply: string;
  readonly failures: number;
  readonly reopensAt: Instant;
}

const WELL = { since: undefined, failures: 0, reopensAt: 0 } as const;

/**
 * Whether this node can reach the server. During an outage, one message at a time tests the server, and the others
 * wait.
 */
export class Outage {
  #state: OutageState = { ...WELL, reply: '' };
  /** Told when what is known has changed. */
  onChange: () => void = () => {};

  /** Since when it cannot be reached; `undefined` when it can, as far as is known. */
  get since(): Instant | undefined {
    return this.#state.since;
  }

  /** Why it could not be reached the last time. */
  get reply(): string {
    return this.#state.reply;
  }

  /** When it may be tried again. */
  get reopensAt(): Instant {
    return this.#state.reopensAt;
  }

  /** All that is known. */
  get state(): OutageState {
    return this.#state;
  }

  /** Takes over what another process knows. */
  adopt(state: OutageState): void {
    this.#state = state;
  }

  /** How many messages may be tried at once, of so many slots. */
  allows(slots: number, now: Instant): number {
    if (this.since === undefined) return slots;
    return now < this.reopensAt ? 0 : 1;
  }

  /** It could not be reached. Attempts that were in progress together count once. */
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

  /** It answered, whatever it answered. */
  answered(): void {
    if (this.since === undefined) return;
    this.#state = { ...this.#state, ...WELL };
    this.onChange();
  }
}

import type { Instant } from '../../store/tables.ts';

/** The first wait, which doubles; ms. */
const FIRST_WAIT = 1_000;

/** For so long after it began, the waits stay short; ms (semantics 7: at or under 15 s for the first 10 minutes). */
const YOUNG_MS = 10 * 60_000;
const LONGEST_WHILE_YOUNG = 10_000;
const LONGEST = 60_000;

/**
 * Whether the other side can be reached, as this node sees it. While it cannot, one message at a time finds out whether
 * it can again, and the others wait untouched.
 */
export class Outage {
  #since: Instant | undefined;
  #reply = '';
  #failures = 0;
  #reopensAt = 0;

  /** Since when it cannot be reached; `undefined` when it can, as far as is known. */
  get since(): Instant | undefined {
    return this.#since;
  }

  /** Why it could not be reached the last time. */
  get reply(): string {
    return this.#reply;
  }

  /** When it may be tried again. */
  get reopensAt(): Instant {
    return this.#reopensAt;
  }

  /** How many messages may be tried at once, of so many slots. */
  allows(slots: number, now: Instant): number {
    if (this.#since === undefined) return slots;
    return now < this.#reopensAt ? 0 : 1;
  }

  /** It could not be reached. Attempts that were under way together count once. */
  failed(reply: string, now: Instant): void {
    this.#since ??= now;
    this.#reply = reply;
    if (now < this.#reopensAt) return;
    const longest = now - this.#since < YOUNG_MS ? LONGEST_WHILE_YOUNG : LONGEST;
    this.#reopensAt = now + Math.min(longest, FIRST_WAIT * 2 ** Math.min(this.#failures, 30));
    this.#failures++;
  }

  /** It answered, whatever it answered. */
  answered(): void {
    this.#since = undefined;
    this.#failures = 0;
    this.#reopensAt = 0;
  }
}

import type { Instant } from '../../store/tables/tables.ts';

/** How long a code is valid (contract 8), exclusive; ms. */
export const CODE_LIFETIME_MS = 180_000;

/** Largest number of attempts per code; the last wrong one invalidates it (semantics 5.10). */
export const MAX_ATTEMPTS = 5;

/** What can become of a code; `locked`: it was entered wrong too often. */
export const CODE_OUTCOMES = ['verified', 'locked', 'replaced', 'expired', 'waiting'] as const;

/** What happened to a code after it was asked for. */
interface CodeStory {
  readonly askedAt: Instant;
  readonly attempts: number;
  readonly isVerified: boolean;
  /** When a newer code took its place; `undefined` if none did. */
  readonly replacedAt: Instant | undefined;
}

/** @returns what has become of a code by now. */
export function codeOutcome(
  { askedAt, attempts, isVerified, replacedAt }: CodeStory,
  now: Instant,
): (typeof CODE_OUTCOMES)[number] {
  const until = askedAt + CODE_LIFETIME_MS;
  if (isVerified) return 'verified';
  if (attempts >= MAX_ATTEMPTS) return 'locked';
  if (replacedAt !== undefined && replacedAt < until) return 'replaced';
  return until <= now ? 'expired' : 'waiting';
}

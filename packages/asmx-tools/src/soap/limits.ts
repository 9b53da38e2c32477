import { defineLimits, type Limits } from '@ws01/asmx/internal/contract/limits';

const MIB = 1024 * 1024;

/** Bounds of answers: larger than those of requests, because a client asks for what it gets. */
export const CLIENT_LIMITS: Limits = defineLimits({
  bodyBytes: 64 * MIB,
  binaryBytes: 64 * MIB,
  textChars: 64 * MIB,
  elements: 1_000_000,
  items: 1_000_000,
  parts: 100_000,
  totalAttributes: 2_000_000,
  attributeValueChars: MIB,
  headerBytes: MIB,
  depth: 200,
});

const NONE = Number.MAX_SAFE_INTEGER;

/** The same for an answer that is held only in part. */
export function streamLimits(limits: Limits): Limits {
  const unbounded = { bodyBytes: NONE, binaryBytes: NONE, elements: NONE, totalAttributes: NONE };
  return { ...limits, ...unbounded, items: NONE };
}

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';

/** A challenge of WebAuthn is good so long; ms. */
export const CHALLENGE_MS = 5 * 60 * 1000;

const INSTANT_BYTES = 8;
const RANDOM_BYTES = 16;
const SEAL_BYTES = 32;
const SEALED_BYTES = INSTANT_BYTES + RANDOM_BYTES;

/** Keeps the seal apart from everything else that the keys are used for. */
const PURPOSE = 'ws01 WebAuthn challenge';

/** Keys that all nodes have and that rotate. */
export interface ChallengeKeys {
  /** The key of the present. */
  current(now: Instant): Promise<{ readonly bytes: Uint8Array }>;
  /** The key that was the present one at a time; `undefined` when there is none. */
  at(instant: Instant): Promise<{ readonly bytes: Uint8Array } | undefined>;
}

/** What challenges are made with. */
export interface ChallengeDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly challengeKeys: ChallengeKeys;
}

/**
 * Makes a challenge. Anybody may ask for one, so nothing is kept of it: it carries its time under a seal, and only that
 * it was used is written down, by {@link consumeChallenge}.
 */
export async function newChallenge({ clock, challengeKeys }: ChallengeDeps): Promise<Uint8Array<ArrayBuffer>> {
  const now = clock();
  const sealed = Buffer.alloc(SEALED_BYTES);
  sealed.writeBigInt64BE(BigInt(now));
  randomBytes(RANDOM_BYTES).copy(sealed, INSTANT_BYTES);
  const key = await challengeKeys.current(now);
  return new Uint8Array(Buffer.concat([sealed, sealOf(key.bytes, sealed)]));
}

/**
 * Takes a challenge, once. To be called for who has something to answer it with: it writes.
 * @param challenge base64url, as browsers send it back.
 * @returns whether it is one of ours, in its time, and was not taken before.
 */
export async function consumeChallenge(
  { store, clock, challengeKeys }: ChallengeDeps,
  challenge: string,
): Promise<boolean> {
  const bytes = Buffer.from(challenge, 'base64url');
  // Several texts mean the same bytes; one of them counts, or a challenge could be taken twice.
  if (bytes.length !== SEALED_BYTES + SEAL_BYTES || bytes.toString('base64url') !== challenge) return false;
  const sealed = bytes.subarray(0, SEALED_BYTES);
  const madeAt = Number(sealed.readBigInt64BE());
  // Clocks of nodes may differ; without a seal the time means nothing, but it chooses the key.
  if (Math.abs(clock() - madeAt) >= CHALLENGE_MS) return false;
  const key = await challengeKeys.at(madeAt);
  if (key === undefined || !timingSafeEqual(sealOf(key.bytes, sealed), bytes.subarray(SEALED_BYTES))) return false;
  const { numInsertedOrUpdatedRows } = await store.write((tx) =>
    tx
      .insertInto('admin_challenges')
      .values({ challenge, expires_at: madeAt + CHALLENGE_MS })
      .onConflict((conflict) => conflict.column('challenge').doNothing())
      .executeTakeFirstOrThrow(),
  );
  return numInsertedOrUpdatedRows === 1n;
}

function sealOf(key: Uint8Array, sealed: Uint8Array): Buffer {
  return createHmac('sha256', key).update(PURPOSE).update(sealed).digest();
}

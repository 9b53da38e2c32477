import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { MINUTE_MS } from '@ws01/asmx/time';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';

/** Lifetime of a WebAuthn challenge; ms. */
export const CHALLENGE_MS = 5 * MINUTE_MS;

const INSTANT_BYTES = 8;
const RANDOM_BYTES = 16;
const SEAL_BYTES = 32;
const SEALED_BYTES = INSTANT_BYTES + RANDOM_BYTES;

/** Separates these signatures from other uses of the keys. */
const PURPOSE = 'ws01 WebAuthn challenge';

/** Rotating keys that all nodes share. */
export interface ChallengeKeys {
  /** Returns the present key. */
  current(now: Instant): Promise<{ readonly bytes: Uint8Array }>;
  /** Returns the key that was used at a time; `undefined` if there is none. */
  at(instant: Instant): Promise<{ readonly bytes: Uint8Array } | undefined>;
}

/** Dependencies of challenges. */
export interface ChallengeDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly challengeKeys: ChallengeKeys;
}

/**
 * Creates a challenge. Anyone may request one, and answer it, so it is not stored: it contains its
 * time and a signature. {@link consumeChallenge} records its use.
 */
export async function newChallenge({
  clock,
  challengeKeys,
}: ChallengeDeps): Promise<Uint8Array<ArrayBuffer>> {
  const now = clock();
  const sealed = Buffer.alloc(SEALED_BYTES);
  sealed.writeBigInt64BE(BigInt(now));
  randomBytes(RANDOM_BYTES).copy(sealed, INSTANT_BYTES);
  const key = await challengeKeys.current(now);
  return new Uint8Array(Buffer.concat([sealed, sealOf(key.bytes, sealed)]));
}

/**
 * Uses a challenge, once. Call it only with an answer that is right, because it writes.
 * @param challenge base64url, as browsers return it; one that {@link isOurs}.
 * @returns whether it was not used before, and is not expired.
 */
export async function consumeChallenge(deps: ChallengeDeps, challenge: string): Promise<boolean> {
  const madeAt = await madeAtOf(deps, challenge);
  if (madeAt === undefined) return false;
  const { numInsertedOrUpdatedRows } = await deps.store.write((tx) =>
    tx
      .insertInto('admin_challenges')
      .values({ challenge, expires_at: madeAt + CHALLENGE_MS })
      .onConflict((conflict) => conflict.column('challenge').doNothing())
      .executeTakeFirstOrThrow(),
  );
  return numInsertedOrUpdatedRows === 1n;
}

/** Whether a challenge is ours and not expired. Writes nothing: anybody may answer one. */
export async function isOurs(
  deps: Omit<ChallengeDeps, 'store'>,
  challenge: string,
): Promise<boolean> {
  return (await madeAtOf(deps, challenge)) !== undefined;
}

async function madeAtOf(
  { clock, challengeKeys }: Omit<ChallengeDeps, 'store'>,
  challenge: string,
): Promise<Instant | undefined> {
  const bytes = Buffer.from(challenge, 'base64url');
  // Several texts decode to the same bytes. Only one is accepted, or a challenge could be used
  // twice.
  if (bytes.length !== SEALED_BYTES + SEAL_BYTES || bytes.toString('base64url') !== challenge)
    return undefined;
  const sealed = bytes.subarray(0, SEALED_BYTES);
  const madeAt = Number(sealed.readBigInt64BE());
  // Clocks of nodes may differ. The time is not verified yet here; it only selects the key.
  if (Math.abs(clock() - madeAt) >= CHALLENGE_MS) return undefined;
  const key = await challengeKeys.at(madeAt);
  const isSealed =
    key !== undefined && timingSafeEqual(sealOf(key.bytes, sealed), bytes.subarray(SEALED_BYTES));
  return isSealed ? madeAt : undefined;
}

function sealOf(key: Uint8Array, sealed: Uint8Array): Buffer {
  return createHmac('sha256', key).update(PURPOSE).update(sealed).digest();
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import { afterCommit } from '../../store/scope.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, PhoneCodesTable, Tables } from '../../store/tables/tables.ts';
import { removeInBatches } from '../shared/batches.ts';
import { newKey } from '../values/keys.ts';
import type { CodeKey, CodeKeys } from './code-keys.ts';
import { newCode, readCode } from './code-text.ts';
import {
  codeOf,
  countAttempt,
  deleteCode,
  deleteExpired,
  deleteNumbers,
  lockUser,
  markUserVerified,
  markVerified,
  replaceCode,
} from './rows.ts';
import { purgeUsedCodes, rememberUsed, UsedCodes } from './used-codes.ts';

/** How long a code is valid (contract 8), exclusive; ms. */
const CODE_LIFETIME_MS = 180_000;

/** Largest number of attempts per code; the last wrong one invalidates it (semantics 5.10). */
export const MAX_ATTEMPTS = 5;

/** For how long it can be told that a code has expired; ms. After that it was never there. */
export const EXPIRED_KEPT_MS = 24 * 60 * 60 * 1000;

/** Codes removed in one transaction at most. */
const BATCH = 500;

/** Stands for the user of a code that belongs to its number alone; no key is empty. */
export const NO_USER = '';

/** Whose code: both in canonical form. */
export interface CodeHolder {
  readonly userId: string;
  readonly phone: string;
}

/** A code that was just made; the only place where its text is. */
interface NewCode {
  readonly verificationId: string;
  readonly code: string;
  readonly expiresAt: Instant;
}

/** What an answer came to. */
export type CodeVerdict =
  | { readonly kind: 'right' }
  | { readonly kind: 'expired' | 'notFound' | 'tooMany' }
  | { readonly kind: 'wrong'; readonly attemptsLeft: number };

/** `expired` and `locked`: answers that came too late, and after too many others. */
export type CodeEvent = 'created' | 'verified' | 'wrong' | 'expired' | 'locked';

const EVENTS: Readonly<Partial<Record<CodeVerdict['kind'], CodeEvent>>> = {
  right: 'verified',
  wrong: 'wrong',
  expired: 'expired',
  tooMany: 'locked',
};

const RIGHT = { kind: 'right' } as const;

/** A verdict, and of a right answer the code that it used up. */
type Judged = Exclude<CodeVerdict, typeof RIGHT> | (typeof RIGHT & { readonly id: string });

/** What goes into the transactions of an answer besides the answer itself. */
interface AnswerEffects {
  /** The caller's credential: the same answer from it finds what it came to, when the caller could not be told. */
  readonly tokenId: string | undefined;
  /** In the transaction that counts the attempt. */
  readonly counted: (tx: Kysely<Tables>, attempt: number) => Promise<void>;
  /** In the transaction that uses the code up: the answer was right. */
  readonly verified: (tx: Kysely<Tables>) => Promise<void>;
}

/** Verification codes: made, answered, used up. */
export class PhoneCodes {
  readonly #store: Store;
  readonly #keys: CodeKeys;
  /** What has become of codes in this process. */
  readonly events: Record<CodeEvent, number> = { created: 0, verified: 0, wrong: 0, expired: 0, locked: 0 };
  readonly #used: UsedCodes;
  /** How often an answer has been compared with a code: what an attacker must not get more of than attempts. */
  compares = 0;

  constructor(store: Store, keys: CodeKeys) {
    this.#store = store;
    this.#keys = keys;
    this.#used = new UsedCodes(store);
  }

  /** The key for {@link make}, which cannot wait for it inside a transaction. */
  currentKey(now: Instant): Promise<CodeKey> {
    return this.#keys.current(now);
  }

  /** Makes a code. It takes the place of the holder's previous one, which is dead from then on. */
  async make(tx: Kysely<Tables>, { userId, phone }: CodeHolder, key: CodeKey, now: Instant): Promise<NewCode> {
    const verificationId = newKey();
    const code = newCode();
    const expiresAt = now + CODE_LIFETIME_MS;
    afterCommit(tx, () => this.events.created++);
    replaceCode.send(tx, {
      user_id: userId,
      phone,
      id: verificationId,
      key_id: key.id,
      hash: hashCode(key, verificationId, code),
      expires_at: expiresAt,
    });
    return { verificationId, code, expiresAt };
  }

  /** How many answers the holder's code may still get; 0 when no code is alive. */
  async attemptsLeft({ userId, phone }: CodeHolder, now: Instant): Promise<number> {
    const code = await this.#store.read((db) => codeOf.first(db, { user_id: userId, phone }));
    return code === undefined || code.expires_at <= now ? 0 : Math.max(0, MAX_ATTEMPTS - code.attempts);
  }

  /**
   * Judges an answer. The attempt is counted, and the count is durable, before the answer is compared in constant time;
   * a right one counts only if it is also the one that uses the code up, so that of many at once one succeeds.
   */
  async answer(holder: CodeHolder, text: string, now: Instant, effects: AnswerEffects): Promise<CodeVerdict> {
    const verdict = await this.#judge(holder, text, now, effects);
    const found = verdict.kind === 'notFound' && (await this.#wasRight(holder, text, now, effects)) ? RIGHT : verdict;
    if (verdict.kind === 'right') this.#used.told(verdict.id);
    const event = EVENTS[found.kind];
    if (event !== undefined) this.events[event]++;
    return found;
  }

  /** Whether an answer was right before, and its caller could not be told. */
  #wasRight({ userId, phone }: CodeHolder, text: string, now: Instant, { tokenId }: AnswerEffects): Promise<boolean> {
    const query = { user_id: userId, phone, token_id: tokenId ?? null, now, most: MAX_ATTEMPTS };
    return this.#used.wasRight(query, (code) => this.#hashOf(code, text));
  }

  async #judge(holder: CodeHolder, text: string, now: Instant, effects: AnswerEffects): Promise<Judged> {
    const counted = await this.#store.write((tx) => count(tx, holder, now, effects.counted));
    if (!('attempts' in counted)) return counted;
    if (!(await this.#isRight(counted, text))) {
      return { kind: 'wrong', attemptsLeft: MAX_ATTEMPTS - counted.attempts };
    }
    const { id, key_id, hash } = counted;
    return this.#store.write(async (tx) => {
      const row = { user_id: holder.userId, phone: holder.phone };
      // A call that sets the number meanwhile either sees this verification or has its number marked by it.
      lockUser.send(tx, row);
      // Another answer, or a newer code, may have come first.
      const usedUp = await deleteCode.run(tx, { ...row, id });
      if (usedUp === 0) return { kind: 'notFound' };
      rememberUsed.send(tx, { ...row, id, key_id, hash, token_id: effects.tokenId ?? null, used_at: now });
      if (holder.userId !== NO_USER) markVerified.send(tx, { ...row, verified_at: now });
      markUserVerified.send(tx, { ...row, verified_at: now });
      await effects.verified(tx);
      return { kind: 'right', id };
    });
  }

  async #isRight(counted: CountedCode, text: string): Promise<boolean> {
    const hash = await this.#hashOf(counted, text);
    return hash !== undefined && timingSafeEqual(counted.hash, hash);
  }

  /** What an answer comes to for a code; to be compared with the code's own hash. */
  async #hashOf({ id, key_id }: Pick<CountedCode, 'id' | 'key_id'>, text: string): Promise<Buffer | undefined> {
    const code = readCode(text);
    const key = await this.#keys.find(key_id);
    if (code === undefined || key === undefined) return undefined;
    this.compares++;
    return hashCode(key, id, code);
  }
}

type CountedCode = Pick<PhoneCodesTable, 'id' | 'key_id' | 'hash' | 'attempts'>;

/** @returns the code with the attempt counted, or why none can be made. */
async function count(
  tx: Kysely<Tables>,
  { userId, phone }: CodeHolder,
  now: Instant,
  counted: AnswerEffects['counted'],
): Promise<CountedCode | Exclude<CodeVerdict, typeof RIGHT>> {
  const code = await countAttempt.first(tx, { user_id: userId, phone, now, most: MAX_ATTEMPTS });
  if (code !== undefined) {
    await counted(tx, code.attempts);
    return code;
  }
  const present = await codeOf.first(tx, { user_id: userId, phone });
  if (present === undefined) return { kind: 'notFound' };
  return { kind: present.expires_at <= now ? 'expired' : 'tooMany' };
}

/** The id makes the same code another hash each time, and binds the hash to its row. */
function hashCode(key: CodeKey, verificationId: string, code: string): Buffer {
  return createHmac('sha256', key.bytes).update(`${verificationId} ${code}`).digest();
}

/**
 * Removes codes that expired {@link EXPIRED_KEPT_MS} ago, and what was verified without a user as long ago. For a timer: calls may overlap, also from several processes.
 * @returns how many were removed.
 */
export async function purgeCodes(store: Store, now: Instant): Promise<number> {
  const before = now - EXPIRED_KEPT_MS;
  await purgeUsedCodes(store, now);
  await removeInBatches(store, (tx, most) => deleteNumbers.run(tx, { before, most }), BATCH);
  return removeInBatches(store, (tx, most) => deleteExpired.run(tx, { before, most }), BATCH);
}

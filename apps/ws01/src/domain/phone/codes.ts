import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { NO_USER } from '../../records/persons.ts';
import { afterCommit } from '../../store/scope.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, PhoneCodesTable, Tables } from '../../store/tables/tables.ts';
import { removeBefore } from '../shared/batches.ts';
import { CODE_LIFETIME_MS, MAX_ATTEMPTS } from '../values/code-outcome.ts';
import { plainDigits } from '../values/digits.ts';
import { newKey } from '../values/keys.ts';
import type { CodeKey, CodeKeys } from './code-keys.ts';
import {
  codeOf,
  countAttempt,
  deleteCode,
  deleteCodes,
  deleteNumbers,
  lockUser,
  markUserVerified,
  markVerified,
  replaceCode,
} from './rows.ts';
import { purgeUsedCodes, rememberUsed, UsedCodes } from './used-codes.ts';

/**
 * How long an expired code is kept, so that the answer can be `CodeExpired`; then it is
 * `CodeNotFound`; ms.
 */
export const EXPIRED_KEPT_MS = DAY_MS;

/** The owner of a code: user and number, both in canonical form. */
export interface CodeHolder {
  readonly userId: string;
  readonly phone: string;
}

/** A code that was just created. Its text exists nowhere else. */
interface NewCode {
  readonly verificationId: string;
  readonly code: string;
  readonly expiresAt: Instant;
}

/** The result of an answer. */
export type CodeVerdict =
  | { readonly kind: 'right' }
  | { readonly kind: 'expired' | 'notFound' | 'tooMany' }
  | { readonly kind: 'wrong'; readonly attemptsLeft: number };

/** `expired`: an answer came too late; `locked`: an answer came after too many others. */
export type CodeEvent = 'created' | 'verified' | 'wrong' | 'expired' | 'locked';

const EVENTS: Readonly<Partial<Record<CodeVerdict['kind'], CodeEvent>>> = {
  right: 'verified',
  wrong: 'wrong',
  expired: 'expired',
  tooMany: 'locked',
};

const RIGHT = { kind: 'right' } as const;

/** A verdict; for a right answer with the id of the code that it used up. */
type Judged = Exclude<CodeVerdict, typeof RIGHT> | (typeof RIGHT & { readonly id: string });

/** What the transactions of an answer write in addition. */
interface AnswerEffects {
  /**
   * The caller's token: if the reply to a right answer is lost, the same answer with this token is
   * right again.
   */
  readonly tokenId: string | undefined;
  /** Runs in the transaction that counts the attempt. */
  readonly counted: (tx: Kysely<Tables>, attempt: number, id: string) => Promise<void>;
  /** Runs in the transaction that uses the code up, after a right answer. */
  readonly verified: (tx: Kysely<Tables>, id: string) => Promise<void>;
}

/** Creates verification codes and checks answers. */
export class PhoneCodes {
  readonly #store: Store;
  readonly #keys: CodeKeys;
  /** Events of codes in this process, for metrics. */
  readonly events: Record<CodeEvent, number> = {
    created: 0,
    verified: 0,
    wrong: 0,
    expired: 0,
    locked: 0,
  };
  readonly #used: UsedCodes;
  /**
   * Number of comparisons of an answer with a code; an attacker must not get more of them than
   * attempts.
   */
  compares = 0;

  constructor(store: Store, keys: CodeKeys) {
    this.#store = store;
    this.#keys = keys;
    this.#used = new UsedCodes(store);
  }

  /** The key for {@link make}, which cannot load it inside its transaction. */
  currentKey(now: Instant): Promise<CodeKey> {
    return this.#keys.current(now);
  }

  /**
   * Creates a code, which replaces and invalidates the holder's previous one.
   * @param code of six digits.
   */
  async make(
    tx: Kysely<Tables>,
    { userId, phone }: CodeHolder,
    key: CodeKey,
    now: Instant,
    code = newCode(),
  ): Promise<NewCode> {
    const verificationId = newKey();
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

  /** Number of attempts left for the holder's code; 0 when there is no valid code. */
  async attemptsLeft({ userId, phone }: CodeHolder, now: Instant): Promise<number> {
    const code = await this.#store.read((db) => codeOf.first(db, { user_id: userId, phone }));
    return code === undefined || code.expires_at <= now
      ? 0
      : Math.max(0, MAX_ATTEMPTS - code.attempts);
  }

  /**
   * Checks an answer. The attempt is counted durably before the comparison, which takes constant
   * time. A right answer succeeds only if it also uses the code up, so that only one of several
   * concurrent answers succeeds.
   */
  async answer(
    holder: CodeHolder,
    text: string,
    now: Instant,
    effects: AnswerEffects,
  ): Promise<CodeVerdict> {
    const verdict = await this.#judge(holder, text, now, effects);
    const found =
      verdict.kind === 'notFound' && (await this.#wasRight(holder, text, now, effects))
        ? RIGHT
        : verdict;
    if (verdict.kind === 'right') this.#used.told(verdict.id);
    const event = EVENTS[found.kind];
    if (event !== undefined) this.events[event]++;
    return found;
  }

  /** Whether the same answer was right before, but its reply was lost. */
  #wasRight(
    { userId, phone }: CodeHolder,
    text: string,
    now: Instant,
    { tokenId }: AnswerEffects,
  ): Promise<boolean> {
    const query = { user_id: userId, phone, token_id: tokenId ?? null, now, most: MAX_ATTEMPTS };
    return this.#used.wasRight(query, (code) => this.#hashOf(code, text));
  }

  async #judge(
    holder: CodeHolder,
    text: string,
    now: Instant,
    effects: AnswerEffects,
  ): Promise<Judged> {
    const counted = await this.#store.write((tx) => count(tx, holder, now, effects.counted));
    if (!('attempts' in counted)) return counted;
    if (!(await this.#isRight(counted, text))) {
      return { kind: 'wrong', attemptsLeft: MAX_ATTEMPTS - counted.attempts };
    }
    const { id, key_id, hash } = counted;
    return this.#store.write(async (tx) => {
      const row = { user_id: holder.userId, phone: holder.phone };
      // A concurrent change of the number either sees this verification, or its number is marked as
      // verified here.
      lockUser.send(tx, row);
      // A concurrent answer or a newer code may have been first.
      const usedUp = await deleteCode.run(tx, { ...row, id });
      if (usedUp === 0) return { kind: 'notFound' };
      rememberUsed.send(tx, {
        ...row,
        id,
        key_id,
        hash,
        token_id: effects.tokenId ?? null,
        used_at: now,
      });
      if (holder.userId !== NO_USER) markVerified.send(tx, { ...row, verified_at: now });
      markUserVerified.send(tx, { ...row, verified_at: now });
      await effects.verified(tx, id);
      return { kind: 'right', id };
    });
  }

  async #isRight(counted: CountedCode, text: string): Promise<boolean> {
    const hash = await this.#hashOf(counted, text);
    return hash !== undefined && timingSafeEqual(counted.hash, hash);
  }

  /** The hash of an answer, for comparison with the hash of the code. */
  async #hashOf(
    { id, key_id }: Pick<CountedCode, 'id' | 'key_id'>,
    text: string,
  ): Promise<Buffer | undefined> {
    const code = readCode(text);
    const key = await this.#keys.find(key_id);
    if (code === undefined || key === undefined) return undefined;
    this.compares++;
    return hashCode(key, id, code);
  }
}

type CountedCode = Pick<PhoneCodesTable, 'id' | 'key_id' | 'hash' | 'attempts'>;

/** Counts an attempt. @returns the code, or the verdict if no attempt is possible. */
async function count(
  tx: Kysely<Tables>,
  { userId, phone }: CodeHolder,
  now: Instant,
  counted: AnswerEffects['counted'],
): Promise<CountedCode | Exclude<CodeVerdict, typeof RIGHT>> {
  const code = await countAttempt.first(tx, { user_id: userId, phone, now, most: MAX_ATTEMPTS });
  if (code !== undefined) {
    await counted(tx, code.attempts, code.id);
    return code;
  }
  const present = await codeOf.first(tx, { user_id: userId, phone });
  if (present === undefined) return { kind: 'notFound' };
  return { kind: present.expires_at <= now ? 'expired' : 'tooMany' };
}

/** The id makes equal codes hash differently, and binds the hash to its row. */
function hashCode(key: CodeKey, verificationId: string, code: string): Buffer {
  return createHmac('sha256', key.bytes).update(`${verificationId} ${code}`).digest();
}

/**
 * Deletes codes that expired {@link EXPIRED_KEPT_MS} ago, and verifications without a user of the
 * same age. Calls may overlap, also from several processes.
 * @returns the number of rows deleted.
 */
export async function purgeCodes(store: Store, now: Instant): Promise<number> {
  const before = now - EXPIRED_KEPT_MS;
  await purgeUsedCodes(store, now);
  await removeBefore(store, deleteNumbers, before);
  return removeBefore(store, deleteCodes, before);
}

/** Number of digits of a code. */
const DIGITS = 6;

/**
 * Longest accepted text, in UTF-16 code units: six digits with room for what stands around them.
 */
const MAX_LENGTH = 64;

/** Returns a random code of six digits, uniformly distributed. */
export function newCode(): string {
  // randomInt avoids modulo bias.
  return randomInt(10 ** DIGITS)
    .toString()
    .padStart(DIGITS, '0');
}

/**
 * What stands around a copied code or between its digits, such as the full stop of the message that
 * brought it.
 */
const PUNCTUATION = /[\p{P}\u2212]/gu;

/**
 * Normalizes a typed code (semantics 5.10): its digits, of any script, without blanks, invisible
 * marks and punctuation.
 * @returns six digits; `undefined` when the text cannot be a code, which counts as a wrong answer.
 */
export function readCode(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const digits = plainDigits(text).replace(PUNCTUATION, '');
  return /^[0-9]{6}$/.test(digits) ? digits : undefined;
}

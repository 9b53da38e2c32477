import { timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, time } from '@ws01/asmx/time';
import { deleteExpired } from '../../store/delete-expired.ts';
import { columns, prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, PhoneCodesTable, UsedCodesTable } from '../../store/tables/tables.ts';
import { removeBefore } from '../shared/batches.ts';

/**
 * Codes whose caller may not know that the answer was right. If the commit that uses up a code gets
 * no reply, the service cannot answer; the caller repeats the answer, which must then be right
 * again (semantics 5.10). A row exists from that commit until the caller is answered, a moment
 * later. If the process dies in between, the same answer is right again.
 */

/** Period in which a repeated answer is right again; ms. */
const REPEAT_MS = 10 * MINUTE_MS;

/**
 * After this, a row that still exists means that its caller got no answer; otherwise it is deleted
 * at once; ms.
 */
const TOLD_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 100;

/** Interval between attempts to delete a row while the database fails; ms. */
const FORGET_EVERY_MS = 1_000;

type Holder = Pick<PhoneCodesTable, 'user_id' | 'phone'>;
type UsedCode = Pick<UsedCodesTable, 'id' | 'key_id' | 'hash'>;

/** The owner of a code, and the token of the caller. */
export interface UsedCodeQuery extends Holder {
  readonly token_id: string | null;
  readonly now: Instant;
  /** Largest number of attempts. */
  readonly most: number;
}

/** Records a used code, in the transaction that uses it up. */
export const rememberUsed = prepare((db, row: Omit<UsedCodesTable, 'attempts'>) =>
  db.insertInto('used_codes').values({
    ...columns(row, 'id user_id phone token_id key_id hash'),
    attempts: 0,
    used_at: row.used_at,
  }),
);

const deleteUsed = prepare((db, { id }: { id: string }) =>
  db.deleteFrom('used_codes').where('id', '=', id),
);

const usedCodesOf = prepare((db, row: Holder & { since: Instant }) =>
  db
    .selectFrom('used_codes')
    .select(['id', 'token_id'])
    .where('user_id', '=', row.user_id)
    .where('phone', '=', row.phone)
    .where('used_at', '>', row.since)
    .orderBy('used_at', 'desc')
    .limit(1),
);

const countGuess = prepare((db, { id, most }: { id: string; most: number }) =>
  db
    .updateTable('used_codes')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('attempts', '<', most)
    .returning(['id', 'key_id', 'hash']),
);

const deleteOld = deleteExpired('used_codes', ['id'], 'used_at');

/** Finds used codes whose caller got no answer. */
export class UsedCodes {
  readonly #store: Store;
  /** Codes whose caller this process is answering or has answered, until their row is deleted. */
  readonly #told = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Deletes the row of a code whose caller is being answered; retries for {@link REPEAT_MS} if the
   * database fails.
   */
  told(id: string): void {
    this.#told.add(id);
    void this.#forget(id).finally(() => this.#told.delete(id));
  }

  async #forget(id: string): Promise<void> {
    for (let waited = 0; waited < REPEAT_MS; waited += FORGET_EVERY_MS) {
      try {
        await this.#store.write((tx) => deleteUsed.run(tx, { id }));
        return;
      } catch {
        // The next attempt may succeed. Until then, other processes do not know that the caller was
        // answered.
        await sleep(FORGET_EVERY_MS, undefined, { ref: false });
      }
    }
  }

  /**
   * Whether an answer without a code was right before, but its caller got no answer. Each attempt
   * is counted durably before the comparison, which takes constant time.
   * @param hashOf the hash of the answer for a code; `undefined` when the answer cannot be a code.
   */
  async wasRight(
    query: UsedCodeQuery,
    hashOf: (code: UsedCode) => Promise<Buffer | undefined>,
  ): Promise<boolean> {
    const id = await this.#untold(query);
    if (id === undefined) return false;
    const code = await this.#store.write((tx) => countGuess.first(tx, { id, most: query.most }));
    const hash = code && (await hashOf(code));
    if (hash === undefined || !timingSafeEqual(code!.hash, hash)) return false;
    this.told(id);
    return true;
  }

  /**
   * A used code whose caller got no answer; a process that is still answering deletes the row in
   * time.
   */
  async #untold({ user_id, phone, token_id, now }: UsedCodeQuery): Promise<string | undefined> {
    const late = time.steady() + TOLD_WITHIN_MS;
    for (;;) {
      const row = await this.#store.read((db) =>
        usedCodesOf.first(db, { user_id, phone, since: now - REPEAT_MS }),
      );
      if (row === undefined || row.token_id !== token_id || this.#told.has(row.id))
        return undefined;
      if (time.steady() >= late) return row.id;
      await sleep(LOOK_EVERY_MS);
    }
  }
}

/** Deletes rows that are older than {@link REPEAT_MS}. @returns the number of rows deleted. */
export function purgeUsedCodes(store: Store, now: Instant): Promise<number> {
  return removeBefore(store, deleteOld, now - REPEAT_MS);
}

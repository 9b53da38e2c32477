import { timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, PhoneCodesTable, Tables, UsedCodesTable } from '../../store/tables/tables.ts';
import { removeInBatches } from '../shared/batches.ts';

/**
 * What answers that were right came to, for callers that were not told: the commit that uses a code up may get no reply.
 * The same answer again then finds what it came to (semantics 5.10). A row is there from that commit until its caller is
 * being told, a moment later; only if the process dies in that moment is the same answer right once more.
 */

/** For so long the same answer finds what it came to; ms. */
const REPEAT_MS = 10 * 60_000;

/** A caller that has not been told by then was not told: a commit that got its reply removes its row at once; ms. */
const TOLD_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 100;

/** How often a row is removed again while the database fails; ms. */
const FORGET_EVERY_MS = 1_000;

/** Rows removed in one transaction at most. */
const BATCH = 500;

type Holder = Pick<PhoneCodesTable, 'user_id' | 'phone'>;
type UsedCode = Pick<UsedCodesTable, 'id' | 'key_id' | 'hash'>;

/** Whose code, with the credential of the caller. */
export interface UsedCodeQuery extends Holder {
  readonly token_id: string | null;
  readonly now: Instant;
  /** Guesses that are looked at. */
  readonly most: number;
}

/** Remembers, in the transaction that uses a code up, what it came to. */
export const rememberUsed = prepare((db, row: Omit<UsedCodesTable, 'attempts'>) =>
  db.insertInto('used_codes').values({
    id: row.id,
    user_id: row.user_id,
    phone: row.phone,
    token_id: row.token_id,
    key_id: row.key_id,
    hash: row.hash,
    attempts: 0,
    used_at: row.used_at,
  }),
);

const deleteUsed = prepare((db, { id }: { id: string }) => db.deleteFrom('used_codes').where('id', '=', id));

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

const deleteOld = prepare((db, { before, most }: { before: Instant; most: number }) =>
  db
    .deleteFrom('used_codes')
    .where('used_at', '<=', before)
    .where('id', 'in', (eb) => eb.selectFrom('used_codes').select('id').where('used_at', '<=', before).limit(most)),
);

/** Codes that were used up, as one process knows them. */
export class UsedCodes {
  readonly #store: Store;
  /** Those whose caller this process tells, or has told; what is taken out of the table goes from here as well. */
  readonly #told = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Forgets a code whose caller is being told: now, or as soon as the database lets it within {@link REPEAT_MS}. */
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
        // The next one may succeed; other processes do not know that the caller was told.
        await sleep(FORGET_EVERY_MS, undefined, { ref: false });
      }
    }
  }

  /**
   * Whether an answer that finds no code is one that was right before, and whose caller was not told. Guesses are counted,
   * and the count is durable, before they are compared in constant time.
   * @param hashOf what the answer comes to for a code; `undefined` when it is none.
   */
  async wasRight(query: UsedCodeQuery, hashOf: (code: UsedCode) => Promise<Buffer | undefined>): Promise<boolean> {
    const id = await this.#untold(query);
    if (id === undefined) return false;
    const code = await this.#store.write((tx) => countGuess.first(tx, { id, most: query.most }));
    const hash = code && (await hashOf(code));
    if (hash === undefined || !timingSafeEqual(code!.hash, hash)) return false;
    this.told(id);
    return true;
  }

  /** The code that was used up without its caller being told; another process that tells its caller takes the row out. */
  async #untold({ user_id, phone, token_id, now }: UsedCodeQuery): Promise<string | undefined> {
    for (let waited = 0; ; waited += LOOK_EVERY_MS) {
      const row = await this.#store.read((db) => usedCodesOf.first(db, { user_id, phone, since: now - REPEAT_MS }));
      if (row === undefined || row.token_id !== token_id || this.#told.has(row.id)) return undefined;
      if (waited >= TOLD_WITHIN_MS) return row.id;
      await sleep(LOOK_EVERY_MS);
    }
  }
}

/** Removes what nobody may ask for any more; @returns how many. */
export function purgeUsedCodes(store: Store, now: Instant): Promise<number> {
  return removeInBatches(
    store,
    (tx: Kysely<Tables>, most) => deleteOld.run(tx, { before: now - REPEAT_MS, most }),
    BATCH,
  );
}

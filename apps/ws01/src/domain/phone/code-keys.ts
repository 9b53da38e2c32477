import { createHmac, randomBytes } from 'node:crypto';
import { DAY_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { CodeKeysTable, Instant, Tables } from '../../store/tables/tables.ts';

/** Rotation period of a key: codes are hashed with it for this long; ms. */
export const ROTATION_MS = DAY_MS;

const SECRET_BYTES = 32;

/** A key that codes are hashed with; each code stores its id. */
export interface CodeKey {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/**
 * The keys for hashing codes, which rotate by age. All nodes share them through the database and
 * cache them in memory. A key is deleted one period after its own, when all its codes have expired.
 */
export class CodeKeys {
  readonly #store: Store;
  readonly #pepper: string | undefined;
  readonly #known = new Map<number, CodeKey>();

  /**
   * @param pepper a secret from outside the database that is mixed into the keys, so that a copy of
   *   the database alone reveals no code; `undefined` for none.
   */
  constructor(store: Store, pepper: string | undefined) {
    this.#store = store;
    this.#pepper = pepper;
  }

  /**
   * The key for new codes; the first node that needs one in a period of {@link ROTATION_MS} creates
   * it.
   */
  async current(now: Instant): Promise<CodeKey> {
    const id = Math.floor(now / ROTATION_MS);
    const kept = this.#known.get(id);
    if (kept !== undefined) return kept;
    for (const old of this.#known.keys()) if (old < id - 1) this.#known.delete(old);
    return this.#keep(await this.#store.write((tx) => findOrMake(tx, id)));
  }

  /** The key with an id; `undefined` when it was deleted, so that no code of it can be checked. */
  async find(id: number): Promise<CodeKey | undefined> {
    const kept = this.#known.get(id);
    if (kept !== undefined) return kept;
    const row = await this.#store.read((db) => keyById.first(db, { id }));
    return row === undefined ? undefined : this.#keep(row);
  }

  /**
   * The key that {@link current} returned at an instant; `undefined` when it was deleted or never
   * created.
   */
  at(instant: Instant): Promise<CodeKey | undefined> {
    return this.find(Math.floor(instant / ROTATION_MS));
  }

  #keep({ id, secret }: CodeKeysTable): CodeKey {
    const pepper = this.#pepper;
    const key = {
      id,
      bytes: pepper === undefined ? secret : createHmac('sha256', pepper).update(secret).digest(),
    };
    this.#known.set(id, key);
    return key;
  }
}

/** Several nodes may do this at once: the primary key lets only one of them create the key. */
async function findOrMake(tx: Kysely<Tables>, id: number): Promise<CodeKeysTable> {
  insertKey.send(tx, { id, secret: randomBytes(SECRET_BYTES) });
  deleteKeysBefore.send(tx, { id: id - 1 });
  const row = await keyById.first(tx, { id });
  if (row === undefined) throw new Error('A key that was just created cannot be found.');
  return row;
}

const insertKey = prepare((db, row: CodeKeysTable) =>
  db
    .insertInto('code_keys')
    .values({ id: row.id, secret: row.secret })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

const deleteKeysBefore = prepare((db, { id }: Pick<CodeKeysTable, 'id'>) =>
  db.deleteFrom('code_keys').where('id', '<', id),
);

const keyById = prepare((db, { id }: Pick<CodeKeysTable, 'id'>) =>
  db.selectFrom('code_keys').select(['id', 'secret']).where('id', '=', id),
);

import { createHmac, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { CodeKeysTable, Instant, Tables } from '../../store/tables/tables.ts';

/** How long codes are hashed with one key; ms. */
export const ROTATION_MS = 24 * 60 * 60 * 1000;

const SECRET_BYTES = 32;

/** A key that codes are hashed with, and the id under which a code remembers it. */
export interface CodeKey {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** The keys of all nodes. */
export interface CodeKeys {
  /** The key for new codes; made by whichever node first needs one in a period of {@link ROTATION_MS}. */
  current(now: Instant): Promise<CodeKey>;
  /** The key with an id; `undefined` when it is gone, and with it every code that it could tell. */
  find(id: number): Promise<CodeKey | undefined>;
}

/**
 * Keys that rotate by age. They live in the database, so that all nodes have them; a key is removed one period after
 * its own, when each code it was used for has long expired. Kept in memory once read.
 *
 * @param pepper a secret from outside the database that the keys are mixed with, so that a copy of the database alone
 *   tells no code; `undefined` for none.
 */
export function createCodeKeys(store: Store, pepper: string | undefined): CodeKeys {
  const known = new Map<number, CodeKey>();
  const keep = ({ id, secret }: CodeKeysTable): CodeKey => {
    const key = { id, bytes: pepper === undefined ? secret : createHmac('sha256', pepper).update(secret).digest() };
    known.set(id, key);
    return key;
  };
  return {
    async current(now) {
      const id = Math.floor(now / ROTATION_MS);
      const kept = known.get(id);
      if (kept !== undefined) return kept;
      for (const old of known.keys()) if (old < id - 1) known.delete(old);
      return keep(await store.write((tx) => findOrMake(tx, id)));
    },
    async find(id) {
      const kept = known.get(id);
      if (kept !== undefined) return kept;
      const row = await store.read((db) => keyById.first(db, { id }));
      return row === undefined ? undefined : keep(row);
    },
  };
}

/** Several nodes may do this at once: the primary key lets one of them make the key. */
async function findOrMake(tx: Kysely<Tables>, id: number): Promise<CodeKeysTable> {
  insertKey.send(tx, { id, secret: randomBytes(SECRET_BYTES) });
  deleteKeysBefore.send(tx, { id: id - 1 });
  const row = await keyById.first(tx, { id });
  if (row === undefined) throw new Error('A key that was just made cannot be found.');
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

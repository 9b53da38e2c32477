import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { FileStore } from '../../adapters/files/file-store.ts';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import { followedOf, LOOKED_AT, type Person, type Personal } from '../../records/persons.ts';
import { noteErasure } from '../../store/record-index.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { deleteAdvert } from '../adverts/search-index.ts';
import { type Actor, auditAct } from '../audit/audit.ts';
import type { Clock } from '../context.ts';
import { lockLink } from '../images/listing/linked.ts';
import { dropImage } from '../images/purge.ts';
import { discard } from '../images/upload.ts';
import { changeBy, changeTally } from '../reviews/tally.ts';
import { finishErasure } from '../search/indexing.ts';
import { isPublic } from '../shared/moderated.ts';
import { forgetBlocked } from '../users/blocked.ts';
import { deleteUser } from '../users/users.ts';
import { type HeldRecord, HOLDINGS, type HoldingTable } from './holdings.ts';
import { assertNotHeld } from './legal-holds.ts';
import { findPerson } from './person.ts';

/** Largest number of rows in one transaction, so that other writes do not wait long. */
const BATCH = 200;

/** The rows about a person in one table, and whether an erasure deletes or empties them. */
export interface HeldRows {
  readonly table: HoldingTable;
  readonly rows: number;
  readonly fate: Personal['fate'];
}

/**
 * Counts the rows that an erasure would change, by table, without tables that have none. Reads
 * only.
 */
export async function countHoldings(store: Store, id: string): Promise<readonly HeldRows[]> {
  const person = await findPerson(store, id);
  const held: HeldRows[] = [];
  for (const { table, personal } of HOLDINGS)
    held.push(await countOf(store, table, personal, personal.of(person)));
  return held.filter(({ rows }) => rows > 0);
}

/**
 * Likewise within {@link LOOKED_AT}: each table up to so many rows and one more.
 * @returns also whether there may be more.
 */
export async function lookAtHoldings(
  store: Store,
  id: string,
): Promise<{ readonly held: readonly HeldRows[]; readonly more: boolean }> {
  const identified = await findPerson(store, id, LOOKED_AT.rows);
  const areLinksMany = await isLarge(store, 'links');
  const followed = await store.scan((db) => followedOf(db, identified, areLinksMany));
  const person = { ...identified, followed };
  const held: HeldRows[] = [];
  let more = false;
  for (const { table, personal } of HOLDINGS) {
    const isSearched = personal.found === undefined || !(await isLarge(store, table));
    more ||= !isSearched;
    const found = isSearched ? personal.of : personal.found;
    if (found) held.push(await countOf(store, table, personal, found(person), LOOKED_AT.rows + 1));
  }
  const all = held.filter(({ rows }) => rows > 0);
  if (all.length === 0 && more) return { held: await countHoldings(store, id), more: false };
  return { held: all, more: more || all.some(({ rows }) => rows > LOOKED_AT.rows) };
}

async function isLarge(store: Store, table: HoldingTable): Promise<boolean> {
  const last = sql`select 1 from ${sql.table(table)} limit 1 offset ${LOOKED_AT.whole}`;
  return (await store.scan((db) => last.execute(db))).rows.length > 0;
}

/** @param most it is counted so far; absent: to the end. */
async function countOf(
  store: Store,
  table: HoldingTable,
  { fate }: Personal,
  condition: RawBuilder<boolean>,
  most?: number,
): Promise<HeldRows> {
  const bound = most === undefined ? sql`` : sql`limit ${most}`;
  const counted = sql<{ rows: number | string }>`select count(*) as rows
    from (select 1 from ${sql.table(table)} where ${condition} ${bound}) as held`;
  const { rows } = await store.scan((db) => counted.execute(db));
  return { table, rows: Number(rows[0]!.rows), fate };
}

/** Dependencies of an erasure. */
export interface ErasureDeps {
  readonly store: Store;
  readonly files: { readonly store: Pick<FileStore, 'list' | 'remove'> };
  readonly clock: Clock;
  /** Called after each table. */
  readonly onProgress?: (done: HeldRows) => void;
}

/**
 * Erases everything stored about a person: their records with history and pictures, their messages,
 * numbers, tokens and visits, and their traces in the audit trail. It runs in batches beside other
 * calls; nobody can act for the person meanwhile. After an interruption, call it again. The audit
 * trail records that a person was erased, not who.
 *
 * @param id canonical key of the user.
 * @returns the rows deleted or emptied, by table.
 * @throws {Ws01Error} `NotFound` when nothing is stored about them; `Forbidden` under a legal hold.
 */
export async function erasePerson(
  deps: ErasureDeps,
  id: string,
  by: Actor | undefined,
): Promise<readonly HeldRows[]> {
  const { store, clock, onProgress } = deps;
  const held = await countHoldings(store, id);
  if (held.length === 0) throw nothingHeld(id);
  await store.write(async (tx) => {
    await assertNotHeld(tx, id, clock());
    await tx
      .updateTable('users')
      .set({ blocked_at: clock() })
      .where('id', '=', id)
      .where('blocked_at', 'is', null)
      .execute();
    forgetBlocked(tx);
  });
  const person = await findPerson(store, id);
  const erased: HeldRows[] = [];
  for (const record of HOLDINGS) {
    const { table, personal } = record;
    if (table === 'users' || table === 'legal_holds') continue;
    const rows = await eraseFrom(deps, record, person);
    if (rows === 0) continue;
    const done = { table, rows, fate: personal.fate };
    erased.push(done);
    onProgress?.(done);
  }
  await store.write(async (tx) => {
    await assertNotHeld(tx, id, clock());
    await tx.deleteFrom('legal_holds').where('user_id', '=', id).execute();
    await deleteUser(tx, id);
    forgetBlocked(tx);
    await auditAct(tx, 'user.erase', undefined, clock(), by);
    await noteErasure(tx);
  });
  await finishErasure(store);
  const last = held.filter(({ table }) => table === 'users' || table === 'legal_holds');
  for (const done of last) onProgress?.(done);
  return [...erased, ...last];
}

/** The error for a person without stored data. */
export function nothingHeld(id: string): Ws01Error {
  return new Ws01Error('NotFound', say`Nothing is stored about ${{ id }}.`, { parameter: 'id' });
}

/** Erases the rows about a person in one table. @returns the number of rows. */
async function eraseFrom(
  { store, files, clock }: ErasureDeps,
  record: HeldRecord,
  person: Person,
): Promise<number> {
  const erase = ERASING[record.table] ?? deleteRows(record);
  let erased = 0;
  for (;;) {
    const rows = await store.scan((db) => rowsOf(db, record, person));
    if (rows.length === 0) return erased;
    const unused = await store.write(async (tx) => {
      await assertNotHeld(tx, person.id, clock());
      return erase(tx, rows, clock());
    });
    await discard(files.store, unused ?? []);
    erased += rows.length;
  }
}

type HeldRow = Readonly<Record<string, unknown>>;

/** The columns that rows of a record are found by. */
const keysOf = ({ personal, portable }: HeldRecord) => personal.keys ?? portable?.key ?? ['id'];

async function rowsOf(
  db: Kysely<Tables>,
  record: HeldRecord,
  person: Person,
): Promise<readonly HeldRow[]> {
  const keys = sql.join(keysOf(record).map((key) => sql.ref(key)));
  const { of, order } = record.personal;
  const ordered = order === undefined ? sql`` : sql`order by ${sql.ref(order)}`;
  const query = sql<HeldRow>`select ${keys} from ${sql.table(record.table)}
    where ${of(person)} ${ordered} limit ${BATCH}`;
  return (await query.execute(db)).rows;
}

/** Deletes or empties rows. @returns names of stored files that are no longer used. */
type Erase = (
  tx: Kysely<Tables>,
  rows: readonly HeldRow[],
  at: Instant,
) => Promise<readonly string[] | undefined>;

const deleteRows =
  (record: HeldRecord): Erase =>
  async (tx, rows) => {
    for (const row of rows) {
      const isRow = keysOf(record).map((key) => sql`${sql.ref(key)} = ${row[key]}`);
      await sql`delete from ${sql.table(record.table)} where ${sql.join(isRow, sql` and `)}`.execute(
        tx,
      );
    }
    return undefined;
  };

/** Tables that need more than the deletion of their rows. */
const ERASING: Readonly<Partial<Record<HoldingTable, Erase>>> = {
  async adverts(tx, rows) {
    for (const { guid } of rows) await deleteAdvert(tx, guid as string);
    return undefined;
  },

  async audit(tx, rows) {
    const nobody = {
      target_key: null,
      token_id: null,
      address: null,
      details: '{}',
      request_id: null,
    };
    for (const { id } of rows)
      await tx
        .updateTable('audit')
        .set(nobody)
        .where('id', '=', id as string)
        .execute();
    return undefined;
  },

  async images(tx, rows, at) {
    const unused: string[] = [];
    for (const { guid } of rows) {
      const image = await tx
        .selectFrom('images')
        .select('link_guid')
        .where('guid', '=', guid as string)
        .executeTakeFirst();
      if (image === undefined) continue;
      if (image.link_guid !== null) lockLink(tx, image.link_guid);
      const names = (await dropImage(tx, guid as string, at))?.unused ?? [];
      unused.push(...names);
      if (names.length > 0)
        await tx.deleteFrom('image_files').where('stored_as', 'in', names).execute();
    }
    return unused;
  },

  async reviews(tx, rows) {
    for (const { id } of rows) {
      const review = await tx
        .deleteFrom('reviews')
        .where('id', '=', id as string)
        .returning(['subject', 'positive', 'rating', 'held_at', 'removed_at'])
        .executeTakeFirst();
      if (review !== undefined && isPublic(review))
        await changeTally(tx, review.subject, changeBy(undefined, review));
    }
    return undefined;
  },

  /** The code of an erased link stays reserved. */
  async links(tx, rows, at) {
    for (const { code } of rows) {
      await tx
        .updateTable('links')
        .set((eb) => ({
          target: '',
          user_id: null,
          user_email: null,
          deadline: null,
          request_hash: crypto.getRandomValues(new Uint8Array(32)),
          disabled_at: eb.fn.coalesce('disabled_at', eb.val(at)),
        }))
        .where('code', '=', code as string)
        .execute();
    }
    return undefined;
  },

  /** The counts of all creations do not change. */
  async postings(tx, rows) {
    const ids = rows.map(({ id }) => Number(id));
    const nobody = { user_id: null, network: '', record_key: '' };
    await tx.updateTable('postings').set(nobody).where('id', 'in', ids).execute();
    return undefined;
  },

  /** A service token that has the person as its default sender continues to work without one. */
  async tokens(tx, rows) {
    const ids = rows.map(({ id }) => id as string);
    await tx.deleteFrom('tokens').where('id', 'in', ids).where('kind', '=', 'user').execute();
    await tx.updateTable('tokens').set({ user_id: null }).where('id', 'in', ids).execute();
    return undefined;
  },
};

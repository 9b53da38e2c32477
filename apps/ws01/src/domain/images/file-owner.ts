import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { FileStore } from '../../adapters/files/file-store.ts';
import { lostCommits } from '../../store/lost-commits.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { SweepHold, Tables } from '../../store/tables/tables.ts';
import { isBelieved } from '../retention/absence.ts';
import { fileState, isNameOfFile, isOriginal } from './file-names.ts';

/**
 * The files of a store belong to one database: an id stands in both. Without it a database that is
 * empty, wrong or from another day would take every file for one that nobody needs.
 */

/** Files per query. */
const BATCH = 200;

interface OwnerDeps {
  readonly store: Store;
  readonly files: { readonly store: FileStore };
}

/** Returns the id of the store whose files belong to this database; makes one if there is none. */
export async function filesIdOf(store: Store): Promise<string> {
  const known = await store.read(filesIdIn);
  if (known !== undefined) return known;
  return store.write(async (tx) => {
    await setFilesId(tx, randomUUID());
    return (await filesIdIn(tx))!;
  });
}

/** Returns the id of the store whose files belong to a database; `undefined` if there is none. */
export async function filesIdIn(db: Kysely<Tables>): Promise<string | undefined> {
  return (await filesId.first(db, {}))?.files_id ?? undefined;
}

/** Sets the id, unless there is one. */
export async function setFilesId(tx: Kysely<Tables>, id: string): Promise<void> {
  await nameFiles.run(tx, { id });
}

/**
 * Looks whose the files are. A store that belongs to no database yet is assigned to this one if its
 * files have records here, and the records' pictures have files there. A folder that is not mounted
 * is empty, too, so emptiness proves nothing.
 * @returns why they must not be swept; `undefined` if they are this database's.
 */
export async function lookAtOwner(
  { store, files }: OwnerDeps,
  stopping?: AbortSignal,
): Promise<SweepHold | undefined> {
  const id = await filesIdOf(store);
  const owner = await files.store.owner();
  if (owner !== undefined) return owner === id ? undefined : 'foreign';
  // Counted first: what is stored meanwhile is no picture without a file.
  const pictures = (await store.read((db) => livePictures.first(db, {})))!.pictures;
  const { files: all, unknown, live } = await countUnknown({ store, files }, stopping);
  if (!isBelieved(unknown, all, 0)) return 'unknown';
  if (!isBelieved(Number(pictures) - live, Number(pictures), 0)) return 'away';
  // Its records are no evidence then; once the loss is accepted, they are.
  if (all > 0 && (await store.read(lostCommits)) !== undefined) return undefined;
  await files.store.giveTo(id);
  // Two databases may have found it empty at once: the last one has it.
  return (await files.store.owner()) === id ? undefined : 'foreign';
}

/**
 * Gives a store to this database, also if it belongs to another one.
 * @returns the id of the database that had it.
 */
export async function adoptFiles({ store, files }: OwnerDeps): Promise<string | undefined> {
  const before = await files.store.owner();
  await files.store.giveTo(await filesIdOf(store));
  return before;
}

/**
 * Hands a store from a database to the one that replaces it.
 * @param from the id of the store whose files belonged to the earlier database, and `to` that of
 *   the other one; `undefined` where there is none.
 * @returns `false` if they belong to a third one, which keeps them.
 */
export async function handOver(
  files: FileStore,
  from: string | undefined,
  to: string | undefined,
): Promise<boolean> {
  const owner = await files.owner();
  if (owner === undefined || owner === to) return true;
  if (owner !== from) return false;
  await files.giveTo(to);
  return true;
}

/**
 * Counts the files of a store, the files that this database has never known, and the files of live
 * pictures.
 */
export async function countUnknown(
  { store, files }: OwnerDeps,
  stopping?: AbortSignal,
): Promise<{ readonly files: number; readonly unknown: number; readonly live: number }> {
  let all = 0;
  let unknown = 0;
  let live = 0;
  let batch: string[] = [];
  const count = async () => {
    const { absent, deleted } = await fileState(store, batch);
    const gone = new Set([...absent, ...deleted]);
    unknown += absent.length;
    live += batch.filter((name) => isOriginal(name) && !gone.has(name)).length;
    all += batch.length;
    batch = [];
  };
  for await (const { name } of files.store.list()) {
    stopping?.throwIfAborted();
    if (isNameOfFile(name)) batch.push(name);
    if (batch.length === BATCH) await count();
  }
  await count();
  return { files: all, unknown, live };
}

const livePictures = prepare((db, _: Record<never, never>) =>
  db
    .selectFrom('image_files')
    .select(({ fn }) => fn.countAll().as('pictures'))
    .where('deleted_at', 'is', null),
);

const filesId = prepare((db, _: Record<never, never>) =>
  db.selectFrom('service_time').select('files_id'),
);

/** The first id counts, also where several nodes start at once. */
const nameFiles = prepare((db, { id }: { id: string }) =>
  db
    .insertInto('service_time')
    .values({ id: 1, at: 0, files_id: id })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ files_id: id })
        .where('service_time.files_id', 'is', null),
    ),
);

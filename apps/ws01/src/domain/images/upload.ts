import { randomUUID } from 'node:crypto';
import type { Files } from '../../adapters/files/open.ts';
import type { ReceivedFile } from '../../adapters/files/spool.ts';
import { Ws01Error } from '../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { Clock } from '../context.ts';
import { assertMayWrite, assertNotRemoved } from '../shared/ownership.ts';
import { assertMayLink, attemptOf, IMAGE_RECORD } from './call.ts';
import type { ArrivedFile, StoredImage } from './files.ts';
import { type JudgedImage, type JudgingDeps, judgeImage } from './judging/judge.ts';
import { ownerOfLink } from './listing/linked.ts';
import { type PutImageCall, putImage } from './put.ts';
import { fileByHash, imageByGuid } from './rows.ts';
import { renditionName, renditionNames } from './serving/renditions.ts';
import { LEFT_BEHIND_MS } from './sweep.ts';

export interface UploadDeps extends JudgingDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly files: Files;
}

/**
 * Stores a received file as the image of a call: checks it, stores it, and then writes the record, in this order, so that a crash leaves at worst a file without a record, which the sweep deletes. Bytes that were accepted before are neither checked nor stored again.
 *
 * @throws {ImageRefusal} when it is no acceptable image; {@link Ws01Error} by the rules of ownership, `RateLimited`,
 *   `Busy`; {@link DependencyError}.
 */
export async function takeImage(
  deps: UploadDeps,
  call: Omit<PutImageCall, 'file'>,
  received: ReceivedFile,
): Promise<void> {
  await assertMayTake(deps.store, call);
  const enter = async (file: ArrivedFile, began: Instant) => {
    try {
      return await deps.store.write((tx) => {
        assertInTime(began, deps.clock());
        return putImage(tx, { ...call, file }, deps.budgets);
      });
    } catch (error) {
      // A refusal has surely written nothing; after any other failure the record may be there all the same.
      if (error instanceof Ws01Error && file.stored !== undefined) await discard(deps.files.store, [file.stored.name]);
      throw error;
    }
  };
  const { hash, bytes } = received;
  const { caller, address } = call.context;
  const owner = caller.userId ?? caller.tokenId ?? address;
  const known = await findBytes(deps, hash);
  const began = deps.clock();
  let outcome = await enter(
    { hash, bytes, stored: known.there ? undefined : await storeBytes(deps, received, known, owner) },
    began,
  );
  // The bytes were removed between finding and entering them.
  if (outcome.kind === 'again') {
    const stored = await storeBytes(deps, received, { image: known.image, missing: undefined }, owner);
    outcome = await enter({ hash, bytes, stored }, deps.clock());
  }
  if (outcome.kind === 'again') throw new Ws01Error('Busy', 'The image is being written by others; try again.');
  await discard(deps.files.store, outcome.unused);
}

/** Refuses a call early, before its bytes are checked; the write repeats these checks. */
async function assertMayTake(store: Store, call: Omit<PutImageCall, 'file'>): Promise<void> {
  const { caller } = call.context;
  const { present, linkOwner } = await store.read(async (db) => ({
    present: await imageByGuid.first(db, { guid: call.guid }),
    linkOwner: caller.kind === 'user' && call.linkGuid !== undefined ? await ownerOfLink(db, call.linkGuid) : null,
  }));
  if (present !== undefined) {
    assertMayWrite(attemptOf(call, 'put', present.owner));
    assertNotRemoved(caller, present, IMAGE_RECORD);
  }
  if (present?.link_guid !== call.linkGuid) assertMayLink(caller, linkOwner);
}

/** Removes stored files that nobody needs, with their renditions. What cannot be removed now is left to the sweep. */
export async function discard(files: Pick<Files['store'], 'remove'>, names: readonly string[]): Promise<void> {
  const all = names.flatMap((name) => [name, ...renditionNames(name)]);
  await Promise.allSettled(all.map((name) => files.remove(name)));
}

/** What is known of some bytes before they are stored. */
interface KnownBytes {
  /** What they were found to be earlier. */
  readonly image: JudgedImage | undefined;
  /** The name under which they should be in the store and are not. */
  readonly missing: string | undefined;
}

/** Looks for the bytes of a file: `there` when records have them and the store does. */
async function findBytes(
  { store, files }: UploadDeps,
  hash: string,
): Promise<KnownBytes & { readonly there: boolean }> {
  const known = await store.read((db) => fileByHash.first(db, { hash }));
  const live = known !== undefined && known.deleted_at === null;
  const there = live && (await files.store.find(known.stored_as)) !== undefined;
  return { image: known, missing: live && !there ? known.stored_as : undefined, there };
}

/**
 * Puts the file into the store, out of the spool; unless its bytes were judged before, it is judged, and the pictures of
 * it that are served are put beside it.
 */
export async function storeBytes(
  deps: Omit<UploadDeps, 'budgets'>,
  { hash, path }: ReceivedFile,
  { image, missing }: KnownBytes,
  owner: string,
): Promise<StoredImage> {
  const { store, spool } = deps.files;
  const name = `${hash}-${randomUUID()}`;
  if (image !== undefined) {
    await store.keep(path, name);
    return { name, image, missing };
  }
  return spool.withTemporaries(2, async ([full, icon]) => {
    const judged = await judgeImage({ path, owner }, { full: full!, icon: icon! }, deps);
    const keeping = [
      store.keep(path, name),
      store.keep(full!, renditionName(name, 'full')),
      store.keep(icon!, renditionName(name, 'icon')),
    ];
    const kept = await Promise.allSettled(keeping);
    const failed = kept.find((one) => one.status === 'rejected');
    if (failed === undefined) return { name, image: judged, missing };
    await discard(store, [name]);
    throw failed.reason;
  });
}

/** A file that has waited for its record for too long may be swept away before it gets it. */
function assertInTime(began: number, now: number): void {
  if (now - began > LEFT_BEHIND_MS / 2) throw new Ws01Error('Busy', 'Storing the image took too long; try again.');
}

import type { Kysely } from 'kysely';
import type { Files } from '../../adapters/files/open.ts';
import type { ReceivedFile } from '../../adapters/files/spool.ts';
import { Ws01Error } from '../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { isUniqueViolation } from '../../store/unique-violation.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { Clock } from '../context.ts';
import { assertMayWrite, assertNotRemoved } from '../shared/ownership.ts';
import { assertMayLink, attemptOf, IMAGE_RECORD } from './call.ts';
import { newNameOfFile } from './file-names.ts';
import type { ArrivedFile, StoredImage } from './files.ts';
import { ownerOfLink } from './listing/linked.ts';
import { type PutImageCall, type PutOutcome, putImage, putNewImage } from './put.ts';
import { fileByHash, imageByGuid } from './rows.ts';
import { renditionName, renditionNames } from './serving/renditions.ts';
import { LEFT_BEHIND_MS } from './sweep.ts';
import {
  type ImageValidationDeps,
  type ValidatedImage,
  validateImage,
} from './validation/validate.ts';

export interface UploadDeps extends ImageValidationDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly files: Files;
}

/**
 * Stores a received file as the image of a call: checks it, stores it, then writes the record. In
 * this order a crash leaves at worst a file without a record, which the sweep deletes. Bytes that
 * were accepted before are neither checked nor stored again.
 *
 * @throws {ImageRefusal} when it is no acceptable image; {@link Ws01Error} by the rules of
 *   ownership, `RateLimited`, `Busy`; {@link DependencyError}.
 */
export async function receiveImage(
  deps: UploadDeps,
  call: Omit<PutImageCall, 'file'>,
  received: ReceivedFile,
): Promise<void> {
  const { hash, bytes } = received;
  const { caller, address } = call.context;
  const owner = caller.userId ?? caller.tokenId ?? address;
  const known = await lookUp(deps, call, hash);
  const began = deps.clock();
  const stored = known.there ? undefined : await storeBytes(deps, received, known, owner);
  const isNew = !known.hasImage && known.image === undefined;
  let outcome = await enterFile({ hash, bytes, stored }, began, isNew);
  // The bytes were deleted between lookup and insertion.
  if (outcome.kind === 'again') {
    const again = await storeBytes(
      deps,
      received,
      { image: known.image, missing: undefined },
      owner,
    );
    outcome = await enterFile({ hash, bytes, stored: again }, deps.clock(), false);
  }
  if (outcome.kind === 'again') throw beingWritten();
  await discard(deps.files.store, outcome.unused);

  /** @param isNew whether neither the image nor its bytes existed. */
  async function enterFile(file: ArrivedFile, since: Instant, isNew: boolean): Promise<PutOutcome> {
    const put = { ...call, file };
    const enter = (work: (tx: Kysely<Tables>) => Promise<PutOutcome>) =>
      deps.store.write((tx) => {
        assertInTime(since, deps.clock());
        return work(tx);
      });
    try {
      if (isNew && file.stored !== undefined) {
        const { stored } = file;
        const entered = await unlessThere(
          enter((tx) => putNewImage(tx, put, stored, deps.budgets)),
        );
        if (entered !== undefined) return entered;
      }
      const entered = await unlessThere(enter((tx) => putImage(tx, put, deps.budgets)));
      if (entered === undefined) throw beingWritten();
      return entered;
    } catch (error) {
      // A refusal has certainly written nothing; after any other error the record may exist.
      if (error instanceof Ws01Error && file.stored !== undefined)
        await discard(deps.files.store, [file.stored.name]);
      throw error;
    }
  }
}

/** @returns the result of a write; `undefined` if another call created the same rows first. */
async function unlessThere<T>(writing: Promise<T>): Promise<T | undefined> {
  try {
    return await writing;
  } catch (error) {
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}

function beingWritten(): Ws01Error {
  return new Ws01Error('Busy', 'The image is being written by others; try again.');
}

/** What is known about bytes before they are stored. */
interface KnownBytes {
  /** The result of an earlier validation. */
  readonly image: ValidatedImage | undefined;
  /** The name under which they should be stored but are missing. */
  readonly missing: string | undefined;
}

interface KnownUpload extends KnownBytes {
  /** Whether records use the bytes and the store has them. */
  readonly there: boolean;
  /** Whether there is an image with the key of the call. */
  readonly hasImage: boolean;
}

/**
 * Looks up the bytes of a call, and refuses what would be refused after validation anyway; the
 * write decides again.
 */
async function lookUp(
  { store, files }: UploadDeps,
  call: Omit<PutImageCall, 'file'>,
  hash: string,
): Promise<KnownUpload> {
  const { caller } = call.context;
  const isLinkedByUser = caller.kind === 'user' && call.linkGuid !== undefined;
  const [present, file, linkOwner] = await store.read((db) =>
    Promise.all([
      imageByGuid.first(db, { guid: call.guid }),
      fileByHash.first(db, { hash }),
      isLinkedByUser ? ownerOfLink(db, call.linkGuid) : null,
    ]),
  );
  if (present !== undefined) {
    assertMayWrite(attemptOf(call, 'put', present.owner));
    assertNotRemoved(caller, present, IMAGE_RECORD);
  }
  if (present?.link_guid !== call.linkGuid) assertMayLink(caller, linkOwner);
  const live = file !== undefined && file.deleted_at === null;
  const there = live && (await files.store.find(file.stored_as)) !== undefined;
  const missing = live && !there ? file.stored_as : undefined;
  return { image: file, missing, there, hasImage: present !== undefined };
}

/**
 * Deletes unused files with their renditions. The sweep deletes those that cannot be deleted now.
 */
export async function discard(
  files: Pick<Files['store'], 'list' | 'remove'>,
  names: readonly string[],
): Promise<void> {
  const all = names.flatMap((name) => [name, ...renditionNames(name)]);
  const sized = names.map(async (name) => {
    for await (const file of files.list(`${name}.w`)) await files.remove(file.name);
  });
  await Promise.allSettled([...all.map((name) => files.remove(name)), ...sized]);
}

/**
 * Moves a file from the spool to the store. New bytes are validated first, and their renditions are
 * stored with them.
 */
export async function storeBytes(
  deps: Omit<UploadDeps, 'budgets'>,
  { hash, path }: ReceivedFile,
  { image, missing }: KnownBytes,
  owner: string,
): Promise<StoredImage> {
  const { store, spool } = deps.files;
  const name = newNameOfFile(hash);
  if (image !== undefined) {
    await store.keep(path, name);
    return { name, image, missing };
  }
  return spool.withTemporaries(2, async ([full, icon]) => {
    const judged = await validateImage({ path, owner }, { full: full!, icon: icon! }, deps);
    try {
      await store.keepAll([
        { path, name },
        { path: full!, name: renditionName(name, 'full') },
        { path: icon!, name: renditionName(name, 'icon') },
      ]);
    } catch (error) {
      await discard(store, [name]);
      throw error;
    }
    return { name, image: judged, missing };
  });
}

/** @throws when the file has waited too long for its record: the sweep may delete it first. */
function assertInTime(began: number, now: number): void {
  if (now - began > LEFT_BEHIND_MS / 2)
    throw new Ws01Error('Busy', 'Storing the image took too long; try again.');
}

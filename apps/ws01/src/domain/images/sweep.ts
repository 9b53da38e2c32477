import { HOUR_MS } from '@ws01/asmx/time';
import type { FileStore } from '../../adapters/files/file-store.ts';
import type { Spool } from '../../adapters/files/spool.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, SweepHold } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import { type Doubt, doubtOf, isBelieved, noteHold } from '../retention/absence.ts';
import { fileState, isNameOfFile } from './file-names.ts';
import { lookAtOwner } from './file-owner.ts';
import { dayOf, tendTrash } from './file-trash.ts';
import { isSized } from './serving/renditions.ts';

/**
 * Minimum age of an orphaned file; ms. A call writes the record immediately after its file, and
 * fails if that takes longer than half of this.
 */
export const LEFT_BEHIND_MS = HOUR_MS;

/** So many files without a record go to the trash in any store: those of one picture. */
const ALWAYS_SWEPT = 3;

/** The most files that one sweep moves to the trash; the next one moves the others. */
const MOST_AT_ONCE = 10_000;

/** Files per query. */
const BATCH = 200;

export interface SweepDeps {
  readonly store: Store;
  readonly files: { readonly store: FileStore; readonly spool: Spool };
  readonly clock: Clock;
}

/** What a sweep did. */
export interface SweepResult {
  /** Files in the store before it. */
  readonly files: number;
  /**
   * Files that were deleted: the remains of uploads, and files whose records say that they are
   * deleted.
   */
  readonly removed: number;
  /** Files without a record, and how many of them were moved to the trash. */
  readonly orphans: number;
  readonly trashed: number;
  /** Files that were moved back from the trash, because they have a record. */
  readonly putBack: number;
  /** Why files without a record stay where they are. */
  readonly doubt: Doubt | undefined;
}

const NOTHING: SweepResult = {
  files: 0,
  removed: 0,
  orphans: 0,
  trashed: 0,
  putBack: 0,
  doubt: undefined,
};

/** Tolerance between a clock's change and the elapsed time; ms. */
const BELIEVED_MS = 60_000;

/**
 * Moves files without a record to the trash. They are left by a crash between storing the file and
 * the record, and by aborted uploads. Files whose records say that they are deleted are removed.
 * File names are never reused, and an old file without a record never gets one, so any number of
 * nodes may sweep while others upload and delete.
 *
 * The age of a file is measured by the clock that dated it, that of its disk or bucket. If such a
 * clock is set forward, files of uploads in progress look old; so nothing is deleted until these
 * uploads have ended.
 */
export class Sweeper {
  readonly #deps: SweepDeps;
  readonly #steady: () => number;
  #last: { readonly clocks: readonly number[]; readonly at: number } | undefined;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** @param steady a monotonic clock; ms. */
  constructor(deps: SweepDeps, steady: () => number) {
    this.#deps = deps;
    this.#steady = steady;
  }

  /**
   * Runs a sweep.
   * @param stopping ends it before the next file.
   * @returns `undefined` while a clock that was set forward makes files look old.
   */
  async sweep(stopping?: AbortSignal): Promise<SweepResult | undefined> {
    const { store, spool } = this.#deps.files;
    const at = this.#steady();
    const clocks = [await store.now(), await spool.now()] as const;
    const last = this.#last ?? { clocks, at };
    this.#last = { clocks, at };
    const wasSet = clocks.some(
      (clock, index) => clock - last.clocks[index]! - (at - last.at) > BELIEVED_MS,
    );
    if (wasSet) this.#pausedUntil = at + LEFT_BEHIND_MS;
    if (at < this.#pausedUntil) return undefined;
    return sweepFiles(this.#deps, { store: clocks[0], spool: clocks[1] }, { stopping });
  }
}

/**
 * Looks whether files may be swept, and stores why they may not.
 * @returns why; `undefined` if they may.
 */
export async function lookBeforeSweep(
  deps: Pick<SweepDeps, 'store' | 'files' | 'clock'>,
  stopping?: AbortSignal,
): Promise<Doubt | undefined> {
  const { store, clock } = deps;
  const hold = await lookAtOwner(deps, stopping);
  const before = await store.read(doubtOf);
  // Only a sweep shows that there are no longer many.
  if (hold !== undefined || before?.why !== 'many') await noteHold(store, hold, clock());
  return hold ?? ((await store.read(doubtOf))?.why === 'lost' ? 'lost' : undefined);
}

/**
 * Sweeps, if the absence of records can be believed.
 * @param now by the clock of each store.
 * @param all also more than a small share of all files.
 * @param stopping ends it before the next file.
 */
export async function sweepFiles(
  deps: SweepDeps,
  now: { readonly store: Instant; readonly spool: Instant },
  {
    all = false,
    stopping,
  }: { readonly all?: boolean; readonly stopping?: AbortSignal | undefined } = {},
): Promise<SweepResult> {
  const { store, files, clock } = deps;
  // What is on its way has no record yet, whatever the database says.
  const remains = await files.spool.sweep(now.spool - LEFT_BEHIND_MS);
  const doubt = await lookBeforeSweep(deps, stopping);
  if (doubt !== undefined) return { ...NOTHING, removed: remains, doubt };
  const found = await findOrphans(deps, now.store - LEFT_BEHIND_MS, stopping);
  const { total, orphans, names } = found;
  const surplus = await removeSurplus(files.store, found, stopping);
  const removed = remains + found.removed + surplus;
  const hold: SweepHold | undefined =
    all || isBelieved(orphans, total, ALWAYS_SWEPT) ? undefined : 'many';
  await noteHold(store, hold, clock());
  if (hold !== undefined) return { ...NOTHING, files: total, removed, orphans, doubt: hold };
  // The list may have taken long, and files be given to another database meanwhile.
  const since = names.length === 0 ? undefined : await lookBeforeSweep(deps, stopping);
  if (since !== undefined) return { ...NOTHING, files: total, removed, orphans, doubt: since };
  let trashed = 0;
  for (const name of names) {
    if (stopping?.aborted) break;
    await files.store.trash.take(name, dayOf(now.store));
    trashed++;
  }
  const putBack = await tendTrash(deps, now.store, stopping);
  return { files: total, removed, orphans, trashed, putBack, doubt: undefined };
}

/** The files of a store, and those among them that no record names. */
interface Found {
  readonly total: number;
  /** Files that were removed, because their records say so. */
  readonly removed: number;
  readonly orphans: number;
  /** The names of the first orphans. */
  readonly names: readonly string[];
  /**
   * Sizes of narrower renditions by the day on which they were made, and of all other files; bytes.
   */
  readonly sizedBytes: ReadonlyMap<string, number>;
  readonly otherBytes: number;
}

async function findOrphans(
  { store, files }: SweepDeps,
  before: Instant,
  stopping?: AbortSignal,
): Promise<Found> {
  let total = 0;
  let removed = 0;
  let orphans = 0;
  const names: string[] = [];
  const sizedBytes = new Map<string, number>();
  let otherBytes = 0;
  let batch: string[] = [];
  const judge = async () => {
    const { deleted, absent } = await fileState(store, batch);
    batch = [];
    orphans += absent.length;
    names.push(...absent.slice(0, MOST_AT_ONCE - names.length));
    for (const name of deleted) {
      if (stopping?.aborted) return;
      await files.store.remove(name);
      removed++;
    }
  };
  for await (const { name, storedAt, bytes } of files.store.list()) {
    if (stopping?.aborted) break;
    if (!isNameOfFile(name)) continue;
    total++;
    const day = dayOf(storedAt);
    if (isSized(name)) sizedBytes.set(day, (sizedBytes.get(day) ?? 0) + bytes);
    else otherBytes += bytes;
    if (storedAt < before) batch.push(name);
    if (batch.length === BATCH) await judge();
  }
  await judge();
  return { total, removed, orphans, names, sizedBytes, otherBytes };
}

/**
 * Removes the narrower renditions of the oldest days, where all of them take more than the pictures
 * they are made of. It is made again when somebody asks for it.
 * @returns how many.
 */
async function removeSurplus(
  files: FileStore,
  { sizedBytes, otherBytes }: Pick<Found, 'sizedBytes' | 'otherBytes'>,
  stopping?: AbortSignal,
): Promise<number> {
  let surplus = [...sizedBytes.values()].reduce((sum, bytes) => sum + bytes, 0) - otherBytes;
  if (surplus <= 0) return 0;
  const old = new Set<string>();
  for (const [day, bytes] of [...sizedBytes].toSorted()) {
    if (surplus <= 0) break;
    old.add(day);
    surplus -= bytes;
  }
  let removed = 0;
  for await (const { name, storedAt } of files.list()) {
    if (stopping?.aborted) break;
    if (!isNameOfFile(name) || !isSized(name) || !old.has(dayOf(storedAt))) continue;
    await files.remove(name);
    removed++;
  }
  return removed;
}

import type { Kysely } from 'kysely';
import { dropIndexes, restoreIndexes } from '../../store/absent-indexes.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { auditAct } from '../audit/audit.ts';
import type { Clock } from '../context.ts';
import { type Batch, entriesOf, hasFiles, readBatches } from './batches.ts';
import {
  discard,
  enterFiles,
  type FileDeps,
  type ImportedFiles,
  importFileRows,
  importFiles,
} from './image-files.ts';
import { completeRow, importRows, LONG_WRITE_LIMITS, type RowOutcome } from './import-rows.ts';
import {
  forgetJournal,
  type Progress,
  type ReasonCount,
  RefusedRows,
  readJournal,
  START,
  writeJournal,
} from './journal.ts';
import { type KindFile, openFolder, type PortableFolder } from './manifest.ts';
import { missingEntries, missingFrom, type Removes, removeMissing } from './missing.ts';
import { RecordReader, type RowReading } from './record.ts';
import type { ImportContext, Updates } from './rules/context.ts';
import { refreshImagesSince } from './rules/images.ts';

/** For larger files, indexes are built after the rows; bytes. */
const LARGE_BYTES = 8 * 1024 * 1024;

/** Indexes that are needed during the import. */
const NEEDED_INDEXES = ['postings_by_record'];

/** Timeouts of a transaction, and of its wait for others; ms. */
const WRITE_LIMITS = { busyTimeout: 600_000, workTimeout: 600_000 };

export interface ImportOptions {
  readonly timeZone: string;
  readonly reading: RowReading;
  readonly sendMail: boolean;
  /** Whether to resume an interrupted import. */
  readonly resume: boolean;
  /**
   * Whether {@link resume} may also start a new import: an archive may be unpacked without any row
   * imported.
   */
  readonly mayBegin?: boolean;
  /** Maximum number of rows per transaction. */
  readonly batch: number;
  /** The path of the file of refused rows. */
  readonly refusedPath: string;
  /**
   * Whether rows take the place of stored records that differ: newer ones and those of records as
   * brought, or all.
   */
  readonly update?: 'newer' | 'always' | undefined;
  /**
   * With {@link update}: whether records that earlier imports brought and the folder lacks are
   * removed.
   */
  readonly removes: Removes;
}

export interface ImportDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly files: FileDeps;
  readonly options: ImportOptions;
  readonly onProgress: (progress: ImportProgress) => void;
  readonly signal: AbortSignal;
}

/** The progress of an import. */
export interface ImportProgress {
  readonly kind: string;
  /** Rows of this kind that this run has read. */
  readonly rows: number;
  /** Total size of their image files; bytes. */
  readonly imageBytes: number;
  /** Finished bytes of this kind's file, those that an earlier run finished, and all bytes. */
  readonly done: number;
  readonly doneBefore: number;
  readonly all: number;
  /** Bytes of the files of later kinds. */
  readonly later: number;
}

/** The results of one kind. */
export type KindReport = Pick<Progress, 'added' | 'present' | 'refused'> & {
  /** Records whose place rows of this run took. */
  readonly changed: number;
};

export interface ImportReport {
  readonly kinds: Readonly<Record<string, KindReport>>;
  readonly refused: number;
  /** Why rows were refused, or taken without something. */
  readonly reasons: readonly ReasonCount[];
}

/** There is no interrupted import to resume. */
export class NothingInterrupted extends Error {
  override readonly name = 'NothingInterrupted';
}

/**
 * Imports a folder in the portable format, batch by batch, each with its progress: whenever the
 * import ends, each row is either imported or not, and `resume` continues with the next one.
 * Refused rows are written to a file. Existing records stay unchanged, so a second run changes
 * nothing.
 *
 * @throws {FolderError}
 * @throws {NothingInterrupted}
 * @throws {DependencyError}
 * @throws a system error for a file that cannot be read; the signal's reason.
 */
export async function importFolder(folder: string, deps: ImportDeps): Promise<ImportReport> {
  const { store, clock, options } = deps;
  const portable = await openFolder(folder);
  const before = await store.read((db) => readJournal(db, portable.id));
  if (options.resume && before.size === 0 && options.mayBegin !== true) {
    throw new NothingInterrupted(
      'No import of this folder, as it is now, was interrupted; run it without --resume.',
    );
  }
  const done = options.resume ? before : new Map<string, Progress>();
  const began = clock();
  const length = Math.max(0, ...[...done.values()].map(({ refusedBytes }) => refusedBytes));
  const refused = new RefusedRows(options.refusedPath, length);
  const updates = await store.read((db) => updatesOf(db, options));
  const kinds: Record<string, KindReport> = {};
  try {
    await refused.begin();
    if (!options.resume) await store.write((tx) => forgetJournal(tx, portable.id));
    for (const file of portable.files) {
      const kindImport = new KindImport(file, portable, deps, refused, updates);
      kinds[file.kind.name] = await kindImport.run(done.get(file.kind.name) ?? START);
    }
    await store.write((tx) => finish(tx, portable.id, kinds, began, clock()), LONG_WRITE_LIMITS);
  } catch (error) {
    // Otherwise the next start builds them.
    await store.write(restoreIndexes, LONG_WRITE_LIMITS).catch(() => {});
    throw error;
  } finally {
    await refused.close();
  }
  return reportOf(kinds, refused);
}

/** Returns when rows take the place of stored records; `undefined` for never. */
export async function updatesOf(
  db: Kysely<Tables>,
  { update }: Pick<ImportOptions, 'update'>,
): Promise<Updates | undefined> {
  if (update === undefined) return undefined;
  const first = await db
    .selectFrom('audit')
    .select((eb) => eb.fn.min<number | string | null>('at').as('at'))
    .where('action', '=', 'data.import')
    .executeTakeFirst();
  const firstImport = first?.at == null ? undefined : Number(first.at);
  return { always: update === 'always', firstImport };
}

export function reportOf(
  kinds: Readonly<Record<string, KindReport>>,
  { reasons }: RefusedRows,
): ImportReport {
  const refused = Object.values(kinds).reduce((sum, kind) => sum + kind.refused, 0);
  return { kinds, refused, reasons };
}

async function finish(
  tx: Kysely<Tables>,
  id: string,
  kinds: Readonly<Record<string, KindReport>>,
  began: Instant,
  at: Instant,
): Promise<void> {
  await restoreIndexes(tx);
  await refreshImagesSince(tx, began);
  await forgetJournal(tx, id);
  const details: Record<string, number> = {};
  for (const [kind, { added, changed, refused }] of Object.entries(kinds)) {
    if (added > 0) details[kind] = added;
    if (changed > 0) details[`${kind} changed`] = changed;
    if (refused > 0) details[`${kind} refused`] = refused;
  }
  await auditAct(tx, 'data.import', undefined, at, undefined, details);
}

/** Returns the total size of the files after one. */
export function bytesAfter(files: readonly KindFile[], file: KindFile): number {
  return files.slice(files.indexOf(file) + 1).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Imports one file. */
class KindImport {
  readonly #file: KindFile;
  readonly #folder: PortableFolder;
  readonly #deps: ImportDeps;
  readonly #refused: RefusedRows;
  readonly #state = { rows: 0, imageBytes: 0, doneBefore: 0 };
  #unread = 0;
  readonly #later: number;
  readonly #context: ImportContext;
  readonly #reader: RecordReader;
  #progress: Progress = START;

  constructor(
    file: KindFile,
    folder: PortableFolder,
    deps: ImportDeps,
    refused: RefusedRows,
    updates: Updates | undefined,
  ) {
    const { timeZone, reading, sendMail } = deps.options;
    this.#file = file;
    this.#folder = folder;
    this.#deps = deps;
    this.#refused = refused;
    this.#later = bytesAfter(folder.files, file);
    this.#context = {
      brings: new Set(folder.files.map(({ kind }) => kind.name)),
      now: deps.clock(),
      sendMail,
      updates,
    };
    this.#reader = new RecordReader(file, { timeZone, now: deps.clock }, reading);
  }

  async run(from: Progress): Promise<KindReport> {
    this.#progress = from;
    if (this.#file.bytes >= LARGE_BYTES)
      await this.#deps.store.write((tx) => this.#dropIndexes(tx));
    this.#state.doneBefore = from.offset;
    for await (const batch of readBatches(
      this.#file,
      from,
      this.#reader,
      this.#deps.options.batch,
    )) {
      this.#deps.signal.throwIfAborted();
      await this.#take(batch);
    }
    // Nobody knows what an interrupted run read.
    if (this.#context.updates !== undefined && from === START) await this.#lookForMissing();
    const { added, changed, present, refused } = this.#progress;
    return { added, changed, present, refused };
  }

  async #lookForMissing(): Promise<void> {
    const { store, options, clock } = this.#deps;
    const { kind } = this.#file;
    const { firstImport } = this.#context.updates!;
    const missing = await store.read((db) =>
      missingFrom(db, kind, (key) => this.#reader.hasRead(key), firstImport),
    );
    const entries = missingEntries(kind, missing, options.removes, this.#unread);
    this.#refused.keep(await this.#refused.put(entries));
    if (entries[0]?.was === 'removed') await removeMissing(store, kind, missing.keys, clock());
  }

  async #dropIndexes(tx: Kysely<Tables>): Promise<void> {
    const { table } = this.#file.kind;
    // Imports look up images by the record they are linked to.
    if (table !== 'images') await dropIndexes(tx, table, NEEDED_INDEXES);
    if (!this.#context.brings.has('postings')) await dropIndexes(tx, 'postings');
  }

  async #take(batch: Batch): Promise<void> {
    const { store, files, clock } = this.#deps;
    const { kind } = this.#file;
    const brought = await this.#bring(batch);
    const before = this.#progress;
    const { progress, unused } = await store.write(async (tx) => {
      const { outcomes, unused } = await this.#takeRecords(tx, batch, brought);
      const entries = entriesOf(this.#reader, batch, outcomes);
      const progress = {
        ...batch.end,
        added: before.added + outcomes.filter((outcome) => outcome === 'added').length,
        changed: before.changed + outcomes.filter((outcome) => outcome === 'changed').length,
        present: before.present + outcomes.filter((outcome) => outcome === 'present').length,
        refused: before.refused + entries.filter(({ was }) => was === 'refused').length,
        // Written before the commit, so that counted rows are always in the file; cut off again if
        // the commit fails.
        refusedBytes: await this.#refused.put(entries),
      };
      await writeJournal(tx, this.#folder.id, kind.name, progress, clock());
      return { progress, unused };
    }, WRITE_LIMITS);
    this.#unread += batch.refusals.length;
    this.#refused.keep(progress.refusedBytes);
    await discard(files.files.store, unused);
    this.#progress = progress;
    this.#state.rows += batch.records.length + batch.refusals.length;
    for (const one of brought) if (one?.kind === 'stored') this.#state.imageBytes += one.bytes;
    const { offset: done } = batch.end;
    const { bytes: all } = this.#file;
    this.#deps.onProgress({ kind: kind.name, ...this.#state, done, all, later: this.#later });
  }

  /**
   * Stores the files of a batch before its transaction; after a crash the sweep deletes files
   * without a record.
   */
  async #bring({ records }: Batch): Promise<readonly ImportedFiles[]> {
    if (!hasFiles(this.#file)) return [];
    const isOfImages = this.#file.kind.name === 'images';
    const rows = records.map(({ row, file }) => ({ row, file }));
    const bringing = rows.filter(({ row, file }) =>
      isOfImages ? file !== undefined : row.deleted_at === null,
    );
    const brought = await importFiles(this.#deps.files, bringing);
    const results: ImportedFiles[] = [];
    for (const [at, row] of rows.entries()) {
      const found = bringing.indexOf(row);
      if (found >= 0) results[at] = brought[found]!;
    }
    return results;
  }

  async #takeRecords(
    tx: Kysely<Tables>,
    { records }: Batch,
    brought: readonly ImportedFiles[],
  ): Promise<{ readonly outcomes: readonly RowOutcome[]; readonly unused: readonly string[] }> {
    const { kind } = this.#file;
    const rows = records.map(({ row }) => row);
    if (kind.name === 'image-files') return importFileRows(tx, rows, brought);
    const unused = await enterFiles(
      tx,
      brought.filter((one) => one !== undefined),
      this.#context.now,
    );
    const reasons = rows.map((row, at) => {
      const one = brought[at];
      if (one?.kind === 'refused') return one.reason;
      if (one !== undefined) row.hash = one.hash;
      return completeRow(kind, row, this.#context);
    });
    const whole = rows.filter((_, at) => reasons[at] === undefined);
    const taken = (await importRows(tx, kind, whole, this.#context)).values();
    const outcomes = reasons.map((reason) =>
      reason === undefined ? taken.next().value! : { refused: reason },
    );
    return { outcomes, unused };
  }
}

import type { Kysely } from 'kysely';
import { keyOf } from '../../store/bulk.ts';
import type { Tables } from '../../store/tables/tables.ts';
import { describeImage, type ImageValidationDeps } from '../images/validation/validate.ts';
import { type Batch, entriesOf, hasFiles, readBatches } from './batches.ts';
import { fileNameOf, judgedAs, OWNER, reasonOf } from './image-files.ts';
import { hashOfFile, type ImageSource } from './image-source.ts';
import {
  bytesAfter,
  type ImportOptions,
  type ImportProgress,
  type ImportReport,
  type KindReport,
  reportOf,
  updatesOf,
} from './import.ts';
import {
  checkRows,
  compareRows,
  completeRow,
  knownIn,
  outcomeOf,
  type RowOutcome,
} from './import-rows.ts';
import { RefusedRows, START } from './journal.ts';
import { digestOf, KeySet } from './key-set.ts';
import { type KindFile, openFolder } from './manifest.ts';
import { missingEntries, missingFrom } from './missing.ts';
import { RecordReader, RefusedRow, type Row } from './record.ts';
import type { ImportContext, Updates } from './rules/context.ts';
import type { Known } from './rules/of-kinds.ts';

interface DryRunDeps {
  /** The present database; `undefined` if there is none yet. */
  readonly db: Kysely<Tables> | undefined;
  readonly source: ImageSource;
  readonly judging: ImageValidationDeps;
  readonly now: () => number;
  readonly options: Omit<ImportOptions, 'resume' | 'batch'>;
  readonly onProgress: (progress: ImportProgress) => void;
  readonly signal: AbortSignal;
}

/**
 * Reads a folder as an import would, and reports the result of each row. It writes only the file of
 * refused rows. If a key occurs twice, the second row is refused, even if both are equal.
 * @throws as `importFolder`.
 */
export async function dryRun(folder: string, deps: DryRunDeps): Promise<ImportReport> {
  const { files } = await openFolder(folder);
  const refused = new RefusedRows(deps.options.refusedPath);
  const updates = deps.db && (await updatesOf(deps.db, deps.options));
  const run = new DryRun(files, deps, updates);
  const kinds: Record<string, KindReport> = {};
  try {
    for (const file of files) kinds[file.kind.name] = await run.readFile(file, refused);
  } finally {
    await refused.close();
  }
  return reportOf(kinds, refused);
}

class DryRun {
  readonly #files: readonly KindFile[];
  readonly #deps: DryRunDeps;
  readonly #context: ImportContext;
  /** Keys of the rows that would be imported, by table and column. */
  readonly #seen = new Map<string, KeySet>();

  constructor(files: readonly KindFile[], deps: DryRunDeps, updates: Updates | undefined) {
    this.#files = files;
    this.#deps = deps;
    const brings = new Set(files.map(({ kind }) => kind.name));
    this.#context = { brings, now: deps.now(), sendMail: deps.options.sendMail, updates };
  }

  async readFile(file: KindFile, refused: RefusedRows): Promise<KindReport> {
    const { options, now, signal, onProgress } = this.#deps;
    const { timeZone, reading } = options;
    const reader = new RecordReader(file, { timeZone, now }, reading);
    const counts = { added: 0, changed: 0, present: 0, refused: 0 };
    const later = bytesAfter(this.#files, file);
    let rows = 0;
    let unread = 0;
    for await (const batch of readBatches(file, START, reader)) {
      signal.throwIfAborted();
      const outcomes = await this.#judge(file, batch);
      for (const outcome of outcomes) if (typeof outcome === 'string') counts[outcome]++;
      const entries = entriesOf(reader, batch, outcomes);
      counts.refused += entries.filter(({ was }) => was === 'refused').length;
      unread += batch.refusals.length;
      refused.keep(await refused.put(entries));
      rows += outcomes.length + batch.refusals.length;
      const { offset: done } = batch.end;
      onProgress({
        kind: file.kind.name,
        rows,
        imageBytes: 0,
        done,
        doneBefore: 0,
        all: file.bytes,
        later,
      });
    }
    if (this.#context.updates !== undefined) {
      const isRead = (key: string) => reader.hasRead(key);
      const { firstImport } = this.#context.updates;
      const missing = await missingFrom(this.#deps.db!, file.kind, isRead, firstImport);
      const entries = missingEntries(file.kind, missing, options.removes, unread);
      refused.keep(await refused.put(entries));
    }
    return counts;
  }

  async #judge(file: KindFile, { records }: Batch): Promise<readonly RowOutcome[]> {
    const { kind } = file;
    const outcomes: RowOutcome[] = [];
    for (const [at, { row, file: name }] of records.entries()) {
      const reason =
        (await this.#judgeFile(file, row, name)) ?? completeRow(kind, row, this.#context);
      outcomes[at] = reason === undefined ? 'added' : { refused: reason };
    }
    const whole = () =>
      records.flatMap(({ row }, at) => (outcomes[at] === 'added' ? [{ row, at }] : []));
    const first = whole();
    const reasons = await checkRows(
      kind,
      first.map(({ row }) => row),
      this.#known,
    );
    for (const [index, { at }] of first.entries()) {
      if (reasons[index] !== undefined) outcomes[at] = { refused: reasons[index] };
    }
    await this.#judgeKeys(file, whole(), outcomes);
    return outcomes;
  }

  async #judgeKeys(
    { kind }: KindFile,
    rows: readonly { readonly row: Row; readonly at: number }[],
    outcomes: RowOutcome[],
  ): Promise<void> {
    const present = await this.#presentOf(
      rows.map(({ row }) => row),
      kind,
    );
    for (const { row, at } of rows) {
      if (!this.#seenOf(kind.table, kind.key.join()).add(digestOf(keyOf(row, kind.key)))) {
        outcomes[at] = { refused: 'its key stands on an earlier line' };
        continue;
      }
      outcomes[at] = present.get(row) ?? 'added';
    }
  }

  async #presentOf(
    rows: readonly Row[],
    kind: KindFile['kind'],
  ): Promise<ReadonlyMap<Row, RowOutcome>> {
    if (this.#deps.db === undefined) return new Map();
    const compared = await compareRows(this.#deps.db, kind, rows);
    return new Map(
      [...compared].flatMap(([row, stored]) =>
        stored === undefined ? [] : [[row, outcomeOf(kind, row, stored, this.#context)] as const],
      ),
    );
  }

  /** Returns why the file of a row would be refused. */
  async #judgeFile(
    file: KindFile,
    row: Row,
    name: string | undefined,
  ): Promise<string | undefined> {
    if (!hasFiles(file)) return undefined;
    const isOfImages = file.kind.name === 'images';
    if (isOfImages ? name === undefined : row.deleted_at !== null) return undefined;
    const path = name ?? fileNameOf(row.hash as string);
    try {
      const hash = await this.#deps.source.look(path, async (found) => {
        const hash = await hashOfFile(found);
        if (row.hash !== null && row.hash !== hash) {
          throw new RefusedRow(
            `the file ${JSON.stringify(path)} has the hash ${hash}, and not the one that is said`,
          );
        }
        const { judging } = this.#deps;
        await ((await judgedAs(judging, row, found)) ??
          describeImage({ path: found, owner: OWNER }, judging));
        return hash;
      });
      row.hash = hash;
      if (isOfImages) this.#seenOf('image_files', 'hash').add(digestOf(hash));
      return undefined;
    } catch (error) {
      return reasonOf(error);
    }
  }

  readonly #known: Known = async (table, column, keys) => {
    const { db } = this.#deps;
    const there = db === undefined ? new Set<string>() : await knownIn(db)(table, column, keys);
    const seen = this.#seenOf(table, column);
    return new Set(keys.filter((key) => there.has(key) || seen.has(digestOf(key))));
  };

  #seenOf(table: keyof Tables, columns: string): KeySet {
    const name = `${table} ${columns}`;
    let set = this.#seen.get(name);
    if (set === undefined) {
      set = new KeySet();
      this.#seen.set(name, set);
    }
    return set;
  }
}

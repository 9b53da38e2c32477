import { createReadStream } from 'node:fs';
import type { RowOutcome } from './import-rows.ts';
import type { JournalEntry, Progress } from './journal.ts';
import { FolderError, type KindFile } from './manifest.ts';
import { Cutter, MAX_RECORD_BYTES, type Piece } from './pieces.ts';
import { CutRow, type ReadRecord, type RecordReader, RefusedRow } from './record.ts';
import { inUtf8 } from './utf16.ts';

/**
 * Records per batch: many, because each transaction writes an index page once; few enough for a
 * running service.
 */
export const BATCH = 10_000;
const BATCH_BYTES = 16 * 1024 * 1024;

/** Records with files per batch. */
const FILE_BATCH = 200;

/** Bytes per read. */
const CHUNK = 1024 * 1024;

/** A position in a file: the bytes before it, and its line. */
export type FilePosition = Pick<Progress, 'offset' | 'line'>;

/** Records of one transaction. */
export interface Batch {
  readonly records: readonly (ReadRecord & { readonly piece: Piece })[];
  /** Rows that could not be read. */
  readonly refusals: readonly JournalEntry[];
  /** Where the next batch begins. */
  readonly end: FilePosition;
}

/** Whether rows of a file may refer to image files. */
export function hasFiles({ kind }: Pick<KindFile, 'kind'>): boolean {
  return kind.name === 'images' || kind.name === 'image-files';
}

/** Returns a row for the file of refused rows. */
function entryOf(
  reader: RecordReader,
  { line, bytes }: Piece,
  reasons: readonly string[],
  was: JournalEntry['was'] = 'refused',
): JournalEntry {
  const text = reader.textOf(bytes);
  const row = text === undefined ? { base64: bytes.toString('base64') } : { row: text };
  return { kind: reader.kind, reasons, was, of: { line, ...row } };
}

const lineIn = ({ of }: JournalEntry): number => ('line' in of ? of.line : 0);

/**
 * Returns the entries for a batch whose records came to these outcomes, in the order of its lines.
 */
export function entriesOf(
  reader: RecordReader,
  { records, refusals }: Batch,
  outcomes: readonly RowOutcome[],
): JournalEntry[] {
  const entries: JournalEntry[] = [...refusals];
  for (const [at, outcome] of outcomes.entries()) {
    const { piece, notes } = records[at]!;
    if (typeof outcome === 'object') entries.push(entryOf(reader, piece, [outcome.refused]));
    else if (notes.length > 0 && outcome !== 'present')
      entries.push(entryOf(reader, piece, notes, 'taken'));
  }
  return entries.toSorted((one, other) => lineIn(one) - lineIn(other));
}

/**
 * Reads a file in batches, from where an earlier run ended.
 * @param most maximum number of records per batch.
 * @throws {FolderError} when the header line of a CSV file is invalid.
 */
export async function* readBatches(
  file: KindFile,
  from: FilePosition,
  reader: RecordReader,
  most = BATCH,
): AsyncGenerator<Batch> {
  const behindHeading = file.format === 'csv' ? await readHeading(file, reader) : from;
  const start = from.offset < behindHeading.offset ? behindHeading : from;
  const collector = new Collector(file, reader, start, most);
  if (start.offset < file.bytes) {
    const cutter = new Cutter(file, start);
    for await (const chunk of bytesOf(file, { start: start.offset }))
      for (const piece of cutter.push(chunk)) yield* collector.add(piece);
    for (const piece of cutter.end()) yield* collector.add(piece);
  }
  if (!collector.isEmpty) yield collector.flush();
}

class Collector {
  readonly #reader: RecordReader;
  readonly #most: number;
  #records: (ReadRecord & { readonly piece: Piece })[] = [];
  #refusals: JournalEntry[] = [];
  #bytes = 0;
  #flushed: FilePosition;
  #end: FilePosition;

  constructor(file: KindFile, reader: RecordReader, start: FilePosition, most: number) {
    this.#reader = reader;
    this.#most = hasFiles(file) ? Math.min(FILE_BATCH, most) : most;
    this.#flushed = start;
    this.#end = start;
  }

  get isEmpty(): boolean {
    return this.#end === this.#flushed;
  }

  /** Takes a piece, and gives away the batch before it if that is full. */
  *add(piece: Piece): Generator<Batch> {
    const read = this.#read(piece);
    if (read instanceof CutRow) this.#refuseBefore(piece);
    else if (this.#isFull) yield this.flush();
    this.#end = { offset: piece.end, line: piece.nextLine };
    this.#bytes += piece.bytes.length;
    if (read instanceof RefusedRow) this.#refusals.push(entryOf(this.#reader, piece, read.reasons));
    else if (read !== undefined) this.#records.push({ ...read, piece });
  }

  #read(piece: Piece): ReadRecord | RefusedRow | undefined {
    try {
      return this.#reader.read(piece);
    } catch (error) {
      if (error instanceof RefusedRow) return error;
      throw error;
    }
  }

  get #isFull(): boolean {
    return this.#records.length + this.#refusals.length >= this.#most || this.#bytes >= BATCH_BYTES;
  }

  /** Refuses the row that ends where a cut one begins: what it lacks may be there. */
  #refuseBefore({ line }: Piece): void {
    const before = this.#records.at(-1)?.piece;
    if (before?.nextLine !== line) return;
    this.#records.pop();
    const reason = 'the next line has too few cells, and may be the rest of this one';
    this.#refusals.push(entryOf(this.#reader, before, [reason]));
  }

  flush(): Batch {
    const batch = { records: this.#records, refusals: this.#refusals, end: this.#end };
    this.#records = [];
    this.#refusals = [];
    this.#bytes = 0;
    this.#flushed = this.#end;
    return batch;
  }
}

/** Reads a part of a file, of UTF-16 as UTF-8. */
function bytesOf(
  { path, utf16 }: KindFile,
  part: { readonly start?: number; readonly end?: number },
): AsyncIterable<Buffer> {
  const bytes = createReadStream(path, { ...part, highWaterMark: CHUNK });
  return utf16 === undefined ? bytes : inUtf8(bytes, utf16);
}

async function readHeading(file: KindFile, reader: RecordReader): Promise<FilePosition> {
  const { path, kind } = file;
  const cutter = new Cutter(file, { offset: 0, line: 1 });
  for await (const chunk of bytesOf(file, { end: MAX_RECORD_BYTES })) {
    const [heading] = cutter.push(chunk);
    if (heading !== undefined) return takeHeading(heading, path, reader);
  }
  const [heading] = cutter.end();
  if (heading !== undefined) return takeHeading(heading, path, reader);
  throw new FolderError(
    `${path} is empty; begin with a line of headings: ${kind.fields.map(({ name }) => name).join(',')}.`,
  );
}

function takeHeading(heading: Piece, path: string, reader: RecordReader): FilePosition {
  try {
    reader.readHeading(heading);
    return { offset: heading.end, line: heading.nextLine };
  } catch (error) {
    throw error instanceof RefusedRow ? new FolderError(`${path}:1: ${error.message}.`) : error;
  }
}

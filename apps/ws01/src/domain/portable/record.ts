import { Ws01Error } from '../../contract/errors.ts';
import {
  FieldError,
  key as keyType,
  type MemberType,
  type ReadContext,
  type Stored,
  sendable,
} from '../../records/types.ts';
import { CsvError, type CsvRecord, readCsv, separatorOf } from './csv.ts';
import { CaseTwins } from './key-set.ts';
import type { Field, Kind } from './kinds.ts';
import type { FormOfFile, Piece } from './pieces.ts';

/**
 * A record as the database has it, without what is worked out of it: the columns of its kind's
 * fields.
 */
export type Row = Record<string, Stored>;

/** Why a record is not taken; sentences without their ends. */
export class RefusedRow extends Error {
  override readonly name = 'RefusedRow';
  readonly reasons: readonly string[];

  constructor(...reasons: readonly string[]) {
    super(reasons.join('. '));
    this.reasons = reasons;
  }
}

/**
 * A row with fewer cells than headings: often the rest of the row before, which has a line break
 * without quotes.
 */
export class CutRow extends RefusedRow {}

/** How the rows of files are read. */
export interface RowReading {
  /** A name of the Encoding Standard, for files that are not UTF-16. */
  readonly encoding: string;
  /** What stands for no value in a CSV cell without quotes, besides an empty one. */
  readonly absentAs?: string | undefined;
  /**
   * Whether a field that may be absent is left out where it cannot be read, and texts lose their
   * control characters.
   */
  readonly lenient?: boolean;
  /**
   * Which comes first in dates such as 3/4/2015; without it those that may be either are refused.
   */
  readonly dates?: 'dmy' | 'mdy' | undefined;
}

/**
 * What databases write for no value. Without `absentAs` a cell of it is refused, for it may be a
 * text.
 */
const ABSENT_IN_DATABASES: ReadonlySet<string> = new Set(['NULL', '\\N']);

/** What bcp of SQL Server writes for an empty text. */
const EMPTY_OF_BCP = '\0';

/** A record that was read. */
export interface ReadRecord {
  readonly line: number;
  readonly row: Row;
  /** The file that an image names. */
  readonly file: string | undefined;
  /** What was left out of it and what to look at, as sentences without their ends. */
  readonly notes: readonly string[];
}

/** Fields that name a file beside the records, in the kinds that have one. */
const FILE_KINDS = new Set(['images', 'image-files']);

/** What stands for fields in one record, in their order; and for the file that it names. */
interface Given {
  readonly values: unknown[];
  file?: unknown;
}

/** Where a name puts its value: at the place of its field, or as the file. */
type PlaceOfField = number | 'file';

/** Reads the records of one file. */
export class RecordReader {
  readonly #kind: Kind;
  readonly #context: ReadContext;
  /** The name of the file's charset. */
  readonly #charset: string;
  readonly #decoder: TextDecoder;
  readonly #reading: RowReading;
  readonly #places: ReadonlyMap<string, number>;
  #columns: readonly PlaceOfField[] | undefined;
  readonly #keys = new CaseTwins();
  #separator = ',';
  #first = true;

  constructor(
    { kind, utf16 }: { readonly kind: Kind } & Pick<FormOfFile, 'utf16'>,
    context: ReadContext,
    reading: RowReading,
  ) {
    this.#kind = kind;
    this.#context = { ...context, dates: reading.dates ?? 'asked' };
    this.#reading = reading;
    this.#charset = utf16 ?? reading.encoding;
    // UTF-16 is UTF-8 by now.
    const encoding = utf16 === undefined ? reading.encoding : 'utf-8';
    this.#decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    this.#places = new Map(
      kind.fields.flatMap(({ name }, at) => [
        [name, at] as const,
        [name.toLowerCase(), at] as const,
      ]),
    );
  }

  get kind(): string {
    return this.#kind.name;
  }

  /**
   * Takes the heading of a CSV file.
   * @throws {RefusedRow} when a column has no field: leaving it out would lose what it holds.
   */
  readHeading(piece: Piece): void {
    const text = this.#textOf(piece.bytes);
    this.#separator = separatorOf(text);
    const names = this.#cells(text).cells.map((cell) => cell.trim());
    const places = names.map((name) => this.#placeOf(name));
    const twice = names.find((_, at) => places.indexOf(places[at]!) !== at);
    if (twice !== undefined) throw new RefusedRow(`The heading ${twice} stands there twice`);
    this.#columns = places;
  }

  /**
   * Reads a record; `undefined` for an empty line.
   * @throws {RefusedRow} with the reason.
   */
  read(piece: Piece): ReadRecord | undefined {
    if (piece.problem !== undefined) throw new RefusedRow(`The row ${piece.problem}`);
    const text = this.#textOf(piece.bytes);
    if (text.trim() === '' || this.#isOfSqlcmd(text)) return undefined;
    const given =
      this.#columns === undefined ? this.#jsonOf(text) : this.#csvOf(text, this.#columns);
    const { row, file, notes } = this.#rowOf(given);
    return { line: piece.line, row, file, notes: [...notes, ...this.#notesOnKey(row)] };
  }

  /** Whether a row that was read has this key; of kinds whose key is one column. */
  hasRead(key: string): boolean {
    return this.#keys.has(key);
  }

  #notesOnKey(row: Row): readonly string[] {
    const { key, fields } = this.#kind;
    if (key.length > 1) return [];
    const field = fields.find(({ column }) => column === key[0])!;
    const isTwin = this.#keys.add(String(row[field.column]));
    if (!isTwin || field.type !== keyType) return [];
    return [
      `${field.name} differs from another only in letter case, which SQL Server took for the same; they are two here`,
    ];
  }

  /** The text of a row; `undefined` where it is none in the charset that was said. */
  textOf(bytes: Buffer): string | undefined {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }

  #textOf(bytes: Buffer): string {
    const first = this.#first;
    this.#first = false;
    const text = this.textOf(bytes);
    if (text === undefined) {
      const hint = this.#charset.startsWith('utf-16') ? HALVES : hintOf(bytes);
      throw new RefusedRow(`The row is not ${this.#charset.toUpperCase()} text${hint}`);
    }
    return first && text.startsWith('\ufeff') ? text.slice(1) : text;
  }

  #cells(text: string): Pick<CsvRecord, 'cells' | 'quoted'> {
    try {
      const [record, ...more] = readCsv(text, this.#separator);
      if (more.length > 0) throw new RefusedRow('The row is several; end lines with LF or CR LF');
      return record ?? { cells: [], quoted: [] };
    } catch (error) {
      throw error instanceof CsvError ? new RefusedRow(error.message.replace(/\.$/, '')) : error;
    }
  }

  /** Whether a line is none of the data: that below sqlcmd's headings, or its count of rows. */
  #isOfSqlcmd(text: string): boolean {
    if (this.#columns === undefined || !/^[-(]/.test(text)) return false;
    const line = text.trimEnd();
    if (/^\(\d+ (?:rows? affected|行受影响)\)$/.test(line)) return true;
    return line.split(this.#separator).every((cell) => /^-+$/.test(cell));
  }

  #csvOf(text: string, columns: readonly PlaceOfField[]): Given {
    const { cells, quoted } = this.#cells(text);
    if (cells.length !== columns.length) {
      const Refused = cells.length < columns.length ? CutRow : RefusedRow;
      throw new Refused(`The row has ${cells.length} cells under ${columns.length} headings`);
    }
    const given: Given = { values: [] };
    for (const [at, cell] of cells.entries())
      put(given, columns[at]!, quoted[at] && cell !== '' ? cell : this.#valueOfBare(cell));
    return given;
  }

  #valueOfBare(cell: string): unknown {
    const { absentAs } = this.#reading;
    if (cell === '' || cell === absentAs) return null;
    if (cell === EMPTY_OF_BCP) return '';
    return absentAs === undefined && ABSENT_IN_DATABASES.has(cell) ? new Doubtful(cell) : cell;
  }

  #jsonOf(text: string): Given {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new RefusedRow(
        text.trimEnd().endsWith('}')
          ? 'The row is not JSON'
          : 'The row is cut off: it is no whole JSON object',
      );
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new RefusedRow('The row is no JSON object');
    const given: Given = { values: [] };
    for (const name in value) {
      const place = this.#placeOf(name);
      const before = place === 'file' ? given.file : given.values[place];
      if (before !== undefined) throw new RefusedRow(`The row has ${name} twice`);
      put(given, place, (value as Record<string, unknown>)[name]);
    }
    return given;
  }

  #placeOf(name: string): PlaceOfField {
    const place = this.#places.get(name) ?? this.#places.get(name.toLowerCase());
    if (place !== undefined) return place;
    if (name.toLowerCase() === 'file' && FILE_KINDS.has(this.#kind.name)) return 'file';
    throw new RefusedRow(
      `${JSON.stringify(name.slice(0, 40))} is no field of ${this.#kind.name}; see docs/portable-format.md`,
    );
  }

  #rowOf({ values, file = null }: Given): Omit<ReadRecord, 'line'> {
    const row: Row = {};
    const problems: string[] = [];
    const notes: string[] = [];
    for (const [at, field] of this.#kind.fields.entries()) {
      const { value = null, problem } = this.#valueOf(field, values[at]);
      row[field.column] = value ?? absentOf(field);
      if (problem === undefined) continue;
      const isTaken = value !== null || this.#mayLeaveOut(field, values[at]);
      (isTaken ? notes : problems).push(`${field.name} ${problem}`);
    }
    if (file instanceof Doubtful) problems.push(`file ${file.question}`);
    else if (file !== null && (typeof file !== 'string' || file === ''))
      problems.push('file is not the name of a file');
    if (problems.length > 0) throw new RefusedRow(...problems);
    return { row, file: (file as string | null) ?? undefined, notes };
  }

  #mayLeaveOut({ type, absent }: Field, value: unknown): boolean {
    if (value instanceof Doubtful || absent === 'required') return false;
    return this.#reading.lenient === true || type.dispensable === true;
  }

  /**
   * Reads a value, and says what is wrong with it; with both, the value is what could be taken of
   * it.
   */
  #valueOf({ type, absent }: Field, value: unknown): { value?: Stored; problem?: string } {
    if (value instanceof Doubtful) return { problem: value.question };
    const isGiven = value !== undefined && value !== null && (value !== '' || type.keepsEmpty);
    try {
      const stored = isGiven ? type.read(value, this.#context) : null;
      return stored === null && absent === 'required'
        ? { problem: 'is required' }
        : { value: stored };
    } catch (error) {
      return { ...this.#partOf(type, value), problem: reasonOf(error) };
    }
  }

  /** Reads a text without its control characters, where that is allowed. */
  #partOf(type: MemberType, value: unknown): { value?: Stored } {
    if (this.#reading.lenient !== true || typeof value !== 'string') return {};
    const part = sendable(value);
    if (part === value) return {};
    try {
      return { value: type.read(part, this.#context) };
    } catch {
      return {};
    }
  }
}

function absentOf({ absent }: Field): Stored {
  return absent === 'made' || absent === 'required' ? null : absent;
}

/** A cell that stands for no value, or is a text. */
class Doubtful {
  readonly question: string;

  constructor(cell: string) {
    const remedies = `if that means no value, say --null '${cell}', and if it is text, --null ''`;
    this.question = `is ${cell} without quotes; ${remedies}`;
  }
}

function put(given: Given, place: PlaceOfField, value: unknown): void {
  if (place === 'file') given.file = value;
  else given.values[place] = value;
}

function reasonOf(error: unknown): string {
  if (error instanceof FieldError) return error.message;
  if (error instanceof Ws01Error) return error.message.replace(/^It:? /, '').replace(/\.$/, '');
  throw error;
}

/** Why a row of UTF-16 is none: SQL Server cuts texts at its own length of a column. */
const HALVES = '; it has half of a character, where a text was cut: write it without';

/** What charset the bytes are likely to be in, where they are not in the one that was expected. */
function hintOf(bytes: Buffer): string {
  if (bytes.includes(0)) return '; it has bytes of a binary file: export it as text';
  try {
    new TextDecoder('gb18030', { fatal: true }).decode(bytes);
    return '; it reads as GBK: try --encoding gb18030';
  } catch {
    return '; give its charset with --encoding, such as windows-1252';
  }
}

/** The record of a row, as JSON; what is absent is left out. */
export function toJson({ fields }: Kind, row: Readonly<Row>): Record<string, unknown> {
  const json: Record<string, unknown> = {};
  for (const { name, column, type, absent } of fields) {
    const stored = row[column];
    if (stored !== null && stored !== undefined && stored !== absent)
      json[name] = type.write(stored);
  }
  return json;
}

import { Ws01Error } from '../../contract/errors.ts';
import { FieldError, type ReadContext, type Stored } from '../../records/types.ts';
import { CsvError, readCsv } from './csv.ts';
import type { Field, Kind } from './kinds.ts';
import type { Piece } from './pieces.ts';

/** A record as the database has it, without what is worked out of it: the columns of its kind's fields. */
export type Row = Record<string, Stored>;

/** Why a record is not taken; a sentence without its end. */
export class RefusedRow extends Error {
  override readonly name = 'RefusedRow';
}

/** A record that was read. */
export interface ReadRecord {
  readonly line: number;
  readonly row: Row;
  /** The file that an image names. */
  readonly file: string | undefined;
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
  readonly #decoder: TextDecoder;
  readonly #encoding: string;
  readonly #places: ReadonlyMap<string, number>;
  #columns: readonly PlaceOfField[] | undefined;
  #separator = ',';
  #first = true;

  /** @param encoding a name of the Encoding Standard. */
  constructor(kind: Kind, context: ReadContext, encoding = 'utf-8') {
    this.#kind = kind;
    this.#context = context;
    this.#encoding = encoding;
    this.#decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    this.#places = new Map(
      kind.fields.flatMap(({ name }, at) => [
        [name, at] as const,
        [name.toLowerCase(), at] as const,
      ]),
    );
  }

  /**
   * Takes the heading of a CSV file.
   * @throws {RefusedRow} when a column has no field: leaving it out would lose what it holds.
   */
  readHeading(piece: Piece): void {
    const text = this.#textOf(piece.bytes);
    this.#separator = [',', ';', '\t'].find((candidate) => text.includes(candidate)) ?? ',';
    this.#columns = this.#cells(text).map((cell) => this.#placeOf(cell.trim()));
  }

  /**
   * Reads a record; `undefined` for an empty line.
   * @throws {RefusedRow} with the reason.
   */
  read(piece: Piece): ReadRecord | undefined {
    if (piece.problem !== undefined) throw new RefusedRow(`The row ${piece.problem}`);
    const text = this.#textOf(piece.bytes);
    if (text.trim() === '') return undefined;
    const given =
      this.#columns === undefined ? this.#jsonOf(text) : this.#csvOf(text, this.#columns);
    return { line: piece.line, ...this.#rowOf(given) };
  }

  #textOf(bytes: Buffer): string {
    const first = this.#first;
    this.#first = false;
    try {
      const text = this.#decoder.decode(bytes);
      return first && text.startsWith('\ufeff') ? text.slice(1) : text;
    } catch {
      throw new RefusedRow(`The row is not ${this.#encoding.toUpperCase()} text${hintOf(bytes)}`);
    }
  }

  #cells(text: string): readonly string[] {
    try {
      const [record, ...more] = readCsv(text, this.#separator);
      if (more.length > 0) throw new RefusedRow('The row is several; end lines with LF or CR LF');
      return record?.cells ?? [];
    } catch (error) {
      throw error instanceof CsvError ? new RefusedRow(error.message.replace(/\.$/, '')) : error;
    }
  }

  #csvOf(text: string, columns: readonly PlaceOfField[]): Given {
    const cells = this.#cells(text);
    if (cells.length !== columns.length) {
      throw new RefusedRow(`The row has ${cells.length} cells under ${columns.length} headings`);
    }
    const given: Given = { values: [] };
    for (const [at, cell] of cells.entries()) put(given, columns[at]!, cell === '' ? null : cell);
    return given;
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
    for (const name in value)
      put(given, this.#placeOf(name), (value as Record<string, unknown>)[name]);
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

  #rowOf({ values, file = null }: Given): { row: Row; file: string | undefined } {
    const row: Row = {};
    for (const [at, field] of this.#kind.fields.entries())
      row[field.column] = this.#valueOf(field, values[at]);
    if (file !== null && (typeof file !== 'string' || file === ''))
      throw new RefusedRow('file is not the name of a file');
    return { row, file: file ?? undefined };
  }

  #valueOf({ name, type, absent }: Field, value: unknown): Stored {
    let stored: Stored = null;
    if (value !== undefined && value !== null && (value !== '' || type.keepsEmpty)) {
      try {
        stored = type.read(value, this.#context);
      } catch (error) {
        throw new RefusedRow(`${name} ${reasonOf(error)}`);
      }
    }
    if (stored !== null) return stored;
    if (absent === 'required') throw new RefusedRow(`${name} is required`);
    return absent === 'made' ? null : absent;
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

/** What charset the bytes are likely to be in, where they are not in the one that was expected. */
function hintOf(bytes: Buffer): string {
  if (bytes.includes(0))
    return '; it looks like UTF-16: write the file as UTF-8 (iconv -f UTF-16 -t UTF-8)';
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

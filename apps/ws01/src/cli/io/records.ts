import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import { Ws01Error } from '../../contract/errors.ts';
import { TokenTextError } from '../../domain/credentials/token-text.ts';
import { CsvError, readCsv, separatorOf } from '../../domain/portable/csv.ts';
import { utf16In } from '../../domain/portable/utf16.ts';
import { CommandFailure } from '../failure.ts';

/** A record of an import: the fields that are present, as text. */
interface FieldRecord<Field extends string> {
  /** The first line of the record in the file; lines count from 1. */
  readonly line: number;
  readonly fields: Readonly<Partial<Record<Field, string>>>;
}

/** Problems shown per file; the rest is counted. */
const SHOWN = 20;

/** The problems in the lines of a file. */
export class LineProblems {
  readonly #source: string;
  readonly #problems: { readonly line: number; readonly message: string }[] = [];

  /** @param source the name of the file in messages. */
  constructor(source: string) {
    this.#source = source;
  }

  /** Runs work; an error becomes a problem of the line. */
  collect(line: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isOfTheInput(error)) throw error;
      this.#problems.push({ line, message: error.message });
    }
  }

  /** @throws {CommandFailure} with each problem and its line, if there are any. */
  throwAny(records: number): void {
    const count = this.#problems.length;
    if (count === 0) {
      return;
    }
    const shown = this.#problems
      .slice(0, SHOWN)
      .map(({ line, message }) => `${this.#source}:${line}: ${message}`);
    const rest = count > SHOWN ? [`… and ${count - SHOWN} more`] : [];
    const summary = `nothing was imported, since ${count} of ${records} records ${count === 1 ? 'is' : 'are'} wrong:`;
    throw new CommandFailure([summary, ...shown, ...rest].join('\n'));
  }
}

/** Whether an error is due to what the user wrote; any other is a defect. */
function isOfTheInput(error: unknown): error is Error {
  return [CommandFailure, InvalidArgumentError, TokenTextError, Ws01Error].some(
    (type) => error instanceof type,
  );
}

/** Reads a text file, or standard input for `-`: UTF-8, or UTF-16, as spreadsheets write it. */
export async function readText(path: string): Promise<string> {
  const bytes = path === '-' ? await buffer(process.stdin) : await readFile(path);
  const charset = utf16In(bytes) ?? 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailure(`${nameOf(path)} is not UTF-8 text; save it as UTF-8.`);
  }
}

/** Returns the name of a file in messages. */
export function nameOf(path: string): string {
  return path === '-' ? 'standard input' : path;
}

/**
 * Reads records from CSV with a header line (separated by commas, semicolons or tabs), or from JSON
 * lines with an object per line. The first character decides which.
 *
 * @param fields the allowed names of columns and keys, in any case.
 * @throws {CommandFailure} when the text is neither, or names an unknown field.
 */
export function readRecords<Field extends string>(
  text: string,
  source: string,
  fields: readonly Field[],
): FieldRecord<Field>[] {
  return text.trimStart().startsWith('{')
    ? jsonLines(text, source, fields)
    : csvRecords(text, source, fields);
}

function csvRecords<Field extends string>(
  text: string,
  source: string,
  fields: readonly Field[],
): FieldRecord<Field>[] {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/));
  const records: FieldRecord<Field>[] = [];
  let columns: readonly Field[] | undefined;
  try {
    for (const { line, cells } of readCsv(text, separatorOf(firstLine))) {
      if (columns === undefined) {
        columns = cells.map((cell) => fieldOf(cell, fields, `${source}:${line}`));
      } else if (cells.length !== columns.length) {
        throw new CsvError(
          line,
          `There are ${cells.length} cells under ${columns.length} headings.`,
        );
      } else {
        const named = columns.map((column, at) => [column, cells[at]] as const);
        records.push({ line, fields: Object.fromEntries(named) as Partial<Record<Field, string>> });
      }
    }
  } catch (error) {
    if (error instanceof CsvError) {
      throw new CommandFailure(`${source}:${error.line}: ${error.message} Nothing was imported.`);
    }
    throw error;
  }
  if (columns === undefined) {
    throw new CommandFailure(
      `${source} is empty; begin with the heading line ${fields.join(',')}.`,
    );
  }
  return records;
}

function jsonLines<Field extends string>(
  text: string,
  source: string,
  fields: readonly Field[],
): FieldRecord<Field>[] {
  const records: FieldRecord<Field>[] = [];
  for (const [index, content] of text.split('\n').entries()) {
    if (content.trim() !== '') {
      records.push({
        line: index + 1,
        fields: jsonFields(content, `${source}:${index + 1}`, fields),
      });
    }
  }
  return records;
}

function jsonFields<Field extends string>(
  content: string,
  where: string,
  fields: readonly Field[],
): Partial<Record<Field, string>> {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw new CommandFailure(
      `${where}: This is not JSON. Each line must be one object. Nothing was imported.`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CommandFailure(`${where}: This is not a JSON object. Nothing was imported.`);
  }
  const entries = Object.entries(value).map(([key, field]) => {
    if (field !== null && typeof field !== 'string' && typeof field !== 'number') {
      throw new CommandFailure(
        `${where}: ${JSON.stringify(key)} must be text or null. Nothing was imported.`,
      );
    }
    return [fieldOf(key, fields, where), field === null ? '' : String(field)] as const;
  });
  return Object.fromEntries(entries) as Partial<Record<Field, string>>;
}

/**
 * Returns the field of a column or key. An unknown name is an error, because its data would be
 * lost.
 */
function fieldOf<Field extends string>(
  name: string,
  fields: readonly Field[],
  where: string,
): Field {
  const wanted = name.trim().toLowerCase();
  const field = fields.find((candidate) => candidate === wanted);
  if (field === undefined) {
    const shown = JSON.stringify(name.slice(0, 40));
    throw new CommandFailure(
      `${where}: ${shown} is no field; there are ${fields.join(', ')}. Nothing was imported.`,
    );
  }
  return field;
}

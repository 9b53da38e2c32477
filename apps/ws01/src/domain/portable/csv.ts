export const LF = 0x0a;
export const CR = 0x0d;
export const QUOTE = 0x22;

/** A record of a CSV text. */
export interface CsvRecord {
  /** Its first line; lines count from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** For each cell, whether it stands in quotes: databases write what has no value without. */
  readonly quoted: readonly boolean[];
}

/** A text is not CSV. */
export class CsvError extends Error {
  override readonly name = 'CsvError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** What separates the cells under a heading line. */
export function separatorOf(heading: string): string {
  return [',', ';', '\t'].find((candidate) => heading.includes(candidate)) ?? ',';
}

/**
 * Reads CSV (RFC 4180): cells in quotes may hold separators, line breaks and doubled quotes. Lines
 * end with CR LF, LF or CR; empty ones are left out. One pass, no backtracking.
 *
 * @param separator one character.
 * @throws {CsvError} for a quote inside a bare cell, a character after a closing quote, a quote
 *   that is not closed.
 */
export function* readCsv(text: string, separator: string): Generator<CsvRecord> {
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const began = line;
    const cells: string[] = [];
    const quoted: boolean[] = [];
    let more = true;
    while (more) {
      const isQuoted = text[at] === '"';
      const cell = isQuoted ? quotedCell(text, at, line) : bareCell(text, at, separator, line);
      cells.push(cell.value);
      quoted.push(isQuoted);
      ({ at, line } = cell);
      more = text[at] === separator;
      if (more) {
        at += 1;
      } else if (at < text.length) {
        if (text[at] !== '\n' && text[at] !== '\r') {
          throw new CsvError(
            line,
            'A closing quote must be followed by a separator or the end of the line.',
          );
        }
        at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
        line += 1;
      }
    }
    if (cells.length > 1 || cells[0] !== '') {
      yield { line: began, cells, quoted };
    }
  }
}

interface Cell {
  readonly value: string;
  readonly at: number;
  readonly line: number;
}

function bareCell(text: string, start: number, separator: string, line: number): Cell {
  const end = separator.charCodeAt(0);
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === end || code === LF || code === CR) break;
    if (code === QUOTE) {
      throw new CsvError(
        line,
        'A cell with a quote in it must stand in quotes, with the quote doubled.',
      );
    }
  }
  return { value: text.slice(start, at), at, line };
}

function quotedCell(text: string, start: number, began: number): Cell {
  let value = '';
  let line = began;
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) {
      throw new CsvError(began, 'The cell that begins with a quote here has no closing quote.');
    }
    const piece = text.slice(from, quote);
    value += piece;
    line += lineBreaks(piece);
    if (text[quote + 1] !== '"') {
      return { value, at: quote + 1, line };
    }
    value += '"';
    from = quote + 2;
  }
}

function lineBreaks(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) count += 1;
  }
  return count;
}

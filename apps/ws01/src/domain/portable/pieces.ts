import { CR, LF, QUOTE } from './csv.ts';
import { bytesInUtf16, type Utf16 } from './utf16.ts';

/** The longest record, in bytes: two million characters, each as JSON's longest escape. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** One record of a file, as bytes, where it stands. */
export interface Piece {
  /** The line it begins on; the first is 1. */
  readonly line: number;
  /** Where in the file the next one begins, and on which line. */
  readonly end: number;
  readonly nextLine: number;
  /** Without its line break. */
  readonly bytes: Buffer;
  /** Why it cannot be read, where that is known already. */
  readonly problem?: string;
}

/**
 * How the records of a file are written; `utf16` where its bytes were UTF-16 before they came here
 * as UTF-8.
 */
export interface FormOfFile {
  readonly format: 'jsonl' | 'csv';
  readonly utf16: Utf16 | undefined;
}

/**
 * Cuts a file into records at the byte, so that a reading can go on exactly where another one
 * ended, and bytes of a wrong encoding spoil one record alone. In CSV a line break within quotes is
 * none. The bytes of quote, separators and line breaks are never part of a character in any charset
 * that begins with ASCII.
 */
export class Cutter {
  readonly #quotes: boolean;
  readonly #sizeInFile: (bytes: Buffer) => number;
  readonly #most: number;
  #held: Buffer = Buffer.alloc(0);
  /** Up to where `held` has been looked through. */
  #seen = 0;
  #within = false;
  #offset: number;
  #line: number;
  /** Bytes of a record that is too long; only its end is looked for. */
  #skipping = false;

  /**
   * @param from where a former reading ended: the offset in bytes, and the line that begins there.
   */
  constructor(
    { format, utf16 }: FormOfFile,
    from: { readonly offset: number; readonly line: number },
    most = MAX_RECORD_BYTES,
  ) {
    this.#quotes = format === 'csv';
    this.#sizeInFile = utf16 === undefined ? ({ length }) => length : bytesInUtf16;
    this.#offset = from.offset;
    this.#line = from.line;
    this.#most = most;
  }

  /** Takes the next bytes of the file. @returns the records that end in them. */
  push(chunk: Buffer): Piece[] {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const pieces = this.#cut();
    if (this.#held.length > this.#most)
      pieces.push(...this.#giveUp('is longer than a record may be'));
    return pieces;
  }

  /** The file has ended. @returns what is left of it. */
  end(): Piece[] {
    const pieces: Piece[] = [];
    while (this.#held.length > 0) {
      if (this.#within) {
        pieces.push(...this.#giveUp('has a quote that is not closed'));
        continue;
      }
      const rest = this.#held.length;
      pieces.push(this.#take(rest, rest));
    }
    return pieces;
  }

  #cut(): Piece[] {
    const pieces: Piece[] = [];
    for (;;) {
      const lf = this.#held.indexOf(LF, this.#seen);
      const until = lf < 0 ? this.#held.length : lf;
      if (this.#quotes && !this.#skipping) this.#within = this.#countQuotes(this.#seen, until);
      this.#seen = until;
      if (lf < 0) return pieces;
      this.#seen = lf + 1;
      if (this.#within) continue;
      pieces.push(this.#take(lf, lf + 1));
    }
  }

  #countQuotes(from: number, until: number): boolean {
    let within = this.#within;
    for (
      let at = this.#held.indexOf(QUOTE, from);
      at >= 0 && at < until;
      at = this.#held.indexOf(QUOTE, at + 1)
    ) {
      within = !within;
    }
    return within;
  }

  /** Takes the record that ends at `end`; the next begins at `next`. */
  #take(end: number, next: number, problem?: string): Piece {
    const bytes = this.#held.subarray(0, end > 0 && this.#held[end - 1] === CR ? end - 1 : end);
    const line = this.#line;
    const taken = this.#held.subarray(0, next);
    this.#line += linesIn(taken);
    this.#offset += this.#sizeInFile(taken);
    this.#held = this.#held.subarray(next);
    this.#seen = 0;
    this.#within = false;
    const skipped = this.#skipping;
    this.#skipping = false;
    const reason = skipped ? 'goes on here, a record that is longer than one may be' : problem;
    return {
      line,
      end: this.#offset,
      nextLine: this.#line,
      bytes,
      ...(reason === undefined ? {} : { problem: reason }),
    };
  }

  /** Gives the first line up, and reads on behind it. */
  #giveUp(problem: string): Piece[] {
    const lf = this.#held.indexOf(LF);
    const next = lf < 0 ? this.#held.length : lf + 1;
    const piece = this.#take(lf < 0 ? next : lf, next, problem);
    this.#skipping = lf < 0 && this.#held.length === 0;
    return [piece, ...this.#cut()];
  }
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines++;
  return lines;
}

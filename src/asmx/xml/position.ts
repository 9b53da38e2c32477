import type { XmlPosition } from './errors.ts';

/** A place in a document that survives the text it was found in. */
export class Mark {
  /** Its index in the current text, -1 when that text is gone and `line` and `column` hold. */
  index = 0;
  line = 1;
  column = 1;

  /** Makes this the same place as another. */
  set(other: Mark): void {
    this.index = other.index;
    this.line = other.line;
    this.column = other.column;
  }
}

/** Counts lines, so that a document read in pieces has one numbering. */
export class LineCounter {
  /** Position of the first code unit of the current text. */
  #line = 1;
  #column = 1;

  /** The position of an index of the current text. */
  locate(text: string, mark: Mark): XmlPosition {
    if (mark.index < 0) return mark;
    const counter = new LineCounter();
    counter.#line = this.#line;
    counter.#column = this.#column;
    counter.#advance(text, 0, mark.index);
    return { line: counter.#line, column: counter.#column };
  }

  /**
   * Drops the first `end` code units of the current text.
   * @param marks in document order; those in the dropped part keep their position.
   */
  drop(text: string, end: number, marks: readonly Mark[]): void {
    let from = 0;
    for (const mark of marks) {
      if (mark.index < 0) continue;
      if (mark.index >= end) {
        mark.index -= end;
        continue;
      }
      this.#advance(text, from, mark.index);
      from = mark.index;
      mark.index = -1;
      mark.line = this.#line;
      mark.column = this.#column;
    }
    this.#advance(text, from, end);
  }

  #advance(text: string, from: number, to: number): void {
    let lineStart = -1;
    for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) {
      this.#line++;
      lineStart = at + 1;
    }
    this.#column = lineStart < 0 ? this.#column + to - from : to - lineStart + 1;
  }
}

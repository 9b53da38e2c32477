import type { XmlPosition } from '../errors.ts';

/** A position in a document that stays valid when its text is dropped. */
export class Mark {
  /** Its index in the current text, -1 when that text is gone and `line` and `column` hold. */
  index = 0;
  line = 1;
  column = 1;

  /** Copies another mark. */
  set(other: Mark): void {
    this.index = other.index;
    this.line = other.line;
    this.column = other.column;
  }
}

/**
 * Counts lines, so that a document read in pieces has one numbering. Each code unit is looked at
 * once.
 */
export class LineCounter {
  /** How far the current text has been counted, and the position there. */
  #index = 0;
  #line = 1;
  #column = 1;
  /** The next line feed at or after what was last asked for; stale when before it. */
  #break = -1;
  /** The position of the first code unit of the current text. */
  #firstLine = 1;
  #firstColumn = 1;
  readonly #peeked = { line: 1, column: 1 };

  /**
   * The position of a mark in the current text; asked in document order it takes no second look.
   */
  locate(text: string, mark: Mark): XmlPosition {
    if (mark.index < 0) return mark;
    this.#seek(text, mark.index);
    return { line: this.#line, column: this.#column };
  }

  /**
   * The position of an index behind a mark, at which counting goes on. Valid until it is asked for
   * again.
   */
  peek(text: string, mark: Mark, index: number): XmlPosition {
    if (mark.index >= 0) this.#seek(text, mark.index);
    const peeked = this.#peeked;
    peeked.line = this.#line;
    peeked.column = this.#column + index - this.#index;
    for (let feed = this.#nextBreak(text, this.#index); feed < index; ) {
      peeked.line++;
      peeked.column = index - feed;
      const next = text.indexOf('\n', feed + 1);
      feed = next < 0 ? text.length : next;
    }
    return peeked;
  }

  #seek(text: string, index: number): void {
    if (index < this.#index) {
      this.#index = 0;
      this.#break = -1;
      this.#line = this.#firstLine;
      this.#column = this.#firstColumn;
    }
    this.#advance(text, index);
  }

  /**
   * Drops the first `end` code units of the current text.
   * @param lineFeeds in the whole text, when they are known: they are not counted again then; else
   *   -1.
   * @param marks those in the dropped part keep their position.
   */
  drop(text: string, end: number, lineFeeds: number, marks: readonly Mark[]): void {
    for (const mark of marks) {
      if (mark.index >= 0 && mark.index < end) {
        const { line, column } = this.locate(text, mark);
        mark.line = line;
        mark.column = column;
      }
      mark.index = mark.index < end ? -1 : mark.index - end;
    }
    if (lineFeeds >= 0 && end === text.length) this.#leave(text, lineFeeds);
    else {
      if (this.#index > end) this.locate(text, START);
      this.#advance(text, end);
    }
    this.#index = 0;
    this.#break = -1;
    this.#firstLine = this.#line;
    this.#firstColumn = this.#column;
  }

  /** Counts to the end of the text. */
  #leave(text: string, lineFeeds: number): void {
    const last = lineFeeds === 0 ? -1 : text.lastIndexOf('\n');
    this.#line = this.#firstLine + lineFeeds;
    this.#column = last < 0 ? this.#firstColumn + text.length : text.length - last;
  }

  #advance(text: string, to: number): void {
    let lineStart = -1;
    while (this.#nextBreak(text, lineStart < 0 ? this.#index : lineStart) < to) {
      this.#line++;
      lineStart = this.#break + 1;
    }
    this.#column = lineStart < 0 ? this.#column + to - this.#index : to - lineStart + 1;
    this.#index = to;
  }

  /** Index of the next line feed; the text's length when there is none. */
  #nextBreak(text: string, from: number): number {
    if (this.#break >= from) return this.#break;
    const found = text.indexOf('\n', from);
    this.#break = found < 0 ? text.length : found;
    return this.#break;
  }
}

/** The start of the current text. */
const START = new Mark();

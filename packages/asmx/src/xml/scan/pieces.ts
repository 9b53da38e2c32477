import type { ElementStack } from '../elements/element-stack.ts';
import { isSurrogate, joinSurrogates, loneSurrogate, resolveReference } from './references.ts';

/** Up to this many pieces, concatenation is faster than a join. */
const FEW = 8;

/** Collects pieces of text, or of an attribute value, and joins them. */
export class Pieces {
  /** Code units added since the last {@link take}, also by earlier texts. */
  length = 0;
  /** A reference to the first half of a surrogate pair, waiting for the second; 0 for none. */
  high = 0;
  #text = '';
  #count = 0;
  /**
   * All pieces, once they are many: joined at once they leave one flat string behind, not a long
   * chain.
   */
  #many: string[] | undefined;

  /** Code units and pieces not taken yet. */
  get held(): number {
    return this.#count + this.length;
  }

  add(piece: string): void {
    this.length += piece.length;
    if (this.#count++ < FEW) this.#text += piece;
    else if (this.#many === undefined) this.#many = [this.#text, piece];
    else this.#many.push(piece);
  }

  /** Takes everything added since the last call. */
  take(): string {
    const text = this.#many === undefined ? this.#text : this.#many.join('');
    this.length = 0;
    this.#text = '';
    this.#count = 0;
    this.#many = undefined;
    return text;
  }

  /** Reports everything added since the last call as text of the innermost element. */
  flush(elements: ElementStack): void {
    if (this.#count > 0) elements.text(this.take());
  }

  /** Something other than the second half of a pair follows. */
  refuseHalf(): void {
    if (this.high !== 0) throw loneSurrogate();
  }

  /**
   * The character that a reference stands for; `''` for the first half of a pair, which waits for
   * the other.
   */
  resolve(name: string): string {
    const point = resolveReference(name);
    if (this.high !== 0) {
      const joined = joinSurrogates(this.high, point);
      this.high = 0;
      return String.fromCodePoint(joined);
    }
    if (!isSurrogate(point)) return String.fromCodePoint(point);
    if (point >= 0xdc00) throw loneSurrogate();
    this.high = point;
    return '';
  }
}

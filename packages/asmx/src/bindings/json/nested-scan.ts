import type { Limits } from '../../contract/limits.ts';

const BACKSLASH = 0x5c;

/**
 * Finds the end of a nested value of a JSON text, in pieces of any size, by its brackets and
 * strings alone. The parser finds out later whether it is well-formed. It bounds what parsing can
 * build: levels by `depth`, and commas, which is to say members and items of the whole text, by
 * `elements`.
 */
export class NestedScan {
  readonly #limits: Limits;
  #level = 0;
  #commas = 0;
  /** The code unit that ends the string that is open; 0 outside strings. */
  #quote = 0;
  #isEscaped = false;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Goes on with a value.
   * @returns the index behind its end; 0 when it goes on in the next piece; the limit that it is
   *   over.
   */
  end(text: string, from: number): number | 'depth' | 'elements' {
    const { depth, elements } = this.#limits;
    for (let at = from; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (this.#quote !== 0) {
        this.#inString(unit);
        continue;
      }
      switch (unit) {
        case 0x22:
        case 0x27:
          this.#quote = unit;
          break;
        case 0x7b:
        case 0x5b:
          // The object of the arguments is around it.
          if (++this.#level + 1 > depth) return 'depth';
          break;
        case 0x7d:
        case 0x5d:
          if (--this.#level === 0) return at + 1;
          break;
        case 0x2c:
          if (++this.#commas > elements) return 'elements';
          break;
      }
    }
    return 0;
  }

  #inString(unit: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (unit === BACKSLASH) this.#isEscaped = true;
    else if (unit === this.#quote) this.#quote = 0;
  }
}

/**
 * So many pieces are put together to one: bounds what a text in small pieces takes beside its
 * characters.
 */
const MOST_PIECES = 1024;

/**
 * One text that comes in pieces. It is not built with `+`, which keeps every piece and 32 bytes for
 * each: a text of a million references would take 40 times its size.
 */
export class TextCollector {
  /** The text, as long as it is one piece. */
  #only = '';
  /** Its pieces, when they are several: those put together, and the last ones. */
  #blocks: string[] | undefined;
  #pieces: string[] = [];

  add(piece: string): void {
    if (this.#blocks === undefined) {
      if (this.#only === '') {
        this.#only = piece;
        return;
      }
      this.#blocks = [];
      this.#pieces = [this.#only];
    }
    if (this.#pieces.push(piece) < MOST_PIECES) return;
    this.#blocks.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  /** The text so far. */
  get text(): string {
    if (this.#blocks !== undefined) {
      this.#only = [...this.#blocks, ...this.#pieces].join('');
      this.#blocks = undefined;
    }
    return this.#only;
  }

  /** The text; the collector is as new then. */
  take(): string {
    const { text } = this;
    this.#only = '';
    return text;
  }
}

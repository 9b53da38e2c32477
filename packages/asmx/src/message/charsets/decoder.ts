/**
 * Bytes of one encoding to text, incrementally and without loss at chunk borders. Bytes that are no
 * text in the encoding are replaced, or end the text when the decoder is strict.
 */
export interface CharsetDecoder {
  /** Lower-case name of the encoding. */
  readonly encoding: string;
  /**
   * Strict only: invalid bytes ended the text of the last call. Nothing may be decoded after it.
   */
  readonly invalid: boolean;
  /** Not strict only: bytes that are no text in the encoding were replaced so far. */
  readonly replaced: boolean;
  /**
   * Of the last call: its text is that of its bytes, but for a character at its borders, and each
   * ASCII byte is itself.
   */
  readonly bytewise: boolean;
  /**
   * The text of the next bytes; with `last`, of what was held back too. Well-formed UTF-16. The
   * bytes are not kept.
   */
  decode(bytes: Uint8Array, last: boolean): string;
}

/** A decoder of one charset, which is strict or not from the start. */
export abstract class JudgingDecoder implements CharsetDecoder {
  abstract readonly encoding: string;
  readonly bytewise: boolean = false;
  invalid = false;
  replaced = false;
  protected readonly strict: boolean;

  constructor(strict: boolean) {
    this.strict = strict;
  }

  abstract decode(bytes: Uint8Array, last: boolean): string;

  /** Notes bytes that are no text. @returns whether they end it: the decoder is strict. */
  protected refuse(): boolean {
    if (this.strict) this.invalid = true;
    else this.replaced = true;
    return this.strict;
  }
}

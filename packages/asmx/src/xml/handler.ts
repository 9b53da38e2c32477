/** An attribute that is not a namespace declaration. */
export interface XmlAttribute {
  /** Namespace URI, `''` for none. */
  readonly uri: string;
  readonly local: string;
  readonly prefix: string;
  /** White space normalised to blanks, references resolved. */
  readonly value: string;
}

/**
 * A start tag. The object and its attributes are valid only during the call of
 * {@link XmlHandler.open} that receives them.
 */
export interface XmlElement {
  /** Namespace URI, `''` for none. */
  readonly uri: string;
  readonly local: string;
  readonly prefix: string;
  /** In document order. */
  readonly attributes: readonly XmlAttribute[];
  /**
   * Resolves a prefix here, for values that are qualified names (`type="s:int"`, `xsi:type`); `''`
   * is the default namespace. `undefined` when the prefix is not declared. Kept, it may be called
   * until the element's end is handled ({@link XmlHandler.close}).
   */
  namespaceOf(prefix: string): string | undefined;
}

/**
 * What the reader reports of an element's content:
 * - `elements`: child elements are reported, text directly inside is not;
 * - `text`: text is reported (in as many pieces as arrive, CDATA and references resolved); child
 *   elements too;
 * - `skip`: everything up to the end tag is checked for well-formedness and not reported.
 */
export type ContentMode = 'elements' | 'text' | 'skip';

/** A content mode with its own limits. */
export interface Content {
  readonly mode: ContentMode;
  /**
   * The longest text directly inside this element, UTF-16 code units; the limit `textChars` when
   * absent.
   */
  readonly maxChars?: number;
  /**
   * Whether it is a SOAP header: the limits `headerDepth` and `headerBytes` apply instead of
   * `depth`.
   */
  readonly header?: boolean;
  /**
   * The expected children; only for the mode `elements` and a handler with {@link XmlHandler.leaf}.
   */
  readonly leaves?: ExpectedLeaves;
}

/**
 * Children that have nothing but a text, in the order in which they are likely to come: as such
 * each is reported once, after those before it. Others, and the same again, may come just as well.
 */
export interface ExpectedLeaves {
  /** Namespace URI of all of them, `''` for none. */
  readonly uri: string;
  readonly locals: readonly string[];
  /** Each may repeat. */
  readonly repeated: boolean;
}

/**
 * Receives the parts of a document, in document order. An error that it throws ends the reading and
 * reaches the caller unchanged.
 */
export interface XmlHandler {
  /** A start tag, or an empty-element tag, which is followed at once by `close`. */
  open(element: XmlElement): ContentMode | Content;
  /**
   * A piece of text directly inside an element opened in mode `text`; never empty, at most about 64
   * Ki code units. It may share memory with the surrounding text, so copy what you keep for long.
   */
  text(piece: string): void;
  /** The end tag of the innermost open element, also of one opened in mode `skip`. */
  close(): void;
  /**
   * An expected child, in place of `open`, `text` and `close`: one that has no attributes and
   * nothing but text inside. The reader may also report it by those three, so both must have the
   * same effect.
   * @param index among the `locals` of `ExpectedLeaves`. @param text as {@link XmlHandler.text} has
   *   it; may be empty.
   */
  leaf?(index: number, text: string): void;
  /** Text other than white space began directly inside an element opened in mode `elements`. */
  stray?(): void;
}

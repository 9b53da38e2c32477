import type { Limits } from '../limits.ts';

/** An attribute that is not a namespace declaration. */
export interface XmlAttribute {
  /** Namespace URI, `''` for none. */
  readonly uri: string;
  readonly local: string;
  readonly value: string;
}

/** A start tag. The object is valid only during the call of {@link XmlHandler.open} that receives it. */
export interface XmlElement {
  /** Namespace URI, `''` for none. */
  readonly uri: string;
  readonly local: string;
  readonly prefix: string;
  readonly attributes: readonly XmlAttribute[];
}

/**
 * What the handler wants of an element's content:
 * - `elements`: child elements are reported, text directly inside is not;
 * - `text`: text is reported (in as many pieces as arrive, CDATA and references resolved); child elements too;
 * - `skip`: everything up to the end tag is checked for well-formedness and not reported.
 */
export type ContentMode = 'elements' | 'text' | 'skip';

/** Receives a document's parts, in document order. */
export interface XmlHandler {
  /** A start tag, or an empty-element tag, which is followed at once by `close`. */
  open(element: XmlElement): ContentMode;
  /** A piece of text inside an element opened in mode `text`. */
  text(piece: string): void;
  /** The end tag of the innermost open element, also of one opened in mode `skip`. */
  close(): void;
}

/** An incremental reader: bytes in, in any split; calls of the handler out. */
export interface XmlReader {
  /** @throws {XmlError} at the first byte that makes the document malformed or breaks a limit. */
  push(chunk: Uint8Array): void;
  /** The document is complete. @throws {XmlError} when it is not. */
  end(): void;
  /** 1-based position of the token being read, line ends counted after normalisation. */
  readonly line: number;
  readonly column: number;
}

export interface XmlReaderOptions {
  readonly limits: Limits;
  /** The charset of the Content-Type, when there was one. A BOM beats it; it beats the XML declaration. */
  readonly charset?: string | undefined;
}

export type CreateXmlReader = (handler: XmlHandler, options: XmlReaderOptions) => XmlReader;

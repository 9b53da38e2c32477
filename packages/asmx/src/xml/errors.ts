import type { Limits } from '../contract/limits.ts';
import { breachSentence, type LimitBreach, ReadError } from '../message/read-error.ts';

/**
 * What kind of refusal an {@link XmlError} is:
 * - `malformed`: not well-formed XML 1.0;
 * - `namespace`: well-formed, but against Namespaces in XML 1.0;
 * - `encoding`: the bytes are not text in the encoding that was declared or detected, or that
 *   encoding is unknown;
 * - `version`: a version of XML other than 1.0;
 * - `dtd`: a document type declaration, which is never read;
 * - `limit`: over one of the {@link Limits}.
 */
export type XmlErrorCode = 'malformed' | 'namespace' | 'encoding' | 'version' | 'dtd' | 'limit';

/**
 * Where in a document: both 1-based, the column in UTF-16 code units, line ends counted after
 * normalisation.
 */
export interface XmlPosition {
  readonly line: number;
  readonly column: number;
}

/** The error for a refused document. */
export class XmlError extends ReadError<XmlErrorCode> {
  /** What was wrong, one English sentence; `message` is this and the position. */
  readonly reason: string;
  readonly line: number;
  readonly column: number;

  constructor(code: XmlErrorCode, reason: string, position: XmlPosition, breach?: LimitBreach) {
    super(code, `${reason} Line ${position.line}, position ${position.column}.`, breach);
    this.name = 'XmlError';
    this.reason = reason;
    this.line = position.line;
    this.column = position.column;
  }
}

/** A refusal without a position; the scanner adds the position and throws an {@link XmlError}. */
export class XmlRefusal {
  readonly code: XmlErrorCode;
  readonly reason: string;
  readonly breach: LimitBreach | undefined;

  constructor(code: XmlErrorCode, reason: string, breach?: LimitBreach) {
    this.code = code;
    this.reason = reason;
    this.breach = breach;
  }
}

/** The refusal of something over a limit. */
export function overLimit(
  limits: Limits,
  name: keyof Limits,
  subject: string,
  unit: string,
): XmlRefusal {
  const breach = { name, value: limits[name] };
  return new XmlRefusal('limit', breachSentence(breach, subject, unit), breach);
}

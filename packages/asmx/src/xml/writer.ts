import { findForbiddenUnit, isXmlChar, nameOfChar } from './chars.ts';

/** What text cannot be written: the character is not allowed in XML 1.0, not even as a reference. */
export class XmlWriteError extends RangeError {
  /** The code point, or the lone surrogate. */
  readonly point: number;
  /** Its index in the text, UTF-16 code units. */
  readonly index: number;

  constructor(point: number, index: number) {
    super(`The character ${nameOfChar(point)} at index ${index} cannot be written in an XML document.`);
    this.name = 'XmlWriteError';
    this.point = point;
    this.index = index;
  }
}

/** What cannot stand in text as it is, and surrogates, which may be lone: one class, hence one pass over the rest. */
const UNUSUAL = /[^\t\n -%'-;=?-\ud7ff\ue000-\ufffd]/;

/**
 * Text as the content of an element, such that every XML reader gets back exactly what was put in: `&`, `<`, `>`
 * (so that `]]>` never stands there) as entities, a carriage return as `&#xD;`. Nothing else is changed.
 * @throws {XmlWriteError} on a character that XML 1.0 forbids or half of a surrogate pair.
 */
export function escapeText(text: string): string {
  if (text.search(UNUSUAL) < 0) return text;
  assertWritable(text);
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#xD;');
}

/**
 * Text as an attribute value in double or single quotes; beside what {@link escapeText} does, quotes are entities,
 * and tab and line feed are references, because readers turn them into blanks.
 * @throws {XmlWriteError} on a character that XML 1.0 forbids or half of a surrogate pair.
 */
export function escapeAttribute(text: string): string {
  return escapeText(text)
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('\t', '&#x9;')
    .replaceAll('\n', '&#xA;');
}

/** @throws {XmlWriteError} at the first character that cannot be written. */
function assertWritable(text: string): void {
  if (findForbiddenUnit(text) < 0 && text.isWellFormed()) return;
  let at = 0;
  for (const character of text) {
    const point = character.codePointAt(0)!;
    if (!isXmlChar(point)) throw new XmlWriteError(point, at);
    at += character.length;
  }
}

import { isXmlChar, nameOfChar } from './chars.ts';

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

/**
 * Text as the content of an element, such that every XML reader gets back exactly what was put in: `&`, `<`, `>`
 * (so that `]]>` never stands there) as entities, a carriage return as `&#xD;`. Nothing else is changed.
 * @throws {XmlWriteError} on a character that XML 1.0 forbids or half of a surrogate pair.
 */
export function escapeText(text: string): string {
  return escapeUnits(text, textEscape);
}

/**
 * Text as an attribute value in double or single quotes; beside what {@link escapeText} does, quotes are entities,
 * and tab and line feed are references, because readers turn them into blanks.
 * @throws {XmlWriteError} on a character that XML 1.0 forbids or half of a surrogate pair.
 */
export function escapeAttribute(text: string): string {
  return escapeUnits(text, attributeEscape);
}

function textEscape(unit: number): string | undefined {
  switch (unit) {
    case 0x26:
      return '&amp;';
    case 0x3c:
      return '&lt;';
    case 0x3e:
      return '&gt;';
    case 0x0d:
      return '&#xD;';
    default:
      return undefined;
  }
}

function attributeEscape(unit: number): string | undefined {
  switch (unit) {
    case 0x22:
      return '&quot;';
    case 0x27:
      return '&#39;';
    case 0x09:
      return '&#x9;';
    case 0x0a:
      return '&#xA;';
    default:
      return textEscape(unit);
  }
}

function escapeUnits(text: string, escapeOf: (unit: number) => string | undefined): string {
  let written = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x3e && unit < 0xd800) continue;
    const point = text.codePointAt(at)!;
    if (!isXmlChar(point)) throw new XmlWriteError(point, at);
    if (point > 0xffff) at++;
    const escaped = escapeOf(unit);
    if (escaped === undefined) continue;
    written += text.slice(from, at) + escaped;
    from = at + 1;
  }
  return from === 0 ? text : written + text.slice(from);
}

import { findForbiddenUnit, isXmlChar, nameOfChar } from './chars.ts';

/** How documents of ASP.NET begin that are no envelopes, and their type. */
export const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\r\n';
export const XML_TYPE = 'text/xml; charset=utf-8';

/**
 * What text cannot be written: the character is not allowed in XML 1.0, not even as a reference.
 */
export class XmlWriteError extends RangeError {
  /** The code point, or the lone surrogate. */
  readonly point: number;
  /** Its index in the text, UTF-16 code units. */
  readonly index: number;

  constructor(point: number, index: number) {
    super(
      `The character ${nameOfChar(point)} at index ${index} cannot be written in an XML document.`,
    );
    this.name = 'XmlWriteError';
    this.point = point;
    this.index = index;
  }
}

/**
 * A text up to this length is looked at unit by unit, which takes less time than an expression;
 * code units.
 */
const SHORT = 64;

/**
 * For each code unit whether it can stand in text as it is; surrogates, which may be lone, do not
 * count as that.
 */
const USUAL = new Uint8Array(0x10000).fill(1, 0x20, 0xd800).fill(1, 0xe000, 0xfffe);
for (const unit of [0x09, 0x0a]) USUAL[unit] = 1;
for (const sign of '&<>') USUAL[sign.charCodeAt(0)] = 0;

const IN_TEXT = byUnit({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' });
const IN_ATTRIBUTE = byUnit({
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' },
  ...{ '"': '&quot;', "'": '&#39;', '\t': '&#x9;', '\n': '&#xA;' },
});

/**
 * @returns by the number of a code unit what is written in its place; `''` for what stands as it
 *   is.
 */
function byUnit(entities: Readonly<Record<string, string>>): readonly string[] {
  return Array.from({ length: 0x40 }, (_, unit) => entities[String.fromCharCode(unit)] ?? '');
}

/**
 * Text as the content of an element, such that every XML reader gets back exactly what was put in:
 * `&`, `<`, `>` (so that `]]>` never stands there) as entities, a carriage return as `&#xD;`.
 * Nothing else is changed.
 * @throws {XmlWriteError} on a character that XML 1.0 forbids or half of a surrogate pair.
 */
export function escapeText(text: string): string {
  if (text.length <= SHORT) return isUsual(text) ? text : escaped(text, IN_TEXT);
  assertWritable(text);
  return hasMarkup(text) ? text.replace(MARKUP, (sign) => IN_TEXT[sign.charCodeAt(0)]!) : text;
}

/** What is written otherwise in the content of an element. */
const MARKUP = /[&<>\r]/g;

/**
 * Four searches for one unit take a tenth of the time of one for a class, in texts with other than
 * Latin letters.
 */
function hasMarkup(text: string): boolean {
  return text.includes('&') || text.includes('<') || text.includes('>') || text.includes('\r');
}

/**
 * Text as an attribute value in double or single quotes; beside what {@link escapeText} does,
 * quotes are entities, and tab and line feed are references, because readers turn them into blanks.
 * @throws {XmlWriteError} on a character that XML 1.0 forbids or half of a surrogate pair.
 */
export function escapeAttribute(text: string): string {
  return escaped(text, IN_ATTRIBUTE);
}

/** Whether all of a short text can stand as it is. */
function isUsual(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (USUAL[text.charCodeAt(at)] === 0) return false;
  return true;
}

/** @param entities what replaces a code unit, by its number. @throws {XmlWriteError} */
function escaped(text: string, entities: readonly string[]): string {
  let written = '';
  let from = 0;
  let isWritable = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const entity = unit < entities.length ? entities[unit]! : '';
    if (entity !== '') {
      written += text.slice(from, at) + entity;
      from = at + 1;
    } else if (!isWritable && USUAL[unit] === 0) {
      assertWritable(text);
      isWritable = true;
    }
  }
  return from === 0 ? text : written + text.slice(from);
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

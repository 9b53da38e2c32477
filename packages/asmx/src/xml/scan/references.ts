import { isXmlChar, nameOfChar } from '../chars.ts';
import { XmlRefusal } from '../errors.ts';

/**
 * The five entities every XML reader knows; there are no others, as there is no DTD (XML 1.0
 * section 4.6).
 */
export const ENTITIES: readonly { readonly written: string; readonly character: string }[] = [
  { written: 'amp;', character: '&' },
  { written: 'lt;', character: '<' },
  { written: 'gt;', character: '>' },
  { written: 'quot;', character: '"' },
  { written: 'apos;', character: "'" },
];

/**
 * The code point of a reference.
 * @param name the text between `&` and `;`.
 * @returns a character XML allows, or a surrogate (D800 to DFFF), which the caller must pair.
 * @throws {XmlRefusal} when the reference is malformed, the entity unknown or the character
 *   forbidden.
 */
export function resolveReference(name: string): number {
  if (name.charCodeAt(0) !== 0x23) {
    const entity = ENTITIES.find(({ written }) => written === `${name};`);
    if (entity !== undefined) return entity.character.charCodeAt(0);
    throw new XmlRefusal(
      'malformed',
      `The entity &${name}; is not defined; without a DTD there are only lt, gt, amp, quot, apos.`,
    );
  }
  const point = name.charCodeAt(1) === 0x78 ? digits(name, 2, 16) : digits(name, 1, 10);
  if (!isXmlChar(point) && !isSurrogate(point)) {
    throw new XmlRefusal(
      'malformed',
      `The character ${nameOfChar(point)} is not allowed in an XML document, not even as a reference.`,
    );
  }
  return point;
}

/** Whether a code point is half of a pair. */
export function isSurrogate(point: number): boolean {
  return point >= 0xd800 && point <= 0xdfff;
}

/**
 * Joins the halves of a pair written as two references.
 * @param high D800 to DBFF.
 * @throws {XmlRefusal} when the other is not the second half of a pair.
 */
export function joinSurrogates(high: number, low: number): number {
  if (low < 0xdc00 || low > 0xdfff) throw loneSurrogate();
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

/** The error for half a surrogate pair. */
export function loneSurrogate(): XmlRefusal {
  return new XmlRefusal('malformed', 'A reference to half of a surrogate pair stands alone.');
}

function digits(name: string, from: number, base: 10 | 16): number {
  let value = 0;
  for (let i = from; i < name.length; i++) {
    const digit = digitOf(name.charCodeAt(i));
    if (digit >= base) throw malformed(name);
    value = Math.min(value * base + digit, 0x110000);
  }
  if (from === name.length) throw malformed(name);
  return value;
}

/** The value of a hexadecimal digit; more than any base for anything else. */
export function digitOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 99;
}

function malformed(name: string): XmlRefusal {
  return new XmlRefusal(
    'malformed',
    `The character reference &${name}; is malformed; write &#65; or &#x41;.`,
  );
}

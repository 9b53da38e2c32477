/**
 * The character classes of XML 1.0, fifth edition, over UTF-16 code units (the strings read are
 * well-formed UTF-16).
 */

/**
 * Characters that continue a name, and those that also start one, as pairs of first and last code
 * unit (XML 1.0 [4], [4a]).
 */
const NAME_START_RANGES: readonly (readonly [number, number])[] = [
  [0x3a, 0x3a], // :
  [0x41, 0x5a], // A-Z
  [0x5f, 0x5f], // _
  [0x61, 0x7a], // a-z
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x2ff],
  [0x370, 0x37d],
  [0x37f, 0x1fff],
  [0x200c, 0x200d],
  [0x2070, 0x218f],
  [0x2c00, 0x2fef],
  [0x3001, 0xd7ff],
  [0xd800, 0xdb7f], // the high surrogates of U+10000 to U+EFFFF
  [0xf900, 0xfdcf],
  [0xfdf0, 0xfffd],
];
const NAME_ONLY_RANGES: readonly (readonly [number, number])[] = [
  [0x2d, 0x2e], // - .
  [0x30, 0x39], // 0-9
  [0xb7, 0xb7],
  [0x300, 0x36f],
  [0x203f, 0x2040],
  [0xdc00, 0xdfff], // the low surrogate after one of the high ones above
];

const NAME = 1;
const NAME_START = 2;

/** The class bits of every code unit; one lookup is faster than a chain of comparisons. */
const CLASSES = new Uint8Array(0x10000);
for (const [first, last] of NAME_START_RANGES) CLASSES.fill(NAME | NAME_START, first, last + 1);
for (const [first, last] of NAME_ONLY_RANGES) CLASSES.fill(NAME, first, last + 1);

/** The index behind the name that begins at `from`; `from` itself when none does. */
export function nameEnd(text: string, from: number): number {
  const { length } = text;
  if (from === length || !isNameStartUnit(text.charCodeAt(from))) return from;
  let at = from + 1;
  while (at < length && CLASSES[text.charCodeAt(at)] !== 0) at++;
  return at;
}

/** The index behind the part of a name that continues at `from`. */
export function namePartEnd(text: string, from: number): number {
  const { length } = text;
  let at = from;
  while (at < length && CLASSES[text.charCodeAt(at)] !== 0) at++;
  return at;
}

/**
 * Whether a text is a name without a colon (Namespaces in XML 1.0 [4]): that of an element, an
 * attribute or a type.
 */
export function isNCName(text: string): boolean {
  return (
    text !== '' && nameEnd(text, 0) === text.length && !text.includes(':') && text.isWellFormed()
  );
}

/** Whether a name may start with this code unit. */
export function isNameStartUnit(unit: number): boolean {
  return (CLASSES[unit]! & NAME_START) !== 0;
}

/**
 * Whether this code unit is white space: blank, tab or line feed (line ends are already
 * normalised).
 */
export function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x09 || unit === 0x0d;
}

/** Whether XML 1.0 allows this code point in a document (production [2] Char). */
export function isXmlChar(point: number): boolean {
  return (
    (point >= 0x20 && point <= 0xd7ff) ||
    point === 0x0a ||
    point === 0x09 ||
    point === 0x0d ||
    (point >= 0xe000 && point <= 0xfffd) ||
    (point >= 0x10000 && point <= 0x10ffff)
  );
}

/**
 * Characters that no document may contain, except lone surrogates. A single class, so matching is
 * linear. Not as what is allowed: V8 would take twice as long for texts of Latin-1.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is searched for
const FORBIDDEN_UNIT = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/**
 * The index of the first code unit of well-formed UTF-16 that XML 1.0 forbids, -1 when there is
 * none.
 */
export function findForbiddenUnit(text: string): number {
  return text.search(FORBIDDEN_UNIT);
}

/** The name of a character in messages: `U+000B`. */
export function nameOfChar(point: number): string {
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}

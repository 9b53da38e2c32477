import { isXmlChar } from '../chars.ts';
import type { Pieces } from './pieces.ts';
import { digitOf, ENTITIES } from './references.ts';
import type { Scan } from './scan.ts';
import { State } from './state.ts';

const HASH = 0x23;
const SEMICOLON = 0x3b;
const LOWER_X = 0x78;
/** Enough for every character; more are leading zeros. */
const MOST_DIGITS = 7;

/**
 * Text up to the next markup or reference.
 * @returns the code unit there, `<` or `&`; -1 at the end of the text.
 */
export function readText(scan: Scan, pieces: Pieces): number {
  const { text, at } = scan;
  const stop = Math.min(scan.less(), scan.ampersand());
  if (stop > at) {
    pieces.refuseHalf();
    if (scan.cdataEnd() < stop) scan.refuse('malformed', "']]>' must not stand in text.", scan.cdataEnd());
    const to = stop < text.length ? stop : Math.max(at, stop - heldBrackets(text));
    if (scan.elements.wantsText && to > at) pieces.add(text.slice(at, to));
    scan.at = to;
    if (stop === text.length) return -1;
  }
  return text.charCodeAt(stop);
}

/** How much of a text's end could be the start of `]]>`, and so is looked at again with the next text. */
function heldBrackets(text: string): number {
  if (!text.endsWith(']')) return 0;
  return text.endsWith(']]') ? 2 : 1;
}

/**
 * Reads the reference that begins at the `&` here, if all of it is there and it is an ordinary one: a short cut.
 * `''` when it is to be read piece by piece.
 */
export function plainReference(scan: Scan, pieces: Pieces): string {
  const from = scan.at + 1;
  if (pieces.high !== 0) return '';
  if (scan.text.charCodeAt(from) === HASH) return plainCharacter(scan, from + 1);
  const first = scan.text.charCodeAt(from);
  for (const { written, character } of ENTITIES) {
    if (written.charCodeAt(0) !== first || !scan.text.startsWith(written, from)) continue;
    scan.at = from + written.length;
    scan.steps += written.length;
    return character;
  }
  return '';
}

/** As {@link plainReference}, for a character reference whose digits begin at `from`. */
function plainCharacter(scan: Scan, from: number): string {
  const { text } = scan;
  const base = text.charCodeAt(from) === LOWER_X ? 16 : 10;
  const first = base === 16 ? from + 1 : from;
  let point = 0;
  let at = first;
  for (; at < first + MOST_DIGITS; at++) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit >= base) break;
    point = point * base + digit;
  }
  if (at === first || text.charCodeAt(at) !== SEMICOLON || !isXmlChar(point)) return '';
  scan.steps += at - from;
  scan.at = at + 1;
  return String.fromCodePoint(point);
}

/** The `&` here begins a reference. */
export function beginReference(scan: Scan, state: typeof State.reference | typeof State.valueReference): true {
  scan.mark.index = scan.at;
  scan.at++;
  scan.state = state;
  return true;
}

/** A reference up to its `;`. @returns the character; undefined while the reference may go on in the next text. */
export function readReference(scan: Scan, pieces: Pieces): string | undefined {
  if (scan.carried === '' && scan.text.charCodeAt(scan.at) === HASH) {
    scan.carried = '#';
    scan.at++;
    if (scan.at === scan.text.length) return undefined;
  }
  const name = scan.name();
  if (name === undefined) return undefined;
  if (scan.text.charCodeAt(scan.at) !== SEMICOLON || name === '') {
    const reason = "'&' must begin a reference that ends with ';'; write &amp; for the character itself.";
    scan.refuse('malformed', reason, scan.at);
  }
  scan.at++;
  return pieces.resolve(name);
}

/** Inside a reference in content. */
export function reference(scan: Scan, pieces: Pieces): boolean {
  const character = readReference(scan, pieces);
  if (character === undefined) return false;
  if (scan.elements.wantsText && character !== '') pieces.add(character);
  scan.state = State.content;
  return true;
}

/** Inside a CDATA section. */
export function cdata(scan: Scan, pieces: Pieces): boolean {
  const from = scan.at;
  const found = scan.find(']]>');
  if (scan.elements.wantsText && scan.at > from) pieces.add(scan.text.slice(from, scan.at));
  return found >= 0 && scan.leaveMarkup(found + 3);
}

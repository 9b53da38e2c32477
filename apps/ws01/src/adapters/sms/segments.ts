/**
 * A text as phones receive it: in one part, or in several that they reassemble (3GPP TS 23.038,
 * 23.040).
 */
interface SmsSegments {
  readonly encoding: 'gsm7' | 'ucs2';
  /**
   * The bytes of each part without its header: one septet per byte in `gsm7`, UTF-16 big-endian in
   * `ucs2`.
   */
  readonly parts: readonly Uint8Array[];
}

/** Capacity of a single part, and of one of several, which have a header of six bytes; bytes. */
const ROOM = { gsm7: { alone: 160, together: 153 }, ucs2: { alone: 140, together: 134 } } as const;

/** Maximum number of parts of a message: the number has one byte. */
export const MAX_PARTS = 255;

/**
 * The GSM 7-bit alphabet, in the order of its codes. The escape is written as NUL, which no text
 * contains.
 */
const ALPHABET =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\0ÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

const ESCAPE = 0x1b;

/** Characters that take two septets: the escape and this code. */
const EXTENSION: readonly (readonly [string, number])[] = [
  ['\f', 0x0a],
  ['^', 0x14],
  ['{', 0x28],
  ['}', 0x29],
  ['\\', 0x2f],
  ['[', 0x3c],
  ['~', 0x3d],
  [']', 0x3e],
  ['|', 0x40],
  ['€', 0x65],
];

const SEPTETS: ReadonlyMap<string, readonly number[]> = new Map<string, readonly number[]>([
  ...[...ALPHABET]
    .map((char, code): [string, number[]] => [char, [code]])
    .filter(([char]) => char !== '\0'),
  ...EXTENSION.map(([char, code]): [string, number[]] => [char, [ESCAPE, code]]),
]);

/**
 * Splits a text into parts, in the GSM 7-bit alphabet if it has all characters, else in UCS-2. A
 * part never ends within a character: neither between an escape and its code nor between
 * surrogates.
 */
export function segment(text: string): SmsSegments {
  const septets = [...text].map((char) => SEPTETS.get(char));
  return septets.every((codes) => codes !== undefined)
    ? { encoding: 'gsm7', parts: cut(septets, ROOM.gsm7) }
    : { encoding: 'ucs2', parts: cut([...text.toWellFormed()].map(utf16), ROOM.ucs2) };
}

function utf16(char: string): readonly number[] {
  return Array.from({ length: char.length }, (_, at) => char.charCodeAt(at)).flatMap((unit) => [
    unit >> 8,
    unit & 0xff,
  ]);
}

function cut(
  chars: readonly (readonly number[])[],
  { alone, together }: { readonly alone: number; readonly together: number },
): readonly Uint8Array[] {
  const all = chars.flat();
  if (all.length <= alone) return [Uint8Array.from(all)];
  const parts: number[][] = [[]];
  for (const bytes of chars) {
    if (parts.at(-1)!.length + bytes.length > together) parts.push([]);
    parts.at(-1)!.push(...bytes);
  }
  return parts.map((part) => Uint8Array.from(part));
}
